"""Names that the process has and the source does not: on classes, and in front of builtins."""

from __future__ import annotations

import builtins
import re
from abc import ABCMeta
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ..objects.attribute_writes import stores_in, stores_of
from ..objects.decorators_and_metaclasses import makers, replaced_bases, run_by
from ..objects.fingerprints import fingerprint
from ..objects.imported_names import is_brought, makes_code_in, source_bindings
from ..objects.origin_package import (
    belongs,
    is_callable,
    is_made,
    is_standard,
    names_in,
    outermost,
    place_of,
    top,
)
from ..objects.reachable import ABSENT, attributes, bases, is_a, items, methods, module_of, value_at
from ..objects.wrappers import Makers
from ..source.bindings import ExpectedName
from ..source.events import ANY_NAME
from .difference import Alteration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..objects.on_disk import OnDisk

_BY_THE_INTERPRETER = (type(type.__dict__["__doc__"]), type(FunctionType.__dict__["__globals__"]))
"""Types of ``__slots__``, ``__dict__`` and ``__weakref__``, which a class has by itself."""
_PLAIN = (bool, int, float, str, bytes, tuple, type(None))
_MAKE_CODE = {"exec", "eval", "compile", "FunctionType", "CodeType"}
_NESTED = 0x10
"""CO_NESTED of CPython's ``code.h``: a function made the function when it ran."""
_TEMPLATE = re.compile(r"\s*def (\w+)\(")
_COMPUTED_NAME = "def "
"""The start of a template for a function that no other is around, whose name is put in."""
_SETS = re.compile(rb"\bsetattr\((?!\s*self\b)|\b__dict__\b|\bvars\(|\blocals\(|\bglobals\(")


