"""Whether attributes have the literal values that the source of a module gives them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING

from .attribute_writes import stores_of
from .reachable import ABSENT, value_at

if TYPE_CHECKING:
    from ..source.bindings import Constant
    from .on_disk import OnDisk

_METHODS = (
    b"update|pop|popitem|setdefault|clear|append|extend|insert|remove|sort|reverse|add|discard"
)
_NAME = rb"([\w\x80-\xff]+)"
_MUTATED = re.compile(
    rb"(?<![\w\x80-\xff])(?="  # one place may lie in another
    + _NAME
    + rb"(?:\s*\[[^\]\n]*\]\s*(?:[-+*/|&]|//|\*\*)?=(?!=)|\.(?:"
    + _METHODS
    + rb")\()|del\s+(?:\w+\.)*"
    + _NAME
    + rb"\s*\[)"
)


def changed_literals(module: object, disk: OnDisk) -> list[str]:
    """Return the names that have another value now, and that the package does not set itself.

    Additions to a container do not count.
    """
    return [
        ".".join(each.path)
        for each in disk.bindings.constants
        if not _is_put_away(module, each)
        and not holds(value_at(module, each.path), each.value, in_class=len(each.path) > 1)
        and not is_mutated(disk.source.data, each.path[-1])
        and not stores_of(disk.module).sets_name(each.path[-1])
    ]


def _is_put_away(module: object, constant: Constant) -> bool:
    """Return whether it is kept elsewhere: its class, or all that the module has."""
    if value_at(module, constant.path[:-1]) is ABSENT:
        return True
    if type(module) is ModuleType:
        return False
    return value_at(module, constant.path) is ABSENT


def is_mutated(data: bytes, name: str, *, more_than: int = 0) -> bool:
    """Return whether a source changes what a container has in it, in so many places."""
    return _mutations(data)[name.encode()] > more_than


@lru_cache(maxsize=16)
def _mutations(data: bytes) -> Counter[bytes]:
    """Count by name the places where a source changes what a container has in it."""
    return Counter(each for found in _MUTATED.findall(data) for each in found if each)


def holds(live: object, literal: object, *, in_class: bool) -> bool:
    """Return whether a value is that of a literal, or a container that has more now."""
    if type(live) is not type(literal):
        # A metaclass or a decorator makes of it what it likes: enumerations, fields.
        return live is not ABSENT and in_class
    if isinstance(literal, dict):
        return all(
            holds(live.get(key, ABSENT), value, in_class=False)  # type: ignore[attr-defined]
            for key, value in literal.items()
        )
    if isinstance(literal, (list, set)):
        return all(each in live for each in literal)  # type: ignore[operator]
    return repr(live) == repr(literal)
