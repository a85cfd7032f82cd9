"""Members of the objects of a source: those of enumerations, the functions of dispatchers."""

from __future__ import annotations

import ast
from enum import Enum, EnumMeta
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any

from ..objects.decorators_and_metaclasses import resolved
from ..objects.fingerprints import fingerprint
from ..objects.literals import holds
from ..objects.reachable import ABSENT, attributes, bases, functions_of, is_a, module_of, value_at
from ..source.bindings import literal_value
from ..source.events import dotted
from .difference import Alteration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..objects.on_disk import OnDisk


def members(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the members and the dispatched functions that are not those of the source."""
    for path, scope in disk.bindings.history.items():
        for name, events in scope.items():
            owner = value_at(space, (*path, name))
            for event in events:
                if isinstance(event.node, ast.ClassDef) and is_a(owner, EnumMeta):
                    yield from _of_enumeration(".".join((*path, name)), event.node, owner)
                elif isinstance(event.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield from _of_dispatch(".".join(path), event.node, space, disk)


def _of_enumeration(name: str, node: ast.ClassDef, owner: Any) -> Iterator[Alteration]:
    """Yield the members with other values than their literals, if nothing computes values."""
    if any(_computes(each) for each in bases(owner) if module_of(each) not in ("enum", "builtins")):
        return
    kept: Any = attributes(owner).get("_member_map_")
    by_value: Any = attributes(owner).get("_value2member_map_", {})
    is_plain = attributes(owner).get("_member_type_") is object  # others take tuples as arguments
    for each in node.body:
        target = each.targets[0] if isinstance(each, ast.Assign) else None
        if not isinstance(each, ast.Assign) or not isinstance(target, ast.Name):
            continue
        try:
            literal = literal_value(each.value)
        except ValueError:
            continue
        if isinstance(literal, (list, dict, set)) or (isinstance(literal, tuple) and not is_plain):
            continue
        member = kept.get(target.id, ABSENT) if is_a(kept, dict) else ABSENT
        value = attributes(member).get("_value_", ABSENT) if is_a(member, Enum) else ABSENT
        if value is not ABSENT and not holds(value, literal, in_class=False):
            yield Alteration(f"{name}.{target.id}", "member")
        elif value is not ABSENT and by_value.get(literal, member) is not member:
            yield Alteration(f"{name}({literal!r})", "member")


def _computes(owner: type) -> bool:
    """Return whether a class gives its members values itself."""
    made = attributes(owner).get("__new_member__", attributes(owner).get("__new__"))
    made = made.__func__ if type(made) is staticmethod else made
    is_own = type(made) is FunctionType and made.__globals__.get("__name__") != "enum"
    return is_own or type(attributes(owner).get("__init__")) is FunctionType


def _of_dispatch(
    around: str, node: ast.FunctionDef | ast.AsyncFunctionDef, space: object, disk: OnDisk
) -> Iterator[Alteration]:
    """Yield the dispatchers that no longer have a function which the source registers."""
    for decorator in () if around else node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        holder, _, last = (dotted(called) or "").rpartition(".")
        name = holder if last == "register" else node.name
        registry = attributes(resolved(space, name)).get("registry")
        if type(registry) is not MappingProxyType:
            continue
        line = min(each.lineno for each in node.decorator_list)
        wanted = {
            code for code, it in disk.defined.items() if (it.name, it.line) == (node.name, line)
        }
        kept = registry.values() if last == "register" else [registry.get(object)]
        found = {fingerprint(it.__code__) for each in kept for it in functions_of(each)}
        if wanted and not wanted & found:
            yield Alteration(f"{name}.registry[{node.name}]", "dispatch")
