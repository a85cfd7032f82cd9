"""Functions that nothing in their project calls or names: what they lack hurts nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule.closed_projects import is_in_unused_function

if TYPE_CHECKING:
    from rocmlint.rule import Source

    from .judgement import MissingUse


def is_uncalled(found: MissingUse, source: Source) -> bool:
    """Functions at the top of a module that no code, script or document of the project names."""
    return is_in_unused_function(found.node, source)
