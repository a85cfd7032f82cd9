"""Functions with more or fewer wrappers than the decorators of their source put there."""

from __future__ import annotations

import ast
import dis
import functools
from collections import Counter
from functools import partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ..objects.decorators_and_metaclasses import resolved
from ..objects.fingerprints import fingerprint
from ..objects.layers import layers
from ..objects.origin_package import place_of
from ..objects.reachable import ABSENT, attributes, bases, value_at
from ..objects.wrappers import Makers
from ..source.events import dotted
from .difference import Alteration

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..objects.on_disk import OnDisk

    Node = ast.FunctionDef | ast.AsyncFunctionDef

_ALWAYS = (functools.lru_cache, getattr(functools, "cache", functools.lru_cache))
"""Decorators written in Python that give an object of C, whatever they are given."""


def decorated(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the decorated functions that are bare now, or wrapped more often than in the source."""
    lines = {(each.name, each.line): code for code, each in disk.defined.items()}
    for path, scope in disk.bindings.scopes.items():
        owner = value_at(space, path)
        for name, events in scope.items():
            node = events[0].node if len(events) == 1 else None
            live = attributes(owner).get(name, ABSENT)
            if node is None or isinstance(node, ast.ClassDef) or not node.decorator_list:
                continue
            line = min(each.lineno for each in node.decorator_list)
            wanted = lines.get((".".join((*path, node.name)), line))
            around = layers(live, partial(_is_made_of, wanted)) if live is not ABSENT else None
            if around is not None:
                qualified = ".".join((*path, name))
                yield from _other_layers(qualified, node, around, (owner, space))


def _is_made_of(wanted: object, part: object) -> bool:
    return type(part) is FunctionType and fingerprint(part.__code__) == wanted


def _other_layers(
    name: str, node: Node, around: list[object], spaces: tuple[object, ...]
) -> Iterator[Alteration]:
    for decorator in node.decorator_list:
        is_called = isinstance(decorator, ast.Call)
        maker = _maker(decorator.func if isinstance(decorator, ast.Call) else decorator, spaces)
        if gives_another(maker, is_called=is_called) and not _has_made(maker, around):
            yield Alteration(name, "bare", *place_of(maker))
            return
    # By identity: code that a decorator makes from text is equal, and different each time.
    codes = {id(each.__code__): each.__code__ for each in around if type(each) is FunctionType}
    times = Counter(id(each.__code__) for each in around if type(each) is FunctionType)
    for code in codes.values():
        if times[id(code)] > len(node.decorator_list):
            yield Alteration(name, "twice", code.co_filename, code.co_firstlineno)


def _maker(expression: ast.expr, spaces: tuple[object, ...]) -> Any:
    name = dotted(expression)
    if not name:
        return ABSENT
    class_body, module = spaces
    is_of_the_class = name.partition(".")[0] in attributes(class_body)
    return resolved(class_body if is_of_the_class else module, name)


def _has_made(maker: Any, around: list[object]) -> bool:
    if maker in _ALWAYS:
        return any(type(each) is type(functools.lru_cache(len)) for each in around)
    return any(Makers(maker).may_make(each) for each in around)


def gives_another(maker: Any, *, is_called: bool) -> bool:
    """Return whether a decorator never gives the function itself, as far as its code shows.

    A class makes an instance; a function gives one that it defines, in each of its returns.
    """
    if maker in _ALWAYS:
        return True
    if issubclass(type(maker), type):
        own = [attributes(each).get("__new__") for each in bases(maker)]
        return not is_called and not any(type(it) in (staticmethod, FunctionType) for it in own)
    if type(maker) is not FunctionType:
        return False
    given = _given(maker.__code__)
    if is_called:
        inner = [_given(each) for each in given]
        given = [code for codes in inner for code in codes] if all(inner) else []
    return bool(given)


def _given(code: CodeType) -> list[CodeType]:
    """Return the functions that a function defines and gives; nothing if it may give another."""
    inner = {each.co_name: each for each in code.co_consts if isinstance(each, CodeType)}
    names = inner.keys() - set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    found: list[CodeType] = []
    before = ""
    for each in dis.get_instructions(code):
        if each.opname.startswith("RETURN_") and each.opname != "RETURN_GENERATOR":
            if each.opname != "RETURN_VALUE" or before not in names:
                return []
            found.append(inner[before])
        before = str(each.argval) if each.opname in _LOADS else ""
    return found if _are_defined_only(code, names) else []


_LOADS = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_DEREF"}


def _are_defined_only(code: CodeType, names: Collection[str]) -> bool:
    """Return whether the names of inner functions are given a value once each."""
    stored = Counter(
        str(each.argval)
        for each in dis.get_instructions(code)
        if each.opname in ("STORE_FAST", "STORE_DEREF") and each.argval in names
    )
    return all(times == 1 for times in stored.values())
