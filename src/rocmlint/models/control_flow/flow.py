"""What may happen to the names of a function: which values reach a statement, which are read later.

Two walks over a function, both cautious: where it is not clear what runs, a value may reach, and a
name may be read.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.python.scopes import FUNCTIONS, SCOPES, own_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_TRIES: tuple[type[ast.Try], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))


@dataclass(frozen=True)
class Binding:
    """One value that a name may hold."""

    value: ast.expr | None = None
    """The expression that was assigned; None where no expression of its own says it."""
    unbound: bool = False
    """The name has no value."""
    may_be_none: bool = False
    """A parameter, or what a branch gave, that may be None."""
    annotation: ast.expr | None = None
    """Of a parameter."""
    opaque: bool = False
    """What a loop, an import or another statement gives and not an assignment."""
    in_place: bool = False
    """``x += 1``: what it was before, changed."""
    target: ast.expr | None = None
    """What was changed in place."""


UNBOUND = Binding(unbound=True)
UNKNOWN = Binding()
OPAQUE = Binding(opaque=True)
Values = dict[str, frozenset[Binding]]


def names_read(node: ast.AST | None) -> Iterator[str]:
    """Yield the names that a node reads, wherever in it."""
    if node is not None:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Store):
                yield each.id
            elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
                yield each.target.id


def names_bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a target or statement binds, but not those of inner functions."""
    for each in own_nodes([node], comprehensions=False):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            yield each.id
        elif isinstance(each, (*FUNCTIONS, ast.ClassDef)):
            yield each.name
        elif isinstance(each, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in each.names)
        elif (isinstance(each, ast.ExceptHandler) and each.name) or (
            isinstance(each, (ast.MatchAs, ast.MatchStar)) and each.name
        ):
            yield each.name
        elif isinstance(each, ast.MatchMapping) and each.rest:
            yield each.rest


def joined(one: Values | None, other: Values | None) -> Values | None:
    """Return the values after two paths; None is a path that does not get there."""
    if one is None or other is None:
        return other if one is None else one
    unbound = frozenset({UNBOUND})
    return {name: one.get(name, unbound) | other.get(name, unbound) for name in {**one, **other}}


def assigned(target: ast.expr, value: ast.expr | None, values: Values) -> Values:
    """Return the values after an assignment."""
    if isinstance(target, ast.Name):
        return {**values, target.id: frozenset({Binding(value)})}
    if isinstance(target, (ast.Tuple, ast.List)):
        parts: Sequence[ast.expr | None] = [None] * len(target.elts)
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            if not any(isinstance(each, ast.Starred) for each in (*value.elts, *target.elts)):
                parts = value.elts
        for each, part in zip(target.elts, parts, strict=True):
            values = assigned(each, part, values)
    elif isinstance(target, ast.Starred):
        values = _opaque(values, names_bound(target))
    return values


