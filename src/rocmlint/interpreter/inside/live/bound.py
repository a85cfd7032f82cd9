"""Whether each attribute is made of the definition that the source has for it."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from functools import partial
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .objects.decorators_and_metaclasses import absorbs, makers
from .objects.fingerprints import fingerprint
from .objects.foreign import foreign
from .objects.layers import ObjectLayer, held_by, layer, layers, within_reach
from .objects.reachable import (
    ABSENT,
    classes_of,
    functions_of,
    functions_with,
    is_namespace,
    methods,
    module_of,
    qualified_name,
    value_at,
)
from .objects.wrappers import Makers, is_set_by
from .source.bindings import stored_path

if TYPE_CHECKING:
    from types import CodeType

    from .objects.fingerprints import DefinedCode, Fingerprint
    from .objects.on_disk import OnDisk
    from .source.bindings import ExpectedName

    Place = tuple[str | None, int | None]
    """File and line where code was defined; None for what is not Python code."""


@dataclass
class Bound:
    """The attributes that are not simply what the source defines."""

    replaced: dict[str, Place] = field(default_factory=dict)
    """Made of other code; nothing that works on the definition in the source can have made it."""
    wrapped: dict[str, Place] = field(default_factory=dict)
    """The definition and, around it, what a decorator, a metaclass, a base or its package put."""
    behind: dict[str, ObjectLayer] = field(default_factory=dict)
    """Objects that hold the definition, or may hold it, and nothing in the source asks for."""
    held: dict[str, tuple[object, weakref.ref[FunctionType]]] = field(default_factory=dict)
    """Of what is behind something: what stands for it, and the function that it holds."""
    missing: list[str] = field(default_factory=list)
    opaque: list[str] = field(default_factory=list)
    """Made by a decorator, a metaclass or a base, and the definition is not to be seen in it."""
    generated: set[CodeType] = field(default_factory=set)
    """Code around a definition that its decorator makes, and that names this file as its own."""


def bound(module: object, disk: OnDisk) -> Bound:
    """Look at every attribute for which the source alone decides what it is."""
    found = _look(module, disk)
    for name, place_of_it in foreign(module, disk):
        if name not in found.behind:
            found.replaced.setdefault(name, place_of_it)
    return found


def _look(module: object, disk: OnDisk) -> Bound:
    look = _Look(module, disk)
    if look.is_all_found():
        return look.found  # the source need not be read as a tree, which takes longest
    look = _Look(module, disk)
    for each in disk.bindings.expected:
        if not look.is_settled(each.name):
            look.look_at(each)
    return look.found


_IMPLIED = {
    staticmethod: ("__new__",),
    classmethod: ("__init_subclass__", "__class_getitem__"),
}
"""The methods of which Python itself makes these."""


def _property_makers(name: str) -> set[str]:
    return {"property", *(f"{name}.{each}" for each in ("getter", "setter", "deleter"))}


def _accessors(value: property) -> list[object]:
    return [each for each in (value.fget, value.fset, value.fdel) if each is not None]


class _Look:
    """One look at all attributes of a module."""

    def __init__(self, module: object, disk: OnDisk) -> None:
        self.module = module
        self.disk = disk
        self.found = Bound()
        self.classes: dict[str, ExpectedName] = {}
        self.known: dict[int, Makers] = {}
        self.by_line: dict[tuple[str, int], set[Fingerprint]] = {}
        for each in disk.defined.values():
            self.by_line.setdefault((each.name, each.line), set()).add(each.fingerprint)

    def is_all_found(self) -> bool:
        """Return whether each definition is found at its name."""
        return all(
            each.inner or not each.is_named or self.is_found(each)
            for each in self.disk.defined.values()
        )

    def is_found(self, definition: DefinedCode) -> bool:
        value = value_at(self.module, stored_path(definition.name))
        if not definition.is_function:
            return issubclass(type(value), type) and self.is_own(definition.name, value)
        first = self.disk.lines[definition.line - 1].strip()
        decorator = first[1:].decode("utf-8", "replace") if first.startswith(b"@") else ""
        return self.is_exactly(value, definition.name, {definition.fingerprint}, decorator)

    def is_exactly(
        self, value: Any, name: str, wanted: set[Fingerprint], decorator: str = ""
    ) -> bool:
        """Return whether a value is a function, or the kind of method that a decorator makes.

        ``decorator`` is the outermost one. All functions of a property must be of its name.
        """
        kind, own = type(value), name.rpartition(".")[2]
        if kind is FunctionType:
            return self.disk.is_home(value.__code__) and fingerprint(value.__code__) in wanted
        if kind in (staticmethod, classmethod):
            is_asked = decorator == kind.__name__ or own in _IMPLIED.get(kind, ())
            return is_asked and self.is_exactly(value.__func__, name, wanted)
        if kind is property and decorator in _property_makers(own):
            parts, named = _accessors(value), self.code_of(name)
            return any(self.is_exactly(each, name, wanted) for each in parts) and all(
                self.is_exactly(each, name, named) for each in parts
            )
        return False

    def code_of(self, name: str) -> set[Fingerprint]:
        """Return the code of all definitions of a name."""
        return {it for (own, _), found in self.by_line.items() if own == name for it in found}

    def is_own(self, name: str, owner: Any) -> bool:
        """Return whether a class is that of a name in this module, wherever it says that it is."""
        if module_of(owner) == self.disk.module:
            return True
        if any(self.disk.is_home(each.__code__) for each in methods(owner)):
            return True
        has_methods = any(each.name.startswith(f"{name}.") for each in self.disk.defined.values())
        return not has_methods and qualified_name(owner) == name

    def holds(self, functions: list[FunctionType], wanted: set[Fingerprint]) -> bool:
        codes = (each.__code__ for each in functions)
        return any(self.disk.is_home(each) and fingerprint(each) in wanted for each in codes)

    def is_settled(self, name: str) -> bool:
        """Return whether a class around it is another one, so that nothing more is to be said."""
        found = self.found
        others = (found.replaced, found.opaque, found.missing, found.behind)
        around = name.rpartition(".")[0]
        while around:
            if any(around in each for each in others):
                return True
            around = around.rpartition(".")[0]
        return False

    def look_at(self, expected: ExpectedName) -> None:
        """Look at one attribute."""
        value = value_at(self.module, expected.path)
        if value is ABSENT:
            self.at_nothing(expected)
        elif expected.is_class:
            self.classes[expected.name] = expected
            self.at_class(expected, value)
        else:
            self.at_function(expected, value)

    def at_nothing(self, expected: ExpectedName) -> None:
        # What took the place of the module need not have its names.
        if expected.certain and is_namespace(self.module):
            is_taken = absorbs(value_at(self.module, expected.path[:-1])) or self.is_put_away(
                expected
            )
            (self.found.opaque if is_taken else self.found.missing).append(expected.name)

    def is_put_away(self, expected: ExpectedName) -> bool:
        """Return whether a module that works on its own globals() has put it somewhere else."""
        if len(expected.path) > 1 or b"globals()" not in self.disk.source.data:
            return False
        if expected.is_class:
            return any(
                qualified_name(each) == expected.name for each in classes_of(self.disk.module)
            )
        wanted = self.wanted(expected)
        return any(fingerprint(each.__code__) in wanted for each in functions_with(self.module))

    def wanted(self, expected: ExpectedName) -> set[Fingerprint]:
        """Return the code of each definition that it may be."""
        keys = [(expected.name, line) for line in expected.lines]
        return {each for key in keys for each in self.by_line.get(key, ())}

    def at_class(self, expected: ExpectedName, value: object) -> None:
        if issubclass(type(value), type):
            if not self.is_own(expected.name, value):
                self.found.replaced[expected.name] = place(value)
        elif type(self.module) is not ModuleType or self.is_made_of_class(expected, value):
            self.found.opaque.append(expected.name)
        elif self.is_unknown(expected) or layers(value, partial(self.is_class, expected.name)):
            self.found.behind[expected.name] = layer(value)
        else:
            self.found.replaced[expected.name] = place(value)

    def is_made_of_class(self, expected: ExpectedName, value: object) -> bool:
        """Return whether a decorator gives an object for a class: often an instance of it."""
        is_decorated = bool(expected.decorators)
        return (
            (is_decorated and self.is_class(expected.name, type(value)))
            or (is_decorated and value is None)
            or self.is_asked_for(expected, value)
        )

    def is_class(self, name: str, part: object) -> bool:
        """Return whether an object is the class of a name in this module."""
        is_named = issubclass(type(part), type) and qualified_name(part) == name  # type: ignore[arg-type]
        return is_named and self.is_own(name, part)

    def at_function(self, expected: ExpectedName, value: Any) -> None:
        wanted, own = self.wanted(expected), expected.name.rpartition(".")[2]
        outermost = (expected.decorators or ("",))[0] or ""
        if not wanted or self.is_exactly(value, expected.name, wanted, outermost):
            return
        if type(value) is not property or outermost not in _property_makers(own):
            self.at_other(expected, value, wanted)
            return
        named = self.code_of(expected.name)
        parts = [it for it in _accessors(value) if not self.is_exactly(it, expected.name, named)]
        for each in parts[:1]:
            self.at_other(expected, each, named)
        if not parts:  # what was defined last is not in it
            self.found.missing.append(expected.name)

    def at_other(self, expected: ExpectedName, value: object, wanted: set[Fingerprint]) -> None:
        """Look at what is not simply a definition: something around it, or something else."""
        is_core = partial(self.is_code, wanted)
        around = layers(value, is_core)
        functions = list(functions_of(value))
        if around is not None:
            strange = [each for each in around if not self.is_asked_for(expected, each)]
            if not strange and held_by(value, is_core) is None:  # it says that it is around it
                makers, own = self.makers(expected), expected.name.rpartition(".")[2]
                made = [it for it in around if own not in _IMPLIED.get(type(it), ())]
                strange = [it for it in made if any(each.keeps_argument(it) for each in makers)]
            asked = [it for it in around if type(it) is FunctionType and it not in strange]
            codes = (each.__code__ for each in asked)
            self.found.generated.update(it for it in codes if self.disk.is_outdated(it))
            if strange:
                self.at_strange(expected, value, strange[0], wanted)
            elif not self.disk.is_home(functions[0].__code__):
                self.found.wrapped[expected.name] = _place(functions[0].__code__)
        elif any(self.disk.is_outdated(each.__code__) for each in functions):
            self.found.missing.append(expected.name)
        elif value is None and expected.decorators:  # one that gives nothing back
            self.found.opaque.append(expected.name)
        elif self.is_asked_for(expected, value):
            strange = [each for each in functions if not self.is_asked_for(expected, each)]
            if strange:  # the decorator is around something else, or was given something more
                self.found.behind[expected.name] = layer(strange[0])
            else:
                self.found.opaque.append(expected.name)
        else:
            self.at_strange(expected, value, value, wanted)

    def at_strange(
        self, expected: ExpectedName, value: object, strange: object, wanted: set[Fingerprint]
    ) -> None:
        """Look at what nothing in the source or the package puts there."""
        owner = value_at(self.module, expected.path[:-1])
        core = within_reach(value, [owner], partial(self.is_code, wanted))
        if core is not None:
            self.found.held[expected.name] = value, weakref.ref(core)
        if core is not None or self.is_unknown(expected):
            self.found.behind[expected.name] = layer(strange)
        else:
            self.found.replaced[expected.name] = place(value)

    def is_unknown(self, expected: ExpectedName) -> bool:
        """Return whether a decorator of a definition is not to be found."""
        return any(each.maker is ABSENT for each in self.makers(expected))

    def is_asked_for(self, expected: ExpectedName, part: object) -> bool:
        """Return whether the source or the package puts an object around a definition."""
        own = expected.name.rpartition(".")[2]
        if own in _IMPLIED.get(type(part), ()):
            return True
        return any(each.may_make(part) for each in self.makers(expected)) or is_set_by(
            self.disk.module.partition(".")[0], own, part
        )

    def makers(self, expected: ExpectedName) -> list[Makers]:
        """Return what may give something else than a definition."""
        found = list(makers(self.module, expected, self.classes))
        return [self.known.setdefault(id(each), Makers(each)) for each in found]

    def is_code(self, wanted: set[Fingerprint], part: object) -> bool:
        """Return whether an object is a function of this file with a code that is wanted."""
        return type(part) is FunctionType and self.holds([part], wanted)


def place(value: Any) -> Place:
    """Return the place of the outermost Python code of an object, or the file of a class."""
    for each in functions_of(value):
        return _place(each.__code__)
    if issubclass(type(value), type):
        places = [_place(each.__code__) for each in methods(value)]
        if places:
            return min(places)
        owner = sys.modules.get(module_of(value))
        return getattr(owner, "__file__", None), None
    return None, None


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_filename, code.co_firstlineno
