"""Which memory an expression may share: that of parameters, of attributes, or its own.

Nothing here is certain but one thing: what is not among the origins of an expression is surely not
its memory. Where the text does not show what a call gives, it gives whatever it can reach.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.models.control_flow.memory.origins import ANYTHING, ATTRIBUTES, PARAMETERS, Origin
from rocmlint.models.tensors.torch_names import PYTHON_ATTRIBUTES, SHAPE_ATTRIBUTES
from rocmlint.models.tensors.value_facts import Kind
from rocmlint.python.scopes import own_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.models.control_flow.flow import Binding
    from rocmlint.models.control_flow.memory.calls import Called
    from rocmlint.models.control_flow.memory.origins import Origins
    from rocmlint.models.control_flow.scope import Scope
    from rocmlint.models.control_flow.tree import Tree

_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_MAKES_CONTAINERS = frozenset({"list", "dict", "set", "defaultdict", "OrderedDict", "deque"})
_PLAIN = SHAPE_ATTRIBUTES | PYTHON_ATTRIBUTES


class Source(NamedTuple):
    """An expression whose memory another one may share."""

    value: ast.expr


class Earlier(NamedTuple):
    """What a name held before a statement."""

    name: str
    statement: ast.stmt


Part = Source | Earlier | Origin


class Memory:
    """The memory of the expressions of one function."""

    def __init__(self, tree: Tree, scope: Scope, called: Called) -> None:
        """Take the function, and what is known of the calls in its file."""
        self._tree = tree
        self.scope = scope
        self._called = called
        self._found: dict[ast.expr, Origins] = {}
        self._sources: dict[str, list[ast.expr]] = {}
        arguments = ast.walk(scope.node.args)
        self.parameters = {each.arg for each in arguments if isinstance(each, ast.arg)}
        for node in own_nodes(ast.iter_child_nodes(scope.node)):
            for name, value in _sources(node):
                self._sources.setdefault(name, []).append(value)

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the statement around an expression."""
        around: ast.AST | None = node
        while around is not None and not isinstance(around, ast.stmt):
            around = self._tree.parent(around)
        assert around is not None
        return around

    def of(self, node: ast.expr) -> Origins:
        """Return whose memory an expression may share."""
        found = self._found.get(node)
        if found is None:
            found = self._found[node] = self._reached([Source(node)])
        return found

    def of_binding(self, name: str, binding: Binding) -> Origins:
        """Return whose memory a name has, given what it is bound to."""
        return self._reached(self._of_binding(name, binding))

    def of_name(self, name: str, statement: ast.stmt) -> Origins:
        """Return whose memory a name may share before a statement."""
        return self._reached([Earlier(name, statement)])

    def _reached(self, parts: Iterable[Part]) -> Origins:
        """Return the origins that something leads to through names, operators and calls."""
        found: set[Origin] = set()
        seen: set[Source | Earlier] = set()
        waiting: list[Part] = list(parts)
        while waiting:
            each = waiting.pop()
            if not isinstance(each, (Source, Earlier)):
                found.add(each)
            elif isinstance(each, Source) and each.value in self._found:
                found |= self._found[each.value]
            elif each not in seen:
                seen.add(each)
                waiting += self._parts_of(each)
        return frozenset(found)

    def _parts_of(self, each: Source | Earlier) -> Iterator[Part]:
        if isinstance(each, Source):
            return self._parts(each.value)
        return self._of_name(each.name, each.statement)

    def _parts(self, node: ast.expr) -> Iterator[Part]:
        """Yield where the memory of an expression comes from, one step back."""
        match node:
            case ast.Name(id=name):
                yield from self._of_name(name, self.statement(node), node)
            case ast.Attribute(value=value, attr=name):
                yield from self._of_attribute(node, value, name)
            case ast.Subscript(value=value) | ast.Starred(value=value):
                yield Source(value)
            case ast.NamedExpr(value=value):
                yield Source(value)
            case ast.IfExp(body=body, orelse=orelse):
                yield from map(Source, (body, orelse))
            case ast.BoolOp(values=values):
                yield from map(Source, values)
            case ast.Tuple(elts=elts):
                yield from map(Source, elts)
            case ast.List() | ast.Set() | ast.Dict():
                yield from self._filled(node)
                yield from map(Source, node.values if isinstance(node, ast.Dict) else node.elts)
            case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
                yield from self._filled(node)
                yield Source(elt)
            case ast.DictComp(value=value):
                yield from self._filled(node)
                yield Source(value)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                yield Source(operand)
            case ast.BinOp():
                yield node
                if self._may_be_joined(node):
                    yield from map(Source, (node.left, node.right))
            case ast.UnaryOp() | ast.Compare():
                yield node
            case ast.Call():
                if isinstance(node.func, ast.Name) and node.func.id in _MAKES_CONTAINERS:
                    yield from self._filled(node)
                result = self._called.result(self.scope, node)
                yield from result.origins
                yield from map(Source, result.of)
            case ast.Await() | ast.Yield() | ast.YieldFrom():
                yield ANYTHING

    def _filled(self, node: ast.expr) -> Iterator[Part]:
        """Yield anything for a list or dictionary that is kept, since it may be filled later."""
        around = self._tree.parent(node)
        if not isinstance(
            around, (ast.Call, ast.Return, ast.Subscript, ast.For, ast.comprehension)
        ):
            yield ANYTHING

    def _may_be_joined(self, node: ast.BinOp) -> bool:
        """Check whether an operator may put lists together, which keep their elements."""
        if not isinstance(node.op, (ast.Add, ast.Mult, ast.BitOr)):
            return False
        sides = (node.left, node.right)
        if any(isinstance(each, _DISPLAYS) for each in sides):
            return True
        kinds = [self._tree.inference.kind_of(each) for each in sides]
        if Kind.TENSOR in kinds:
            return False
        if isinstance(node.op, ast.Add) and any(isinstance(each, ast.Constant) for each in sides):
            return False
        return not all(each in {Kind.SHAPE, Kind.VALUE} for each in kinds)

    def _of_attribute(self, node: ast.Attribute, value: ast.expr, name: str) -> Iterator[Part]:
        dotted = self._called.dotted(self.scope, node)
        if dotted:
            if not dotted.startswith(("torch.", "math.")):
                yield ATTRIBUTES
            return
        is_self = isinstance(value, ast.Name) and value.id == self.scope.own_name
        if is_self:
            yield ATTRIBUTES
        elif name not in _PLAIN:
            yield Source(value)

    def _of_name(
        self, name: str, statement: ast.stmt, node: ast.AST | None = None
    ) -> Iterator[Part]:
        inside = node is not None and self._is_inside_lambda(node)
        values = {} if inside else self.scope.reaching(statement)
        if name == self.scope.own_name:
            yield ATTRIBUTES
        elif name in values:
            for binding in values[name]:
                yield from self._of_binding(name, binding)
        elif name in self.scope.bound_around or (inside and name not in self._called.defined):
            yield ANYTHING
        elif name not in self._called.defined and name not in self._sources:
            yield ATTRIBUTES
        yield from map(Source, self._sources.get(name, ()))

    def _is_inside_lambda(self, node: ast.AST) -> bool:
        around = self._tree.parent(node)
        while around is not None and not isinstance(around, ast.stmt):
            if isinstance(around, ast.Lambda):
                return True
            around = self._tree.parent(around)
        return False

    def _of_binding(self, name: str, binding: Binding) -> Iterator[Part]:
        value = binding.value
        if value is not None and binding.in_place:
            statement = self.statement(value)
            yield statement
            yield Earlier(name, statement)
            if self._may_be_list(statement, value):
                yield Source(value)
        elif value is not None:
            yield Source(value)
        elif binding.unbound:
            return
        elif name in self.parameters:
            yield PARAMETERS
        elif name not in self._sources:
            yield ANYTHING
        else:
            yield from map(Source, self._sources[name])

    def _may_be_list(self, statement: ast.stmt, value: ast.expr) -> bool:
        """Check whether ``x += value`` may put elements into a list."""
        target = getattr(statement, "target", None)
        kind = self._tree.inference.kind_of(target) if target is not None else Kind.UNKNOWN
        return kind is not Kind.TENSOR and not isinstance(value, ast.Constant)


def _sources(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a node gives a value in another way than ``name = value``."""
    match node:
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield from _named(target, value)
        case ast.comprehension(target=target, iter=value):
            yield from _named(target, value)
        case ast.Assign(targets=targets, value=value):
            for each in targets:
                if not isinstance(each, ast.Name):
                    yield from _named(each, value)
        case ast.NamedExpr(target=target, value=value):
            yield from _named(target, value)
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield from _named(target, value)
        case ast.Match(subject=subject, cases=cases):
            for part in (inner for case in cases for inner in ast.walk(case.pattern)):
                bound = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(bound, str):
                    yield bound, subject


def _named(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    for each in ast.walk(target):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id, value