class Reaching:
    """The values that reach each statement of a function."""

    def __init__(self, body: Sequence[ast.stmt], values: Values) -> None:
        """Walk statements that begin with some values."""
        self.before: dict[ast.stmt, Values] = {}
        self._leaving: list[list[Values | None]] = []
        self.after = self.after_block(body, values)

    def after_block(self, body: Sequence[ast.stmt], values: Values | None) -> Values | None:
        """Return the values after some statements; None if their end is not reached."""
        for each in body:
            if values is None:
                return None
            known = self.before.get(each)
            self.before[each] = values if known is None else joined(known, values) or {}
            values = self._after(each, values)
        return values

    def _after(self, node: ast.stmt, values: Values) -> Values | None:
        if isinstance(node, (ast.Return, ast.Raise)):
            return None
        if isinstance(node, (ast.Break, ast.Continue)):
            if self._leaving:
                self._leaving[-1].append(values)
            return None
        if isinstance(node, ast.If):
            then = self.after_block(node.body, refined(values, node.test, holds=True))
            return joined(then, self.after_block(node.orelse, refined(values, node.test, False)))
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            return self._after_loop(node, values)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    values = _opaque(values, names_bound(item.optional_vars))
            # A context manager may swallow what is raised anywhere in it.
            return joined(self._anywhere_in(node.body, values), self.after_block(node.body, values))
        if isinstance(node, _TRIES):
            return self._after_try(node, values)
        if isinstance(node, ast.Match):
            after: Values | None = values
            for case in node.cases:
                bound = _opaque(values, names_bound(case.pattern))
                after = joined(after, self.after_block(case.body, bound))
            return after
        return _after_simple(node, values)

    def _after_loop(self, node: ast.For | ast.AsyncFor | ast.While, values: Values) -> Values:
        before: Values = values
        while True:
            self._leaving.append([])
            inner = before
            if not isinstance(node, ast.While):
                inner = _opaque(before, names_bound(node.target))
            after = self.after_block(node.body, inner)
            left: Values | None = None
            for each in self._leaving.pop():
                left = joined(left, each)
            again = joined(joined(before, after), left) or before
            if again == before:
                break
            before = again
        done = self.after_block(node.orelse, before)
        return joined(done, left) or before

    def _after_try(self, node: ast.Try, values: Values) -> Values | None:
        anywhere = self._anywhere_in(node.body, values)
        after = self.after_block(node.body, values)
        after = self.after_block(node.orelse, after)
        for handler in node.handlers:
            bound = _opaque(anywhere, [handler.name] if handler.name else [])
            after = joined(after, self.after_block(handler.body, bound))
        if node.finalbody:
            everything = joined(anywhere, after)
            self.after_block(node.finalbody, everything)
            after = None if after is None else self.after_block(node.finalbody, after)
        return after

    def _anywhere_in(self, body: Sequence[ast.stmt], values: Values) -> Values:
        """Return the values at some place of a block, whichever it is."""
        names = [name for each in body for name in names_bound(each)]
        return {
            **values,
            **{name: values.get(name, frozenset({UNBOUND})) | {UNKNOWN} for name in names},
        }


def _after_simple(node: ast.stmt, values: Values) -> Values:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            values = assigned(target, node.value, values)
        return values
    if isinstance(node, ast.AnnAssign):
        return values if node.value is None else assigned(node.target, node.value, values)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        changed = Binding(node.value, in_place=True, target=node.target)
        return {**values, node.target.id: frozenset({changed})}
    if isinstance(node, ast.Delete):
        gone = [each.id for each in node.targets if isinstance(each, ast.Name)]
        return {**values, **dict.fromkeys(gone, frozenset({UNBOUND}))}
    if isinstance(node, ast.Assert):
        values = refined(values, node.test, holds=True)
    return _opaque(values, names_bound(node))


def _opaque(values: Values, names: Iterable[str]) -> Values:
    return {**values, **{name: frozenset({OPAQUE}) for name in names}}


def parameters(arguments: ast.arguments) -> Values:
    """Return what the parameters of a function may hold."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    pairs = [*zip(positional, defaults, strict=True)]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    values: Values = {}
    for each, default in pairs:
        is_none = isinstance(default, ast.Constant) and default.value is None
        is_none = is_none or _says_none(each.annotation)
        values[each.arg] = frozenset({Binding(may_be_none=is_none, annotation=each.annotation)})
    return _opaque(values, (each.arg for each in (arguments.vararg, arguments.kwarg) if each))


def _says_none(annotation: ast.expr | None) -> bool:
    if annotation is None:
        return False
    written = ast.unparse(annotation)
    return "Optional[" in written or "None" in written


def refined(values: Values, test: ast.expr, holds: bool) -> Values:
    """Return the values where a test holds (or does not), as far as they may be None."""
    for name in _not_none(test, holds):
        if name in values:
            left = frozenset(_without_none(values[name]))
            values = {**values, name: left}
    return values


def _without_none(bindings: Iterable[Binding]) -> Iterator[Binding]:
    for each in bindings:
        if isinstance(each.value, ast.Constant) and each.value.value is None:
            continue
        if each.may_be_none:
            yield Binding(each.value, each.unbound, annotation=each.annotation)
        else:
            yield each


def _not_none(test: ast.expr, holds: bool) -> Iterator[str]:
    """Yield the names that cannot be None where a test holds (or does not)."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _not_none(test.operand, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == holds:
        for each in test.values:
            yield from _not_none(each, holds)
    elif isinstance(test, ast.Name) and holds:
        yield test.id
    elif isinstance(test, ast.Call) and holds and len(test.args) == 2:
        if getattr(test.func, "id", "") == "isinstance" and isinstance(test.args[0], ast.Name):
            yield test.args[0].id
    elif isinstance(test, ast.Compare) and isinstance(test.left, ast.Name):
        (operator, *more), (right, *_) = test.ops, test.comparators
        is_none = isinstance(right, ast.Constant) and right.value is None
        if is_none and not more and isinstance(operator, ast.IsNot if holds else ast.Is):
            yield test.left.id


