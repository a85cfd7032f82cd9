"""The line about what should not happen: it names one file, and hides nothing of the others."""

from __future__ import annotations

from rocmlint.errors import described


def internal_error(path: str, error: BaseException, where: str = "") -> str:
    """Return the line about an error inside rocmlint. Ctrl-C is raised again."""
    if isinstance(error.__cause__, KeyboardInterrupt):  # before 3.12 so while a class is made
        raise error
    return f"{path}: internal error{where}, please report it: {described(error)}"
