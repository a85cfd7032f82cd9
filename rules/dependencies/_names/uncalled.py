"""Functions that nothing in their project calls or names: what they lack hurts nobody."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import once_per_file

from .leftovers import is_closed, texts_of

if TYPE_CHECKING:
    from rocmlint.rule import Source

    from .judgement import MissingUse

_SPECIAL = re.compile(r"__|test|main$|setup$|forward$")
"""How functions begin that others call by convention."""


def is_uncalled(found: MissingUse, source: Source) -> bool:
    """Functions at the top of a module that no code, script or document of the project names."""
    outermost = None
    for each in source.ancestors(found.node):
        if isinstance(each, cst.ClassDef):
            return False
        if isinstance(each, cst.FunctionDef):
            outermost = each
    if outermost is None or outermost.decorators:
        return False
    return _is_named_nowhere(outermost.name.value, source)


@once_per_file
def _is_named_nowhere(name: str, source: Source) -> bool:
    if _SPECIAL.match(name) or not is_closed(os.path.abspath(source.path), source):
        return False
    root = source.project.folders[-1]
    word = rf"\b{name}\b"
    in_code = re.compile(rf"^[^#\n]*(?<!\bdef ){word}", re.MULTILINE)
    if any(in_code.search(source.read(each)) for each in source.modules_with(root, (word,))):
        return False
    return not any(re.search(word, source.read(each)) for each in texts_of(root, source))
