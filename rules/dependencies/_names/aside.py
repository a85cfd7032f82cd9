"""Code that a project keeps, but has put aside: what it lacks hurts nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule.put_aside import is_put_aside

if TYPE_CHECKING:
    from rocmlint.rule import Source

    from .judgement import MissingUse


def is_aside(found: MissingUse, source: Source) -> bool:
    """Files in a directory called `legacy`, `archive`, `old` or the like, which nothing uses."""
    del found
    return is_put_aside(source)