def added(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield what was added to the classes of a module, and what hides a builtin in it."""
    classes = {each.name: each for each in disk.bindings.expected if each.is_class}
    known = _KnownMakers(space, disk, classes)
    for each in classes.values():
        owner = value_at(space, each.path)
        if issubclass(type(owner), type) and disk.is_own(owner):  # type: ignore[arg-type]
            yield from _Class(known, each, owner).added()
    yield from _in_front_of_builtins(space, disk)


class _KnownMakers:
    """A module, and what the makers of its classes run and may make: most classes share them."""

    def __init__(self, space: object, disk: OnDisk, classes: Mapping[str, ExpectedName]) -> None:
        self.space, self.disk, self.classes = space, disk, classes
        self._makers: dict[int, Makers] = {}
        self._runs: dict[int, list[FunctionType]] = {}
        self._words: dict[int, frozenset[str]] = {}

    def run_by(self, maker: object) -> list[FunctionType]:
        if id(maker) not in self._runs:
            self._runs[id(maker)] = run_by(maker)
        return self._runs[id(maker)]

    def may_make(self, maker: object, part: object) -> bool:
        return self._makers.setdefault(id(maker), Makers(maker)).may_make(part)

    def words(self, maker: object) -> frozenset[str]:
        """Return the names and strings in the modules of what a maker runs."""
        if id(maker) not in self._words:
            functions = {each.__module__: each for each in self.run_by(maker)}  # one of each module
            self._words[id(maker)] = frozenset().union(*map(_words, functions.values()))
        return self._words[id(maker)]


class _Class:
    """One class of a module, and what its source has for it."""

    def __init__(self, known_makers: _KnownMakers, expected: ExpectedName, owner: Any) -> None:
        self.known_makers = known_makers
        self.space, self.disk = known_makers.space, known_makers.disk
        self.classes = known_makers.classes
        self.expected, self.owner = expected, owner
        self.known = self.disk.bindings.scopes.get(expected.path, {})

    def added(self) -> Iterator[Alteration]:
        if ANY_NAME in self.known:
            return
        for name, value in items(self.owner):
            if name in self.known or f"{self.expected.name}.{name}" in self.disk.bindings.elsewhere:
                continue
            if is_a(value, *_BY_THE_INTERPRETER):
                continue
            if not is_callable(value):
                if self.is_hiding(name, value):
                    yield Alteration(f"{self.expected.name}.{name}", "hides")
                continue
            if self.is_explained(name, value):
                continue
            if self.is_asked_by_python(name):
                yield Alteration(f"{self.expected.name}.{name}", "added", *place_of(value))
            elif self.is_asked_by_code(name):
                yield Alteration(f"{self.expected.name}.{name}", "asked", *place_of(value))

    def is_hiding(self, name: str, value: Any) -> bool:
        """Return whether a value comes before another that a base of the package has."""
        if type(self.owner) not in (type, ABCMeta) or name.startswith(("__", "_abc_")):
            return False
        package = top(self.disk.module)
        above = (attributes(it) for it in bases(self.owner)[1:] if top(module_of(it)) == package)
        hidden = next((each[name] for each in above if name in each), value)
        is_plain = type(hidden) in _PLAIN and type(value) in _PLAIN
        return is_plain and hidden != value and not stores_of(self.disk.module).sets_name(name)

    def is_explained(self, name: str, value: Any) -> bool:
        """Return whether something that the source names can have put it there."""
        codes = outermost(value)
        files = {each.co_filename for each in codes}
        makers_of_it = self.makers(name)
        if not codes:
            return bool(makers_of_it)
        if all(self.is_of_the_module(each, name) for each in codes):
            return True
        if any(each is ABSENT for each in makers_of_it):
            return True
        run = (each for it in makers_of_it for each in self.known_makers.run_by(it))
        if files <= {each.__code__.co_filename for each in run}:
            return True
        if any(is_made(each) for each in files):
            if makes_code_in(self.disk.module) and _SETS.search(self.disk.source.data):
                return True
            made = [each for each in codes if is_made(each.co_filename)]
            words = map(self.known_makers.words, makers_of_it)
            return any(_may_generate(each, name, made) for each in words)
        if any(self.known_makers.may_make(each, value) for each in makers_of_it):
            return True
        if all(is_standard(each) for each in files) and makers_of_it:
            return True
        if not all(belongs(each, self.disk.module) for each in files):
            return False
        if self.is_set(name) or all(each.co_flags & _NESTED for each in codes):
            return True
        is_named = all(each.co_name in (name, "<lambda>") for each in codes)
        return is_named and self.is_filled_by_a_base()

    def is_filled_by_a_base(self) -> bool:
        """Return whether a base's module sets attributes of computed names on its classes."""
        modules = {module_of(each) for each in bases(self.owner)[1:]} - {"builtins"}
        found = filter(None, map(source_bindings, modules))
        return b"cls" in stores_in(data for data, _ in found).owners

    def is_set(self, name: str) -> bool:
        return stores_of(self.disk.module).sets(self.expected.name.rpartition(".")[2], name)

    def is_of_the_module(self, code: CodeType, name: str) -> bool:
        """Return whether code is of this file, and its source can have put it there."""
        if not self.disk.is_home(code):
            return False
        definition = self.disk.defined.get(fingerprint(code))
        if definition is None or definition.inner or not definition.is_named:
            return True
        is_set = bool(_SETS.search(self.disk.source.data)) or bool(self.makers(name))
        own = stores_in([self.disk.source.data])
        return is_set or own.sets_name(name) or self.is_set(name)

    def makers(self, name: str) -> list[object]:
        """Return the decorators, metaclasses and bases that work on the class."""
        path = (*self.expected.path, name)
        wanted = ExpectedName(
            f"{self.expected.name}.{name}", path, frozenset(), certain=False, is_class=False,
            decorators=(),
        )  # fmt: skip
        found = list(makers(self.space, wanted, self.classes))
        found = [each for each in found if each is not object]
        return [*found, *replaced_bases(self.space, self.expected.bases, self.owner)]

    def is_asked_by_python(self, name: str) -> bool:
        """Return whether it is a special method, or comes before that of a base."""
        if name.startswith("__") and name.endswith("__"):
            return True
        return any(name in attributes(each) for each in bases(self.owner)[1:])

    def is_asked_by_code(self, name: str) -> bool:
        """Return whether code of the module, or of a base, has a word for the name."""
        above = bases(self.owner)[1:]
        codes = [function.__code__ for each in above for function in methods(each)]
        return any(name in names_in(each) for each in (self.disk.code, *codes))


def _may_generate(words: frozenset[str], name: str, codes: list[CodeType]) -> bool:
    """Return whether a maker with these words makes code, also of a name, and code so called.

    A template that has a function around others (``def __create_fn__(`` in dataclasses) gives all
    of them its name, which code objects have from Python 3.11 on. Where a maker puts
    the name in, the start of the file name that it gives its code counts (``<attrs generated``).
    """
    around = {match.group(1) for match in map(_TEMPLATE.match, words) if match}
    files = tuple(each for each in words if each.startswith("<") and len(each) > 1)
    for code in codes:
        if _COMPUTED_NAME in words and code.co_filename.startswith(files):
            continue
        outer = getattr(code, "co_qualname", "").partition(".<locals>.")
        if around and outer[0] and outer[0] not in around:
            return False
    return name in words and not words.isdisjoint(_MAKE_CODE)


def _words(function: FunctionType) -> frozenset[str]:
    """Return the names and strings in the code of the module that a function is of."""
    found: set[str] = set()
    for value in list(function.__globals__.values()):
        parts = [value] if type(value) is FunctionType else []
        parts += methods(value) if is_a(value, type) else []
        for each in parts:
            if each.__code__.co_filename == function.__code__.co_filename:
                found.update(names_in(each.__code__))
    return frozenset(found)


def _in_front_of_builtins(space: object, disk: OnDisk) -> Iterator[Alteration]:
    known = disk.bindings.scopes[()]
    live = attributes(space)
    for name in used_builtins(disk.code):
        if name in known or name in disk.bindings.elsewhere:
            continue
        if not is_callable(live.get(name)):
            continue
        stars = (each.imported for each in known.get(ANY_NAME, ()) if each.imported)
        if not any(is_brought_by_star(disk.module, star, name, live[name]) for star in stars):
            yield Alteration(name, "added", *place_of(live[name]))


def is_brought_by_star(module: str, star: Any, name: str, value: object) -> bool:
    """Return whether ``from ... import *`` gives a name such a value."""
    from dataclasses import replace  # noqa: PLC0415

    return is_brought(module, replace(star, attribute=name), value)


def used_builtins(code: CodeType) -> set[str]:
    """Return the names of builtins that code at any depth uses."""
    return {each for each in names_in(code) if each[:2] != "__" and hasattr(builtins, each)}
