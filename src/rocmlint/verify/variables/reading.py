"""How Python code reads an environment variable: where, when, and what it makes of a value."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rocmlint.verify.variables.evaluate import UnknownError, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Kind = Literal["reads", "may read"]
When = Literal["at import", "when called"]

_NO_READERS = frozenset({
    "add", "append", "debug", "delenv", "discard", "endswith", "error", "exception", "format",
    "info", "insert", "join", "log", "pop", "print", "putenv", "remove", "replace", "setdefault",
    "setenv", "startswith", "unsetenv", "warn", "warning",
})  # fmt: skip
"""Functions that get a name without looking the variable up."""
_PASSES = (ast.BoolOp, ast.UnaryOp)
_LISTS = (ast.Tuple, ast.List, ast.Set, ast.Dict)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class _Lookup:
    """An expression that looks the variable up."""

    node: ast.expr
    default: ast.expr | None
    """What it is without the variable; None where that is an error."""
    present: bool | None = None
    """What it is with the variable, where only its presence counts."""

    def value(self, text: str) -> object:
        """Return what the expression is when the variable is this text."""
        return text if self.present is None else self.present


@dataclass(frozen=True)
class Reading:
    """One place that looks a variable up.

    ``expression`` is the largest expression around it whose value follows from the variable alone.
    """

    kind: Kind
    line: int
    when: When
    expression: str
    _node: ast.expr | None = None
    _lookup: _Lookup | None = None
    _names: tuple[tuple[str, ast.expr], ...] = ()
    _as_condition: bool = False

    def outcome(self, value: str | None) -> object:
        """Return what the expression makes of a value; None means not set.

        Raises UnknownError where that cannot be told, and ValueError as the code itself would.
        """
        if self._node is None or self._lookup is None:
            raise UnknownError
        names = dict(self._names)
        if value is not None:
            known = {self._lookup.node: self._lookup.value(value)}
        elif self._lookup.default is not None:
            known = {self._lookup.node: evaluate(self._lookup.default, {}, names)}
        else:
            raise UnknownError
        result = evaluate(self._node, known, names)
        return bool(result) if self._as_condition else result


class PythonFile:
    """A Python file that can be asked how it reads a variable."""

    def __init__(self, source: bytes | str) -> None:
        """Parse the source.

        Raises SyntaxError or ValueError for what is not Python of this interpreter's version.
        """
        self.nodes: list[ast.AST] = [ast.parse(source)]
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in self.nodes:  # which grows: breadth first
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                self.nodes.append(child)
        self.constants = _constants(self.nodes)
        self.functions = {
            node.name: node for node in self.nodes if isinstance(node, ast.FunctionDef)
        }

    def readings(self, name: str) -> list[Reading]:
        """Return every place that looks the variable up; empty where it is only mentioned."""
        keys = [
            node
            for node in self.nodes
            if isinstance(node, (ast.Constant, ast.Name)) and self._is(node, name)
        ]
        found = {key: list(self._at(key)) for key in keys}
        sure = [reading for some in found.values() for reading in some]
        if not sure and self._computes_names():
            listed = (key for key in keys if isinstance(self.parents[key], _LISTS))
            return [self._reading("may read", key) for key in listed]
        return sure

    def _is(self, node: ast.expr, name: str) -> bool:
        if isinstance(node, ast.Name):
            node = self.constants.get(node.id, node)
        return isinstance(node, ast.Constant) and node.value == name

    def _at(self, key: ast.expr) -> Iterator[Reading]:
        """Yield what the code does with the name at one place."""
        if lookup := _lookup(self.parents[key], key):
            if isinstance(lookup.node, ast.Call) and isinstance(
                self.parents[lookup.node], ast.Expr
            ):
                return  # setdefault() to set it
            yield from self._around(lookup)
            return
        call = self.parents[key]
        keyword = call.arg if isinstance(call, ast.keyword) else None
        if keyword:
            call = self.parents[call]
        if not isinstance(call, ast.Call) or call.func is key:
            return
        function = _last_name(call.func)
        if function in _NO_READERS:
            return
        inner = list(self._through(call, key, keyword))
        yield from inner or [
            self._reading("reads" if "env" in function.lower() else "may read", call)
        ]

    def _through(self, call: ast.Call, key: ast.expr, keyword: str | None) -> Iterator[Reading]:
        """Yield what a helper of this file makes of the variable whose name it is given."""
        if not isinstance(call.func, ast.Name) or call.func.id not in self.functions:
            return
        helper = self.functions[call.func.id]
        bound = _bound(helper, call)
        parameter = keyword or next((name for name, node in bound.items() if node is key), None)
        for node in ast.walk(helper):
            if isinstance(node, ast.Name) and node.id == parameter:
                if lookup := _lookup(self.parents[node], node):
                    yield from self._around(lookup, bound, call)

    def _around(
        self,
        lookup: _Lookup,
        bound: Mapping[str, ast.expr] | None = None,
        place: ast.expr | None = None,
    ) -> Iterator[Reading]:
        """Yield what the code makes of a look-up: there, or where its variable is used."""
        names = {**self.constants, **(bound or {})}
        node = self._widest(lookup.node, lookup, names)
        target = _target(self.parents[node])
        uses = list(self._uses(target, node)) if target else []
        found, is_passed_on = False, False
        for use in uses:
            # What is known of the name is what its only assignment gives.
            inner = {**names, use.id: node}
            widest = self._widest(use, lookup, inner)
            if widest is use and not self._in_condition(use):
                is_passed_on = True
            else:
                found = True
                told = self._reading("reads", place or lookup.node, widest, lookup, inner)
                text = _short(f"{use.id} = {ast.unparse(node)}")
                if widest is not use:
                    text = _short(f"{ast.unparse(widest)}, where {text}")
                yield replace(told, expression=text)
        if is_passed_on or not found:
            yield self._reading("reads", place or lookup.node, node, lookup, names)

    def _uses(self, target: ast.Name, value: ast.expr) -> Iterator[ast.Name]:
        scope = self._scope(value)
        inside = [node for node in ast.walk(scope) if isinstance(node, ast.Name)]
        same = [node for node in inside if node.id == target.id]
        if sum(isinstance(node.ctx, ast.Store) for node in same) == 1:
            yield from (node for node in same if isinstance(node.ctx, ast.Load))

    def _widest(
        self,
        start: ast.expr,
        lookup: _Lookup,
        names: Mapping[str, ast.expr],
    ) -> ast.expr:
        node, known = start, {lookup.node: lookup.value("1")}
        while isinstance(parent := self._outer(node), ast.expr):
            try:
                evaluate(parent, known, names)
            except UnknownError:
                break
            except ValueError:
                pass
            node = parent
        return node

    def _outer(self, node: ast.AST) -> ast.AST:
        """Return what surrounds an expression; a method belongs to its call."""
        parent = self.parents[node]
        return self.parents[parent] if isinstance(parent, ast.Attribute) else parent

    def _reading(
        self,
        kind: Kind,
        place: ast.expr,
        node: ast.expr | None = None,
        lookup: _Lookup | None = None,
        names: Mapping[str, ast.expr] | None = None,
    ) -> Reading:
        return Reading(
            kind,
            place.lineno,
            self._when(place),
            _short(ast.unparse(node or place)),
            node,
            lookup,
            tuple((names or {}).items()),
            node is not None and self._in_condition(node),
        )

    def _in_condition(self, node: ast.AST) -> bool:
        """Return whether only the truth of a value counts where it stands."""
        parent = self.parents[node]
        while isinstance(parent, _PASSES):
            if isinstance(parent, ast.UnaryOp):
                return isinstance(parent.op, ast.Not)
            node, parent = parent, self.parents[parent]
        return getattr(parent, "test", None) is node or node in getattr(parent, "ifs", ())

    def _scope(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, (*_FUNCTIONS, ast.Module)):
            node = self.parents[node]
        return node

    def _when(self, node: ast.AST) -> When:
        while not isinstance(node, ast.Module):
            parent = self.parents[node]
            if isinstance(parent, _FUNCTIONS) and node in _body(parent):
                return "when called"
            node = parent
        return "at import"

    def _computes_names(self) -> bool:
        """Return whether some look-up here takes a name that is made at run time."""
        return any(
            isinstance(node, ast.Name)
            and node.id not in self.constants
            and _lookup(self.parents[node], node) is not None
            for node in self.nodes
        )


def _constants(nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """Return the names of a file that are only ever one literal."""
    stores: dict[str, list[ast.expr | None]] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores.setdefault(node.id, []).append(None)
        elif target := _target(node):
            stores.setdefault(target.id, []).append(node.value)  # type: ignore[attr-defined]
    return {
        name: value
        for name, (value, *more) in stores.items()
        if more == [None] and value is not None and _is_literal(value)
    }


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(isinstance(each, ast.Constant) for each in node.elts)
    return isinstance(node, ast.Constant)


def _target(statement: ast.AST) -> ast.Name | None:
    """Return the one name that a statement assigns to."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, (ast.AnnAssign, ast.NamedExpr)) and statement.value:
        target = statement.target
    else:
        return None
    return target if isinstance(target, ast.Name) else None