class Liveness:
    """The names that may be read after each statement, found from the end on."""

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        """Walk the statements of a function, or of a block of one."""
        self.after: dict[ast.stmt, frozenset[str]] = {}
        self._loops: list[tuple[frozenset[str], frozenset[str]]] = []
        self._finally: frozenset[str] = frozenset()
        self._always = frozenset(
            name
            for each in own_nodes(body, comprehensions=False)
            if isinstance(each, (*SCOPES, ast.GeneratorExp))
            for name in names_read(each)
        )
        self.before = self._always | self._before_block(body, frozenset())

    def _before_block(self, body: Sequence[ast.stmt], live: frozenset[str]) -> frozenset[str]:
        for each in reversed(body):
            known = self.after.get(each, frozenset())
            self.after[each] = known | live | self._always | self._finally
            live = self._before(each, live)
        return live

    def _before(self, node: ast.stmt, live: frozenset[str]) -> frozenset[str]:
        if isinstance(node, (ast.Return, ast.Raise)):
            return frozenset(names_read(node)) | self._finally
        if isinstance(node, ast.Break) and self._loops:
            return self._loops[-1][0]
        if isinstance(node, ast.Continue) and self._loops:
            return self._loops[-1][1]
        if isinstance(node, ast.If):
            read = frozenset(names_read(node.test))
            then = self._before_block(node.body, live)
            return read | then | self._before_block(node.orelse, live)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            return self._before_loop(node, live)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            read = frozenset(name for item in node.items for name in names_read(item))
            return read | self._before_block(node.body, live) | live
        if isinstance(node, _TRIES):
            return self._before_try(node, live)
        if isinstance(node, ast.Match):
            read = frozenset(names_read(node.subject)) | live
            for case in node.cases:
                read |= self._before_block(case.body, live) | frozenset(names_read(case.guard))
            return read
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            bound = {each.id for target in targets for each in _whole_names(target)}
            live = live - bound if getattr(node, "value", None) is not None else live
        return live | frozenset(names_read(node))

    def _before_loop(
        self, node: ast.For | ast.AsyncFor | ast.While, live: frozenset[str]
    ) -> frozenset[str]:
        after = self._before_block(node.orelse, live)
        head = node.test if isinstance(node, ast.While) else node.iter
        again = after | frozenset(names_read(head))
        if not isinstance(node, ast.While):
            again |= frozenset(names_read(node.target))
        while True:
            self._loops.append((live, again))
            more = again | self._before_block(node.body, again)
            self._loops.pop()
            if more == again:
                return again
            again = more

    def _before_try(self, node: ast.Try, live: frozenset[str]) -> frozenset[str]:
        last = self._before_block(node.finalbody, live)
        outer, self._finally = self._finally, self._finally | last
        caught: frozenset[str] = last
        for handler in node.handlers:
            caught |= self._before_block(handler.body, last) | frozenset(names_read(handler.type))
        # Anything in the body may raise, so that the handlers' names are read after each part.
        self._finally |= caught
        before = self._before_block(node.body, self._before_block(node.orelse, last)) | caught
        self._finally = outer
        return before


def _whole_names(target: ast.expr) -> Iterator[ast.Name]:
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            yield from _whole_names(each)
    elif isinstance(target, ast.Starred):
        yield from _whole_names(target.value)


def exposed(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that a block may read before it binds them."""
    return Liveness(body).before


def surely_bound(body: Sequence[ast.stmt], names: Mapping[str, object]) -> frozenset[str]:
    """Return which of some names every path to the end of a block binds."""
    after = Reaching(body, dict.fromkeys(names, frozenset({UNBOUND}))).after
    if after is None:
        return frozenset(names)
    return frozenset(name for name in names if not any(each.unbound for each in after[name]))
