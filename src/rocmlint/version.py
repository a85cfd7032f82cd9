"""The version of rocmlint; apart, so that every room can ask for it."""

__version__ = "0.1.0"
