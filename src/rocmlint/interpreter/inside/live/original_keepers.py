"""Which modules still have the original of a function that was replaced where it is defined."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .bound import place
from .objects.reachable import attributes, items, module_of, qualified_name
from .source.module_source import NoSourceError, source_of
from .stale_importers import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from .code_at_lookup import Standing
    from .code_file import CodeFile


@dataclass(frozen=True)
class KeptOriginal:
    """Something that an attribute of a module has, and that says it is of another module."""

    holder: str
    attribute: str
    value: Any
    owner: str
    name: str
    """Its qualified name; empty for the other module itself."""


def kept_of(owners: Collection[str]) -> Iterator[KeptOriginal]:
    """Yield the functions and classes of some modules that other modules have, and older modules.

    One look at all modules of the process, whatever the number of owners.
    """
    for holder, module in list(sys.modules.items()):
        for attribute, value in items(module):
            kind = type(value)
            if kind in FUNCTIONS or kind is BuiltinFunctionType:
                owner = getattr(value, "__module__", None)
                if type(owner) is str and owner in owners:
                    name = str(getattr(value, "__qualname__", ""))
                    yield KeptOriginal(holder, attribute, value, owner, name)
            elif issubclass(kind, type):
                if module_of(value) in owners:
                    yield KeptOriginal(
                        holder, attribute, value, module_of(value), qualified_name(value)
                    )
            elif issubclass(kind, ModuleType):
                owner = attributes(value).get("__name__")
                if type(owner) is str and owner in owners and value is not sys.modules.get(owner):
                    yield KeptOriginal(holder, attribute, value, owner, "")


def keepers(
    kept: Iterable[KeptOriginal], wanted: dict[str, Any], found: Standing, file: CodeFile
) -> dict[str, Any]:
    """Return who has the original, or an older class or module of which it is a part.

    ``older`` are those that call it in place of the new one: they have it by its own name, or by
    one that an import of theirs gives it. ``kept`` have it by another name, as code does that goes
    back to the original. What the file itself has is its own affair.
    """
    keepers_by_kind: dict[str, list[dict[str, Any]]] = {"older": [], "kept": []}
    own = [sys.modules[wanted["module"]], *file.modules]
    for each in kept if not wanted["keys"] else ():
        if any(sys.modules.get(each.holder) is it for it in own):
            continue
        if each.owner == wanted["module"] and _is_original(each, wanted, found, file):
            code, line = place(each.value) if each.name else (None, None)
            entry = {"module": each.holder, "attribute": each.attribute, "file": code, "line": line}
            keepers_by_kind["older" if _is_by_its_name(each) else "kept"].append(entry)
    return keepers_by_kind


def _is_original(
    each: KeptOriginal, wanted: dict[str, Any], found: Standing, file: CodeFile
) -> bool:
    value, path, name = each.value, wanted["path"], each.name.split(".")
    if not each.name:  # an older module of that name
        return True
    if issubclass(type(value), type):
        return name == path[: len(name)] and not _is_current(value, name, found, each.owner)
    is_of_file = type(value) is FunctionType and file.is_home(value.__code__)
    return name == path and value is not found.value and not is_of_file


def _is_current(value: object, name: list[str], found: Standing, module: str) -> bool:
    """Return whether a class is the one that its name leads to now."""
    now: Any = sys.modules[module]
    for each in name:
        now = attributes(now).get(each)
    return now is value or found.value is value


def _is_by_its_name(each: KeptOriginal) -> bool:
    """Return whether an import gives it that name: its own, or by ``import NAME as ATTRIBUTE``."""
    name = each.name.rpartition(".")[2]
    if each.attribute == name or not name:
        return True
    try:
        source = source_of(sys.modules[each.holder]).data
    except (NoSourceError, KeyError):
        return False
    pattern = rb"\b%s\s+as\s+%s\b" % (re.escape(name.encode()), re.escape(each.attribute.encode()))
    return re.search(pattern, source) is not None
