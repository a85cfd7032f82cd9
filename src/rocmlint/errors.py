"""The errors that rocmlint raises on purpose."""


class RocmlintError(Exception):
    """An error with its place and its remedy, in one line for a person to read."""


class ConfigError(RocmlintError):
    """The configuration or a command line option cannot be used as it is."""


class RuleError(ConfigError):
    """A local rule cannot be used as it is; the message begins with the rule's file and line."""


class RewriteError(RocmlintError):
    """A file cannot be changed; it is as it was."""


def described(error: BaseException) -> str:
    """Return the type and the message of an exception in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")
