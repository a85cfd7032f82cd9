"""Why files of a project are left alone, whatever they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule.put_aside import is_put_aside

if TYPE_CHECKING:
    from rocmlint.rule import Source


def is_given_up(found: object, source: Source) -> bool:
    """Files that their project has put aside."""
    del found
    return is_put_aside(source)