def _lookup(parent: ast.AST, key: ast.expr) -> _Lookup | None:
    """Return the look-up that a node is the key of."""
    if isinstance(parent, ast.Call) and parent.args and parent.args[0] is key:
        if _last_name(parent.func) == "getenv" or _is_method_of_environment(parent.func):
            given = [*parent.args[1:2], *(each.value for each in parent.keywords)]
            return _Lookup(parent, given[0] if given else ast.Constant(None))
    elif isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Load):
        if parent.slice is key and _is_environment(parent.value):
            return _Lookup(parent, None)
    elif isinstance(parent, ast.Compare) and parent.left is key:
        test = parent.ops[0]
        if isinstance(test, (ast.In, ast.NotIn)) and _is_environment(parent.comparators[0]):
            present = isinstance(test, ast.In)
            return _Lookup(parent, ast.Constant(not present), present=present)
    return None


def _is_method_of_environment(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr in {"get", "setdefault"}
        and _is_environment(function.value)
    )


def _is_environment(node: ast.expr) -> bool:
    return "env" in _last_name(node).lower()


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    return node.id if isinstance(node, ast.Name) else ""


def _bound(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    """Return what each parameter of a function is in a call, as far as that is plain."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    defaults = dict(zip(reversed(names), reversed(arguments.defaults), strict=False))
    keyword_only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    defaults.update({each.arg: value for each, value in keyword_only if value})
    given = dict(zip(names, call.args, strict=False))
    given.update({each.arg: each.value for each in call.keywords if each.arg})
    return {**defaults, **given}


def _body(function: ast.AST) -> list[ast.AST]:
    body = function.body  # type: ignore[attr-defined]
    return body if isinstance(body, list) else [body]


def _short(text: str, limit: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
