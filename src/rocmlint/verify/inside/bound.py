"""Whether each attribute is made of the definition that the source has for it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from .fingerprints import fingerprint
from .reachable import ABSENT, attributes, functions_of, methods, value_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

    from .bindings import Expected
    from .fingerprints import Fingerprint
    from .on_disk import OnDisk

    Place = tuple[str | None, int | None]
    """File and line where code was defined; None for what is not Python code."""


@dataclass
class Bound:
    """The attributes that are not simply what the source defines."""

    replaced: dict[str, Place] = field(default_factory=dict)
    """Made of other code; nothing that works on the definition in the source can have made it."""
    wrapped: dict[str, Place] = field(default_factory=dict)
    """Made of the definition and of what a decorator, a metaclass or a base put around it."""
    missing: list[str] = field(default_factory=list)
    opaque: list[str] = field(default_factory=list)
    """Made by a decorator, a metaclass or a base, and the definition is not to be seen in it."""


def bound(module: object, disk: OnDisk) -> Bound:
    """Look at every attribute for which the source alone decides what it is."""
    look = _Look(module, disk)
    for each in disk.bindings.expected:
        if not look.is_settled(each.name):
            look.at(each)
    return look.found


class _Look:
    """One look at all attributes of a module."""

    def __init__(self, module: object, disk: OnDisk) -> None:
        self.module = module
        self.disk = disk
        self.found = Bound()
        self.classes: dict[str, Expected] = {}
        self.by_line: dict[tuple[str, int], set[Fingerprint]] = {}
        for each in disk.defined.values():
            self.by_line.setdefault((each.name, each.line), set()).add(each.fingerprint)

    def is_settled(self, name: str) -> bool:
        """Say whether a class around it is another one, so that nothing more is to be said."""
        found = self.found
        around = name.rpartition(".")[0]
        while around:
            if around in found.replaced or around in found.opaque or around in found.missing:
                return True
            around = around.rpartition(".")[0]
        return False

    def at(self, expected: Expected) -> None:
        value = value_at(self.module, expected.path)
        if value is ABSENT:
            # What took the place of the module need not have its names.
            if expected.certain and "__builtins__" in attributes(self.module):
                self.found.missing.append(expected.name)
        elif expected.is_class:
            self.classes[expected.name] = expected
            self.at_class(expected, value)
        else:
            self.at_function(expected, value)

    def at_class(self, expected: Expected, value: object) -> None:
        if not issubclass(type(value), type):
            where = self.found.opaque if expected.decorators else None
            if where is None:
                self.found.replaced[expected.name] = place(value)
            else:
                where.append(expected.name)
            return
        names = (attributes(value).get("__module__"), getattr(value, "__qualname__", None))
        is_other = names[0] != self.disk.module and names[1] != expected.name
        if is_other and not any(self.disk.is_home(each.__code__) for each in methods(value)):
            self.found.replaced[expected.name] = place(value)

    def at_function(self, expected: Expected, value: object) -> None:
        keys = [(expected.name, line) for line in expected.lines]
        wanted = {each for key in keys for each in self.by_line.get(key, ())}
        codes = [each.__code__ for each in functions_of(value)]
        is_found = any(self.disk.is_home(each) and fingerprint(each) in wanted for each in codes)
        if not wanted or (is_found and self.disk.is_home(codes[0])):
            return
        if any(self.disk.is_outdated(each) for each in codes):
            self.found.missing.append(expected.name)
        elif is_found and (expected.decorators or self.may_be_made(expected, codes)):
            self.found.wrapped[expected.name] = _place(codes[0])
        elif not self.may_be_made(expected, codes):
            self.found.replaced[expected.name] = place(value)
        else:
            self.found.opaque.append(expected.name)

    def may_be_made(self, expected: Expected, codes: list[CodeType]) -> bool:
        """Say whether the outermost code may be what a maker gave for the definition."""
        for maker in self.makers(expected):
            if maker is ABSENT or not codes or codes[0].co_filename in _files(maker):
                return True
        return False

    def makers(self, expected: Expected) -> Iterator[object]:
        """Yield the decorators of a definition, and what works on the classes around it."""
        for decorator in expected.decorators:
            yield self.resolved(decorator)
        for end in range(1, len(expected.path)):
            around = self.classes.get(".".join(expected.name.split(".")[:end]))
            for decorator in around.decorators if around else ():
                yield self.resolved(decorator)
            owner: Any = value_at(self.module, expected.path[:end])
            if type(owner) is not type:
                yield type(owner)
            for base in owner.__mro__[1:]:
                if "__init_subclass__" in attributes(base):
                    yield base

    def resolved(self, name: str | None) -> object:
        """Give what a dotted name stands for in the module, or ABSENT."""
        value = self.module if name else ABSENT
        for part in name.split(".") if name else ():
            kinds = [attributes(each) for each in type(value).__mro__]
            found = [each[part] for each in (attributes(value), *kinds) if part in each]
            value = found[0] if found else ABSENT
        return value


def _files(maker: Any) -> set[str]:
    """Give the files whose code an object runs: its own, or those of its class and its bases."""
    kind = maker if issubclass(type(maker), type) else type(maker)
    functions = chain(functions_of(maker), *(methods(each) for each in kind.__mro__))
    return {each.__code__.co_filename for each in functions}


def place(value: object) -> Place:
    """Give the place of the outermost Python code of an object, or the file of a class."""
    for each in functions_of(value):
        return _place(each.__code__)
    if issubclass(type(value), type):
        places = [_place(each.__code__) for each in methods(value)]
        if places:
            return min(places)
        owner = sys.modules.get(str(attributes(value).get("__module__")))
        return getattr(owner, "__file__", None), None
    return None, None


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_filename, code.co_firstlineno
