"""What a module, a class or a function binds, along the branches that a version takes."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rocmlint.python.imports import imported_names
from rocmlint.python.names import last_name
from rocmlint.python.scopes import FUNCTIONS, FunctionNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.models.patches.sources import Module

_HANDLED = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}


@dataclass(frozen=True, eq=False)
class Binding:
    """What a name stands for: an import (``dotted``), or a definition or value (``node``)."""

    node: ast.AST | None = None
    dotted: str = ""


@dataclass(frozen=True, eq=False)
class Gate:
    """A condition that was decided; ``node`` is its test."""

    node: ast.expr
    taken: bool


class Judge(Protocol):
    """What decides conditions and imports while names are bound."""

    def truth(self, test: ast.expr, names: Namespace) -> bool | None:
        """Return whether a condition holds; None: cannot tell."""

    def is_there(self, dotted: str) -> bool | None:
        """Return whether there is a module or a name of one; None: cannot tell."""


OPAQUE = Binding()
"""Of a name that is bound to what nobody knows, such as a parameter."""


class Namespace:
    """The names that a body binds, read in order; later bindings take the place of earlier ones.

    Where a condition cannot be decided, a name has several bindings.
    """

    def __init__(self, module: Module, judge: Judge, outer: Namespace | None = None) -> None:
        """Take where the body stands; ``outer`` is asked for names that it does not bind."""
        self.module = module
        self.outer = outer
        self.names: dict[str, tuple[Binding, ...]] = {}
        self.stars: list[str] = []
        self.gates: list[Gate] = []
        self.live: list[ast.stmt] = []
        """All statements that run, but for the conditions around them."""
        self.unguarded: list[ast.stmt] = []
        """Those of them that no ``try`` guards."""
        self._judge = judge

    def look_up(self, name: str) -> tuple[Binding, ...] | None:
        """Return the bindings of a name, here or further out; None where nothing binds it."""
        if name in self.names:
            return self.names[name]
        return self.outer.look_up(name) if self.outer is not None else None

    def fill(self, body: Sequence[ast.stmt], *, sure: bool = True, guarded: bool = False) -> None:
        """Bind what a body binds; not ``sure``: it may not run."""
        for statement in body:
            if isinstance(statement, ast.If):
                self._fill_branch(statement, sure=sure, guarded=guarded)
            elif isinstance(statement, ast.Try):
                self._fill_try(statement, sure=sure, guarded=guarded)
            else:
                self.live.append(statement)
                if not guarded:
                    self.unguarded.append(statement)
                for name, binding in self._bound_by(statement):
                    self._bind(name, binding, sure=sure)
                inner = [*getattr(statement, "body", ()), *getattr(statement, "orelse", ())]
                if inner and not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                    is_with = isinstance(statement, (ast.With, ast.AsyncWith))
                    self.fill(inner, sure=sure and is_with, guarded=guarded)

    def _fill_branch(self, node: ast.If, *, sure: bool, guarded: bool) -> None:
        self.live.append(node)
        if not guarded:
            self.unguarded.append(node)
        truth = self._judge.truth(node.test, self)
        if truth is not None:
            self.gates.append(Gate(node.test, truth))
            self.fill(node.body if truth else node.orelse, sure=sure, guarded=guarded)
            return
        before = dict(self.names)
        self.fill(node.body, sure=sure, guarded=guarded)
        after_body = self.names
        self.names = before
        self.fill(node.orelse, sure=sure, guarded=guarded)
        self.names = _merged(after_body, self.names)

    def _fill_try(self, node: ast.Try, *, sure: bool, guarded: bool) -> None:
        handled = [each for each in node.handlers if _handles_absence(each)]
        fails = self._fails(node.body) if handled else False
        if fails is not True:
            self.fill(node.body, sure=sure, guarded=guarded or bool(node.handlers))
            self.fill(node.orelse, sure=sure, guarded=guarded)
        if fails is not False:
            for each in handled:
                self.fill(each.body, sure=sure and bool(fails), guarded=guarded)
        self.fill(node.finalbody, sure=sure, guarded=guarded)

    def _fails(self, body: Sequence[ast.stmt]) -> bool | None:
        """Return whether a body asks for something that is not there; None: cannot tell."""
        answers = [self._judge.is_there(dotted) for dotted in self._asked(body)]
        return True if False in answers else None if None in answers else False

    def _asked(self, body: Sequence[ast.stmt]) -> Iterator[str]:
        for statement in body:
            if isinstance(statement, ast.Import):
                yield from (each.name for each in statement.names)
            elif isinstance(statement, ast.ImportFrom):
                base = self.module.absolute(statement)
                names = (each.name for each in statement.names)
                yield from (base if name == "*" else f"{base}.{name}" for name in names)

    def _bind(self, name: str, binding: Binding, *, sure: bool) -> None:
        self.names[name] = (binding,) if sure else (*self.names.get(name, ()), binding)

    def _bound_by(self, node: ast.stmt) -> Iterator[tuple[str, Binding]]:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            if not is_overload(node):
                yield node.name, Binding(node)
        elif isinstance(node, ast.Import):
            for name, dotted in imported_names(node):
                yield name, Binding(dotted=dotted)
        elif isinstance(node, ast.ImportFrom):
            yield from self._imported(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _targets(target, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from _targets(node.target, node.value)
            elif isinstance(node.target, ast.Name):
                yield node.target.id, OPAQUE
        elif isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor)):
            yield from _targets(node.target, None)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    yield from _targets(item.optional_vars, None)

    def _imported(self, node: ast.ImportFrom) -> Iterator[tuple[str, Binding]]:
        base = self.module.absolute(node)
        for each in node.names:
            if each.name == "*":
                self.stars.append(base)
            else:
                yield each.asname or each.name, Binding(dotted=f"{base}.{each.name}")


def local_names(
    function: FunctionNode, module: Module, judge: Judge, outer: Namespace
) -> Namespace:
    """Return what a function binds: its imports and functions; all else is opaque."""
    names = Namespace(module, judge, outer)
    names.fill(function.body)
    keep = {
        name
        for name, bindings in names.names.items()
        if all(each.dotted or isinstance(each.node, FUNCTIONS) for each in bindings)
    }
    for name in _assigned(function):
        if name not in keep:
            names.names[name] = (OPAQUE,)
    return names


def _assigned(function: FunctionNode) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def is_overload(node: ast.AST) -> bool:
    """Check whether a definition is only for type checkers."""
    return "overload" in map(last_name, getattr(node, "decorator_list", ()))


def _targets(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, ast.Name):
        yield target.id, OPAQUE if value is None else Binding(value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            yield from _targets(each, None)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, None)


def _handles_absence(handler: ast.ExceptHandler) -> bool:
    kinds: Iterable[ast.AST] = () if handler.type is None else ast.walk(handler.type)
    names = {each.id for each in kinds if isinstance(each, ast.Name)}
    return handler.type is None or bool(names & _HANDLED)


def _merged(
    one: dict[str, tuple[Binding, ...]], other: dict[str, tuple[Binding, ...]]
) -> dict[str, tuple[Binding, ...]]:
    return {
        name: tuple(dict.fromkeys((*one.get(name, ()), *other.get(name, ()))))
        for name in {**one, **other}
    }
