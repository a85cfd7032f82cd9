"""Whether each attribute is made of the definition that the source has for it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .bindings import stored_path
from .fingerprints import fingerprint
from .foreign import foreign
from .makers import absorbs, makers, may_have_made
from .reachable import (
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

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import CodeType, FunctionType

    from .bindings import Expected
    from .fingerprints import Definition, Fingerprint
    from .on_disk import OnDisk

    Place = tuple[str | None, int | None]
    """File and line where code was defined; None for what is not Python code."""


@dataclass
class Bound:
    """The attributes that are not simply what the source defines."""

    replaced: dict[str, Place] = field(default_factory=dict)
    """Made of other code; nothing that works on the definition in the source can have made it."""
    wrapped: dict[str, Place] = field(default_factory=dict)
    """The definition and, around it, what a decorator, a metaclass, a base or its package put."""
    missing: list[str] = field(default_factory=list)
    opaque: list[str] = field(default_factory=list)
    """Made by a decorator, a metaclass or a base, and the definition is not to be seen in it."""


def bound(module: object, disk: OnDisk) -> Bound:
    """Look at every attribute for which the source alone decides what it is."""
    found = _look(module, disk)
    for name, place_of_it in foreign(module, disk):
        found.replaced.setdefault(name, place_of_it)
    return found


def without(found: Bound, names: Collection[str]) -> Bound:
    """Return what was found of all but some names, and what is below them."""
    around = tuple(f"{each}." for each in names)
    for each in fields(found) if names else ():
        told: Any = getattr(found, each.name)
        for name in [it for it in told if it in names or it.startswith(around)]:
            told.remove(name) if isinstance(told, list) else told.pop(name)
    return found


def _look(module: object, disk: OnDisk) -> Bound:
    look = _Look(module, disk)
    if look.is_all_found():
        return look.found  # the source need not be read as a tree, which takes longest
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

    def is_all_found(self) -> bool:
        """Return whether each definition is in what stands where its name says."""
        return all(
            each.inner or not each.is_named or self.is_found(each)
            for each in self.disk.defined.values()
        )

    def is_found(self, definition: Definition) -> bool:
        value = value_at(self.module, stored_path(definition.name))
        if not definition.is_function:
            return issubclass(type(value), type) and self.is_own(definition.name, value)
        functions = list(functions_of(value))
        if not self.holds(functions, {definition.fingerprint}):
            return False
        is_decorated = self.disk.lines[definition.line - 1].lstrip().startswith(b"@")
        return self.is_home(definition.name, functions[0], is_decorated=is_decorated)

    def is_own(self, name: str, owner: Any) -> bool:
        """Return whether a class is that of a name in this module, wherever it says that it is."""
        if module_of(owner) == self.disk.module:
            return True
        if any(self.disk.is_home(each.__code__) for each in methods(owner)):
            return True
        has_methods = any(each.name.startswith(f"{name}.") for each in self.disk.defined.values())
        return not has_methods and qualified_name(owner) == name

    def is_home(self, name: str, outermost: FunctionType, *, is_decorated: bool) -> bool:
        """Return whether the outermost function of a found definition is right, noting a wrapper.

        What the source asks for is, and what a package puts around its own functions.
        """
        if self.disk.is_home(outermost.__code__):
            return True
        package = str(outermost.__globals__.get("__name__")).partition(".")[0]
        if is_decorated or package == self.disk.module.partition(".")[0]:
            self.found.wrapped[name] = _place(outermost.__code__)
            return True
        return False

    def holds(self, functions: list[FunctionType], wanted: set[Fingerprint]) -> bool:
        codes = (each.__code__ for each in functions)
        return any(self.disk.is_home(each) and fingerprint(each) in wanted for each in codes)

    def is_settled(self, name: str) -> bool:
        """Return whether a class around it is another one, so that nothing more is to be said."""
        found = self.found
        around = name.rpartition(".")[0]
        while around:
            if around in found.replaced or around in found.opaque or around in found.missing:
                return True
            around = around.rpartition(".")[0]
        return False

    def at(self, expected: Expected) -> None:
        """Look at one attribute."""
        value = value_at(self.module, expected.path)
        if value is ABSENT:
            self.at_nothing(expected)
        elif expected.is_class:
            self.classes[expected.name] = expected
            self.at_class(expected, value)
        else:
            self.at_function(expected, value)

    def at_nothing(self, expected: Expected) -> None:
        # What took the place of the module need not have its names.
        if expected.certain and is_namespace(self.module):
            is_taken = absorbs(value_at(self.module, expected.path[:-1])) or self.is_put_away(
                expected
            )
            (self.found.opaque if is_taken else self.found.missing).append(expected.name)

    def is_put_away(self, expected: Expected) -> bool:
        """Return whether a module that works on its own globals() has put it somewhere else."""
        if len(expected.path) > 1 or b"globals()" not in self.disk.source.data:
            return False
        if expected.is_class:
            return any(
                qualified_name(each) == expected.name for each in classes_of(self.disk.module)
            )
        wanted = self.wanted(expected)
        return any(fingerprint(each.__code__) in wanted for each in functions_with(self.module))

    def wanted(self, expected: Expected) -> set[Fingerprint]:
        """Return the code of each definition that it may be."""
        keys = [(expected.name, line) for line in expected.lines]
        return {each for key in keys for each in self.by_line.get(key, ())}

    def at_class(self, expected: Expected, value: object) -> None:
        if issubclass(type(value), type):
            if not self.is_own(expected.name, value):
                self.found.replaced[expected.name] = place(value)
        elif type(self.module) is not ModuleType or self.may_be_made(
            expected, list(functions_of(value))
        ):
            self.found.opaque.append(expected.name)
        else:
            self.found.replaced[expected.name] = place(value)

    def is_inner(self, functions: list[FunctionType]) -> bool:
        """Return whether the module itself makes it, in one of its functions that runs later."""
        if not functions or not self.disk.is_home(functions[0].__code__):
            return False
        definition = self.disk.defined.get(fingerprint(functions[0].__code__))
        return definition is not None and definition.inner

    def may_be_made(self, expected: Expected, functions: list[FunctionType]) -> bool:
        return may_have_made(makers(self.module, expected, self.classes), functions)

    def at_function(self, expected: Expected, value: object) -> None:
        wanted = self.wanted(expected)
        functions = list(functions_of(value))
        is_found = self.holds(functions, wanted)
        is_decorated = bool(expected.decorators)
        if not wanted or (
            is_found and self.is_home(expected.name, functions[0], is_decorated=is_decorated)
        ):
            return
        if any(self.disk.is_outdated(each.__code__) for each in functions):
            self.found.missing.append(expected.name)
        elif not self.may_be_made(expected, functions) and not self.is_inner(functions):
            self.found.replaced[expected.name] = place(value)
        elif is_found:
            self.found.wrapped[expected.name] = _place(functions[0].__code__)
        else:
            self.found.opaque.append(expected.name)


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
