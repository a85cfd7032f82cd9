"""Which modules still have the original of a function that was replaced where it is defined."""

from __future__ import annotations

import re
import sys
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

from .bound import place
from .holders import FUNCTIONS
from .reachable import attributes, items, module_of, qualified_name
from .sources import NoSourceError, source_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .code_file import CodeFile
    from .standing import Standing


def keepers(wanted: dict[str, Any], found: Standing, file: CodeFile) -> dict[str, Any]:
    """Tell who has the original, or an older class of which it is a method.

    ``older`` are those that call it in place of the new one: they have it by its own name, or by
    one that an import of theirs gives it. ``kept`` have it by another name, as code does that goes
    back to the original. What the file itself has is its own affair.
    """
    told: dict[str, list[dict[str, Any]]] = {"older": [], "kept": []}
    for holder, attribute, value, name in _originals(wanted, found, file):
        code, line = place(value)
        entry = {"module": holder, "attribute": attribute, "file": code, "line": line}
        is_name = attribute == name or _is_imported_as(holder, name, attribute)
        told["older" if is_name else "kept"].append(entry)
    return told


def _originals(
    wanted: dict[str, Any], found: Standing, file: CodeFile
) -> Iterator[tuple[str, str, object, str]]:
    """Yield the name of the module, the attribute, the object and its own name."""
    owner, path = wanted["module"], wanted["path"]
    if wanted["keys"]:
        return
    own = [sys.modules[owner], *file.modules]
    for holder, module in list(sys.modules.items()):
        if any(module is each for each in own):
            continue
        for attribute, value in items(module):
            kind = type(value)
            if kind in FUNCTIONS or kind is BuiltinFunctionType:
                known = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
                is_original = known == (owner, ".".join(path)) and value is not found.value
                if is_original and not _is_of(file, value):
                    yield holder, attribute, value, path[-1]
            elif issubclass(kind, type) and module_of(value) == owner:
                name = qualified_name(value).split(".")
                if name == path[: len(name)] and not _is_current(value, name, found, owner):
                    yield holder, attribute, value, name[-1]


def _is_of(file: CodeFile, value: Any) -> bool:
    return type(value) is FunctionType and file.is_home(value.__code__)


def _is_current(value: object, name: list[str], found: Standing, module: str) -> bool:
    """Return whether a class is the one that its name leads to now."""
    now: Any = sys.modules[module]
    for each in name:
        now = attributes(now).get(each)
    return now is value or found.value is value


def _is_imported_as(holder: str, name: str, attribute: str) -> bool:
    """Return whether the source of a module has ``import NAME as ATTRIBUTE``."""
    try:
        source = source_of(sys.modules[holder]).data
    except (NoSourceError, KeyError):
        return False
    pattern = rb"\b%s\s+as\s+%s\b" % (re.escape(name.encode()), re.escape(attribute.encode()))
    return re.search(pattern, source) is not None
