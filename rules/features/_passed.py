"""Fast paths that another module of the same package switches on where it loads the model."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from rocmlint.rule import Source

    from ._disabled import Disabled

_CLASS = compile_lazily(r"^class[\s\\]+(\w+)", re.MULTILINE)
_PASSED = r"(?m)^[^#\r\n]*\b{}[\"']?\]?\s*=\s*[\"']{}[\"']"
_LOADED = r"\b(?:{})\s*\.\s*from_pretrained\b"


def is_passed_elsewhere(found: Disabled, source: Source) -> bool:
    """Settings of a config that a module of the package passes where it loads the model's class."""
    key, value = found.toggle.key.lstrip("_"), found.toggle.value
    classes = _CLASS.findall(source.code)
    if not isinstance(found.toggle.node, ast.Assign) or not value or not classes:
        return False
    passed = _PASSED.format(re.escape(key), re.escape(value))
    loaded = _LOADED.format("|".join(classes))
    return bool(source.modules_with(package_around(source), (passed, loaded)))


def package_around(source: Source) -> str:
    """Return the outermost package around a file, though folders in it may have no __init__.py."""
    folder = found = os.path.dirname(os.path.abspath(source.path))
    while folder not in {source.root, os.path.dirname(folder)}:
        if source.exists(os.path.join(folder, "__init__.py")):
            found = folder
        folder = os.path.dirname(folder)
    return found
