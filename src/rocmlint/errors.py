"""The errors that rocmlint raises on purpose."""


class RocmlintError(Exception):
    """What went wrong, where, and what to do about it, in one line for a person to read."""


class ConfigError(RocmlintError):
    """The configuration or a command line option cannot be used as it is."""


class RewriteError(RocmlintError):
    """A file cannot be changed; it is as it was."""
