"""The gitignore patterns of a configuration: what they match, and what is wrong with them."""

from __future__ import annotations

from functools import cache
from typing import Any

_RELATIVE = frozenset({".", ".."})


@cache
def spec(patterns: tuple[str, ...]) -> Any:
    """Compile patterns. Raises ValueError and re.error for what is not one."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only who has patterns pays for it

    return GitIgnoreSpec.from_lines(patterns)


@cache
def is_pattern(line: str) -> bool:
    """Return whether a line of a .gitignore is a pattern; git passes over the others."""
    from re import error  # noqa: PLC0415

    try:
        spec((line,))
    except (ValueError, error):
        return False
    return True


@cache
def problem_with(pattern: str) -> str | None:
    """Return why a pattern in a configuration never matches; None for one that may."""
    if not is_pattern(pattern) or all(each.include is None for each in spec((pattern,)).patterns):
        return f"{pattern!r} is not a valid gitignore pattern"
    if not _RELATIVE.isdisjoint(pattern.removeprefix("!").split("/")):
        return f"{pattern!r} matches nothing: patterns have no '.' or '..' between slashes"
    return None


def matches(pattern: str, path: str) -> bool:
    """Return whether a pattern matches a relative path; after ``!`` whether it does not."""
    wanted = not pattern.startswith("!")
    return bool(spec((pattern.removeprefix("!"),)).match_file(path)) is wanted
