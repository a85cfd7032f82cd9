"""Functions that nothing in their project calls or names: what they lack hurts nobody."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule.closed_projects import is_in_unused_function

from .leftovers import is_for_package_alone

if TYPE_CHECKING:
    from rocmlint.rule import Source

    from .judgement import MissingUse


def is_uncalled(found: MissingUse, source: Source) -> bool:
    """Functions, and methods of classes without bases, that nothing in the project names.

    Looked at are code, scripts and documents. Of a package that users install only the modules
    count that other modules of it import, and those of which its `__init__.py` imports other names;
    a class of tests is run by the names of its methods.
    """
    around = [
        each.name.value
        for each in source.ancestors(found.node)
        if isinstance(each, (cst.FunctionDef, cst.ClassDef))
    ]
    is_internal = partial(is_for_package_alone, around[-1] if around else "")
    return is_in_unused_function(found.node, source, is_internal)
