"""Names that a module assigns or imports: whether they are still what its source says."""

from __future__ import annotations

import ast
import re
import sys
from types import BuiltinFunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..objects.attribute_writes import stores_of
from ..objects.branches import Branches, covers
from ..objects.imported_names import absolute, imported_packages, is_around
from ..objects.origin_package import is_callable, is_made, place_of, strangers
from ..objects.reachable import ABSENT, attributes, is_a, is_namespace, items, value_at
from ..objects.source_names import SourceNames
from ..source.events import ANY_NAME, dotted
from .difference import Alteration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..objects.on_disk import OnDisk
    from ..source.events import Event

_CONDITIONS = (ast.Compare, ast.BoolOp, ast.UnaryOp)
_COMPUTED = (ast.Call, ast.IfExp, ast.BoolOp, ast.Subscript)
_SETS_GLOBALS = re.compile(rb"\b(?:globals|vars)\(\)\s*(?:\[|\.update\()")

_DELETES = re.compile(
    rb"\bglobals\(\)(?!\s*(?:\[|\.(?:get|update|items|keys|values|setdefault)\b))|\bdel\s+globals\("
)
"""Code that may delete names, or passes them to something that does."""


def assigned(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the names of a module and of its classes that are something else."""
    branches = Branches(space, disk)
    for path, scope in disk.bindings.scopes.items():
        owner = value_at(space, path)
        if path and not (is_a(owner, type) and disk.is_own(owner)):  # type: ignore[arg-type]
            continue
        look = _Look(SourceNames(space, disk, path, owner), branches)
        for name, events in scope.items():
            live = attributes(owner).get(name, ABSENT)
            if name == ANY_NAME:
                continue
            if live is not ABSENT:
                yield from look.differences_of(".".join((*path, name)), events, live)
            elif look.is_lost(name, events):
                yield Alteration(".".join((*path, name)), "gone")
    yield from _set_on_classes(space, disk, branches)
    yield from _of_stars(space, disk)
    if _SETS_GLOBALS.search(disk.source.data):
        yield from _of_computed_names(space, disk)


def _set_on_classes(space: object, disk: OnDisk, branches: Branches) -> Iterator[Alteration]:
    """Yield the attributes of classes that statements after the class set, and that are others."""
    look = _Look(SourceNames(space, disk, (), space), branches)
    for name, events in disk.bindings.attributes.items():
        *path, last = name.split(".")
        scope = disk.bindings.scopes.get(tuple(path))
        owner = value_at(space, path)
        live = attributes(owner).get(last, ABSENT)
        if scope is None or not is_a(owner, type) or not disk.is_own(owner):  # type: ignore[arg-type]
            continue
        if live is ABSENT:
            is_kept_in_it = last not in attributes(type)  # a class has its __name__ elsewhere
            is_certain = events[0].certain and not _is_unknown(events[-1]) and is_kept_in_it
            if is_certain and b"delattr" not in disk.source.data and not _is_deleted(last, disk):
                yield Alteration(name, "gone")
            continue
        body = SourceNames(space, disk, tuple(path), owner)
        is_of_body = not events[0].certain and any(
            body.is_given(each, last, live) for each in scope.get(last, ())
        )
        if not is_of_body:
            yield from look.at_set(name, events, live)


def _is_deleted(attribute: str, disk: OnDisk) -> bool:
    """Return whether a source has a statement that deletes an attribute of a name."""
    pattern = rb"\bdel\s[^\n]*\.%s\b" % re.escape(attribute.encode())
    return re.search(pattern, disk.source.data) is not None


def _of_stars(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the names that ``from ... import *`` gives, and that are nothing that it gives them."""
    known = disk.bindings.scopes[()]
    stars = [each for each in known.get(ANY_NAME, ()) if each.imported is not None]
    sources = [absolute(disk.module, each.imported) for each in stars if each.imported]
    names = SourceNames(space, disk, (), space)
    for name, live in items(space) if stars else ():
        if name in known or name in disk.bindings.elsewhere or name.startswith("_"):
            continue
        found = [attributes(sys.modules.get(it)).get(name, ABSENT) for it in sources]
        is_one = any(each is live for each in found)
        if is_callable(live) and not is_one and any(each is not ABSENT for each in found):
            if not any(names.is_given(each, name, live) for each in stars):
                yield Alteration(name, "result", *place_of(live))


def _of_computed_names(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the names that no statement of a source has, and that are code of another package."""
    known = disk.bindings.scopes[()]
    for name, live in items(space) if ANY_NAME not in known else ():
        if name not in known and not name.startswith("__") and _is_of_others(live, disk):
            yield Alteration(name, "result", *place_of(live))


def _is_of_others(live: Any, disk: OnDisk) -> bool:
    """Return whether a value is code of a package that the source does not import."""
    if is_a(live, ModuleType) or not is_callable(live):
        return False
    packages = (disk.module, *imported_packages(disk.source.data))
    return any(not is_made(file) for file, _ in strangers(live, *packages))


class _Look:
    """One look at the names of a module or of a class."""

    def __init__(self, names: SourceNames, branches: Branches) -> None:
        self.names, self.branches = names, branches
        self.disk, self.path = names.disk, names.path

    def differences_of(
        self, qualified: str, events: tuple[Event, ...], live: Any
    ) -> Iterator[Alteration]:
        """Yield what is different about one name."""
        name = qualified.rpartition(".")[2]
        if qualified in self.disk.bindings.elsewhere:
            return
        events = tuple(each for each in events if not self._is_star_of(each, name, live))
        if any(map(_is_unknown, events)):
            if _is_of_others(live, self.disk) and not self._is_set_by_package(name, live):
                yield Alteration(qualified, "result", *place_of(live))
            return
        is_defined = any(each.node is not None for each in events) and not any(
            each.imported or each.value for each in events
        )  # definitions are looked at elsewhere
        if is_defined or any(self.names.is_given(each, name, live) for each in events):
            yield from self.at_branches(qualified, events, live)
        else:
            yield from self.at_other(qualified, events, live)

    def at_set(self, qualified: str, events: tuple[Event, ...], live: Any) -> Iterator[Alteration]:
        """Yield what is different about an attribute that a statement sets."""
        name = qualified.rpartition(".")[2]
        own = self.disk.bindings.attributes
        count = sum(len(them) for each, them in own.items() if each.endswith(f".{name}"))
        given = (self._gives(each, name, live, count) for each in events)
        if not any(map(_is_unknown, events)) and not any(given):
            yield from self.at_other(qualified, events, live)

    def at_other(self, qualified: str, events: Sequence[Event], live: Any) -> Iterator[Alteration]:
        """Yield that a name is nothing that the source gives it."""
        if self._is_set_by_package(qualified.rpartition(".")[2], live):
            return
        kind = self.kind_of(events, live)
        values = [each.value for each in events if each.value is not None]
        entry = (
            next(self.names.entries(values[0], live), None)
            if len(values) == len(events) == 1
            else None
        )
        if entry is not None:
            key, value = entry
            yield Alteration(f"{qualified}[{key!r}]", "entry", *place_of(value))
        else:
            yield Alteration(qualified, kind, *place_of(live))

    def at_branches(
        self, qualified: str, events: Sequence[Event], live: Any
    ) -> Iterator[Alteration]:
        """Yield that a name is what a branch gives it that did not run, or may not have run."""
        name = qualified.rpartition(".")[2]
        if len(events) == 1 and events[0].value is not None:
            # Those of literals that are certain are looked at elsewhere.
            value, is_sure = events[0].value, events[0].certain
            is_other = is_sure and self._is_other_result(value, live)
            if not self._is_set_again(name) and (
                is_other or not (is_sure or self._gives(events[0], name, live))
            ):
                yield Alteration(qualified, "result", *place_of(live))
        if len(events) == 1 or self._is_set_by_package(name, live):
            return
        taken = self.branches.last(events)
        given = [self._gives(each, name, live) for each in taken]
        if taken and not any(given):
            yield Alteration(qualified, "branch", *place_of(live))
        elif is_a(live, BuiltinFunctionType) and any(
            it.imported and is_given
            for it, is_given in zip(taken, given)  # noqa: B905 - Python 3.9
        ):
            return  # Python code of the source takes the place of what C has not
        elif not all(given) and not self._is_computed_there(taken, given):
            yield Alteration(qualified, "undecided", *place_of(live))

    def _is_computed_there(self, taken: Sequence[Event], given: Sequence[bool]) -> bool:
        """Return whether a value is of an expression, or of a loop, which may give any."""
        loops = (ast.For, ast.AsyncFor, ast.While)
        if any(isinstance(it.statement, loops) for each in taken for it in each.guards):
            return True
        return all(
            event.value is not None
            and dotted(event.value) is None
            and self.names.literal(event.value) is ABSENT
            for event, is_given in zip(taken, given)  # noqa: B905 - Python 3.9
            if is_given
        )

    def _gives(self, event: Event, name: str, live: Any, known: int = 0) -> bool:
        """Return whether one event gives a name its value, compared as closely as can be.

        ``known`` statements are those that set an attribute of that name and are events.
        """
        if event.value is not None and self._is_other_result(event.value, live):
            return self._is_set_again(name, known)
        if event.value is not None and not self._is_set_again(name, known):
            literal = self.names.literal(event.value)
            if literal is not ABSENT:
                return self.names.is_literal(literal, live)
        return self.names.is_made_of(event, live) and self.names.is_given(event, name, live)

    def _is_set_again(self, name: str, known: int = 0) -> bool:
        is_set = stores_of(self.disk.module).sets_name(name, more_than=known)
        return is_set or self.names.is_mutated(name)

    def _is_other_result(self, value: ast.expr, live: Any) -> bool:
        """Return whether a value is not what a condition of the source gives."""
        if isinstance(value, ast.IfExp):
            truth = self.branches.truth(value.test)
            chosen = value.body if truth else value.orelse
            literal = self.names.literal(chosen)
            if literal is not ABSENT:
                return truth is not None and not self.names.is_literal(literal, live)
            return truth is not None and not self.names.is_value(chosen, live)
        if isinstance(value, _CONDITIONS) and type(live) is bool:
            truth = self.branches.truth(value)
            return truth is not None and truth is not live
        return False

    def _is_set_by_package(self, name: str, live: Any) -> bool:
        last = self.path[-1] if self.path else self.disk.module.rpartition(".")[2]
        is_set = stores_of(self.disk.module).sets(last, name)
        return is_set and not any(strangers(live, self.disk.module))

    def is_lost(self, name: str, events: tuple[Event, ...]) -> bool:
        """Return whether a name must be there, so that something deleted it."""
        qualified = ".".join((*self.path, name))
        if qualified in self.disk.bindings.elsewhere or not is_namespace(self.names.space):
            return False
        if self.names.is_made_by_others or self.names.is_decorated:
            return False
        taken = self.branches.last(each for each in events if each.name != ANY_NAME)
        is_certain = bool(taken) and (self.branches.happened(taken[0]) or covers(taken))
        is_deleted = any(map(_is_unknown, taken)) or _DELETES.search(self.disk.source.data)
        return bool(is_certain) and not is_deleted

    def kind_of(self, events: Sequence[Event], live: Any) -> str:
        """Return whether it is this module, or the one that the name is imported from."""
        brought = [each.imported for each in events if each.imported]
        if any(is_around(self.disk.module, each, live) for each in brought):
            return "around"
        for each in brought:
            source = sys.modules.get(absolute(self.disk.module, each))
            if attributes(source).get(each.attribute or "", ABSENT) is live:
                return "used"
        if brought:
            return "import"
        if self.names.is_made_by_others or self.names.is_decorated:
            return "result"
        is_called = any(
            isinstance(part, _COMPUTED)
            for each in events
            if each.value is not None
            for part in ast.walk(each.value)
        )
        return "result" if is_called else "value"

    def _is_star_of(self, event: Event, name: str, live: Any) -> bool:
        """Return whether it is a ``*`` that does not give the name this value."""
        is_star = event.name == ANY_NAME and name != ANY_NAME
        return is_star and not self.names.is_given(event, name, live)


def _is_unknown(event: Event) -> bool:
    return event.node is None and event.value is None and not event.imported
