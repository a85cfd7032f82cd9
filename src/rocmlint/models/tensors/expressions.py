"""What expressions hold, given what the names in them do."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.tensors.called import Calls, is_shadowed
from rocmlint.models.tensors.conditions import below
from rocmlint.models.tensors.objects import SELF, Objects
from rocmlint.models.tensors.refine import key_of, refinements
from rocmlint.models.tensors.value_facts import (
    PYTHON,
    RAGGED,
    TENSOR,
    UNKNOWN,
    VALUE,
    Held,
    Kind,
    at,
    container,
    element,
    fixed,
    is_container,
    iterated,
    join,
    joined,
    mapping,
    membership,
    uniform,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.models.tensors.definitions import Definitions
    from rocmlint.models.tensors.reach import Reaches

    Env = dict[str, Held]

_ARITHMETIC = (Kind.TENSOR, Kind.VALUE, Kind.UNKNOWN, Kind.SHAPE)
"""The kinds of operands, the one that decides the result first."""


class Expressions:
    """Works out what expressions hold, and remembers it by node."""

    def __init__(self, definitions: Definitions, objects: Objects, reaches: Reaches) -> None:
        """Start without having looked at anything."""
        self.definitions = definitions
        self._objects = objects
        self._reaches = reaches
        self._calls = Calls(definitions, objects, self.of)
        self.held: dict[ast.expr, Held] = {}
        self.globals: Env = {}
        self._of_type: dict[type[ast.expr], Callable[..., Held]] = {
            ast.Name: self._of_name,
            ast.Attribute: self._of_attribute,
            ast.Call: self._calls.of,
            ast.BinOp: self._of_operation,
            ast.Compare: self._of_comparison,
            ast.BoolOp: self._of_bool_operation,
            ast.UnaryOp: self._of_unary_operation,
            ast.Subscript: self._of_subscript,
            ast.IfExp: self._of_choice,
            ast.Tuple: self._of_sequence,
            ast.List: self._of_sequence,
            ast.Set: self._of_sequence,
            ast.Dict: self._of_dict,
            ast.Starred: self._of_starred,
            ast.NamedExpr: self._of_named,
            ast.ListComp: self._of_comprehension,
            ast.SetComp: self._of_comprehension,
            ast.GeneratorExp: self._of_comprehension,
            ast.DictComp: self._of_comprehension,
            ast.Lambda: self._of_lambda,
        }

    def of(self, node: ast.expr, env: Env) -> Held:
        """Return what an expression holds, and remember it."""
        how = self._of_type.get(type(node))
        found = how(node, env) if how is not None else self._of_parts(node, env)
        self.held[node] = found
        return found

    def bind(self, target: ast.expr, held: Held, env: Env) -> None:
        """Let a target of an assignment hold something."""
        match target:
            case ast.Name(id=name):
                env[name] = held
                self.held[target] = held
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._bind_all(targets, held, env)
            case ast.Starred(value=value):
                self.bind(value, container(element(held)), env)
            case ast.Attribute(value=value):
                if self.of(value, env) is SELF and self._objects.owner is not None:
                    self._objects.owner.keep(target.attr, self._settled(held))
                if key_of(target):
                    env[key_of(target)] = held
            case ast.Subscript(value=value, slice=index):
                self.of(index, env)
                into = self.of(value, env)
                if is_container(into) and key_of(value):
                    whole = join(element(into), held) if into.items != () else held
                    env[key_of(value)] = container(whole)._replace(of=into.of)

    def _settled(self, held: Held) -> Held:
        """Return what is kept of a value: what was read before `forward` runs is a constant."""
        is_read = held.kind in {Kind.VALUE, Kind.VALUES}
        if not is_read or self._reaches.of(self._objects.function) != "unreached":
            return held
        return container(PYTHON) if is_container(held) else PYTHON

    def _bind_all(self, targets: list[ast.expr], held: Held, env: Env) -> None:
        stars = [each for each in targets if isinstance(each, ast.Starred)]
        for index, target in enumerate(targets):
            self.bind(target, element(held) if stars else at(held, index), env)

    def bind_loop(self, target: ast.expr, over: Held, env: Env) -> None:
        """Let the target of a loop hold what an iteration gives."""
        self.bind(target, iterated(over), env)

    def narrowed(self, test: ast.expr, env: Env, *, truth: bool) -> Env:
        """Return what names hold where a condition came out as ``truth``."""
        return {**env, **dict(refinements(test, env, truth=truth))}

    # Names

    def _of_name(self, node: ast.Name, env: Env) -> Held:
        name = node.id
        if name in env:
            return env[name]
        if name in self.globals:
            return self.globals[name]
        if name in self.definitions.by_name:
            return Held(Kind.PYTHON, of=f"def {name}")
        if name in self.definitions.classes:
            return Held(Kind.PYTHON, of=f"type {name}")
        return UNKNOWN

    def _of_attribute(self, node: ast.Attribute, env: Env) -> Held:
        key = key_of(node)
        if key in env:
            return env[key]
        dotted = self.definitions.dotted(node)
        if dotted and not is_shadowed(node, env):
            return PYTHON if dotted.startswith(("torch.", "math.", "numpy.")) else UNKNOWN
        return self._objects.attribute(self.of(node.value, env), node.attr)

    # Operators

    def _of_operation(self, node: ast.BinOp, env: Env) -> Held:
        left, right = self.of(node.left, env), self.of(node.right, env)
        if isinstance(node.op, ast.Add) and is_container(left) and is_container(right):
            return self._concatenated(left, right)
        if isinstance(node.op, ast.Mult) and is_container(left) != is_container(right):
            listed = left if is_container(left) else right
            is_tensor = Kind.TENSOR in {left.kind, right.kind}
            return TENSOR if is_tensor else container(element(listed))
        if isinstance(node.op, ast.Mod) and isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            if left.kind is Kind.PYTHON and not isinstance(
                getattr(node.left, "value", ""), (int, float)
            ):
                return PYTHON
        found = _of_operands((left, right))
        return found if isinstance(node.op, (ast.Add, ast.Mult)) else found._replace(sure=True)

    def _concatenated(self, left: Held, right: Held) -> Held:
        if left.items is not None and right.items is not None:
            return fixed((*left.items, *right.items))
        known = [each for each in (left, right) if each.items != ()]
        return container(joined(map(element, known)))

    def _of_comparison(self, node: ast.Compare, env: Env) -> Held:
        operands = [self.of(each, env) for each in (node.left, *node.comparators)]
        op = node.ops[0]
        if isinstance(op, (ast.Is, ast.IsNot)):
            return PYTHON
        if isinstance(op, (ast.In, ast.NotIn)):
            return membership(operands[0], operands[1])
        if any(_is_text(each) for each in (node.left, *node.comparators)):
            return PYTHON
        return _of_operands(operands)._replace(sure=True)

    def _of_bool_operation(self, node: ast.BoolOp, env: Env) -> Held:
        """Return what `and` and `or` hold: an operand is asked where those before it allow it."""
        held, inner, gate = None, dict(env), None
        is_and = isinstance(node.op, ast.And)
        for each in node.values:
            found = self.of(each, inner)
            if found.depends and gate is not None:
                found = found._replace(gate=gate)
            held = found if held is None else join(held, found)
            inner.update(refinements(each, inner, truth=is_and))
            sides = below(each)
            gate = gate or (sides.then if is_and else sides.otherwise)
        env.update({name: inner[name] for name in inner.keys() - env.keys()})
        return held or UNKNOWN

    def _of_unary_operation(self, node: ast.UnaryOp, env: Env) -> Held:
        held = self.of(node.operand, env)
        if not isinstance(node.op, ast.Not):
            return held
        return VALUE._replace(gate=held.gate, sure=held.sure) if held.depends else PYTHON

    def _of_choice(self, node: ast.IfExp, env: Env) -> Held:
        self.of(node.test, env)
        first = self.of(node.body, self.narrowed(node.test, env, truth=True))
        second = self.of(node.orelse, self.narrowed(node.test, env, truth=False))
        return gated_join(first, second, node.test)

    def _of_subscript(self, node: ast.Subscript, env: Env) -> Held:
        key = key_of(node)
        held, index = self.of(node.value, env), self.of(node.slice, env)
        if key in env:
            return env[key]
        if isinstance(node.slice, ast.Slice):
            return self._sliced(held, node.slice)
        if held.kind is Kind.TENSOR:
            masks = isinstance(node.slice, ast.Compare) and index.kind is Kind.TENSOR
            return (
                RAGGED._replace(sure=held.sure)
                if masks
                else held._replace(ragged=False, counted=held.counted and index.kind is Kind.PYTHON)
            )
        number = _whole_number(node.slice)
        return element(held) if number is None else at(held, number)

    def _sliced(self, held: Held, sliced: ast.Slice) -> Held:
        if held.items is None:
            return held
        start, stop = _whole_number(sliced.lower), _whole_number(sliced.upper)
        told = (start is None) == (sliced.lower is None) and (stop is None) == (
            sliced.upper is None
        )
        if told and sliced.step is None:
            return fixed(held.items[start:stop])
        return container(element(held))

    # Containers and the rest

    def _of_sequence(self, node: ast.Tuple | ast.List | ast.Set, env: Env) -> Held:
        found = [self.of(each, env) for each in node.elts]
        if any(isinstance(each, ast.Starred) for each in node.elts):
            return container(uniform(found))
        return fixed(found)

    def _of_dict(self, node: ast.Dict, env: Env) -> Held:
        for key in node.keys:
            if key is not None:
                self.of(key, env)
        found = [self.of(each, env) for each in node.values]
        if not node.keys or None in node.keys:
            return mapping(UNKNOWN)
        told = [each for each in found if each.kind is not Kind.PYTHON or each.of] or found
        return mapping(uniform(told if len(told) == len(found) or _nullable(node) else found))

    def _of_starred(self, node: ast.Starred, env: Env) -> Held:
        return element(self.of(node.value, env))

    def _of_named(self, node: ast.NamedExpr, env: Env) -> Held:
        held = self.of(node.value, env)
        self.bind(node.target, held, env)
        return held

    def _of_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, env: Env
    ) -> Held:
        inner = dict(env)
        for each in node.generators:
            self.bind_loop(each.target, self.of(each.iter, inner), inner)
            for test in each.ifs:
                self.of(test, inner)
                inner = self.narrowed(test, inner, truth=True)
        if isinstance(node, ast.DictComp):
            self.of(node.key, inner)
            return mapping(self.of(node.value, inner))
        return container(self.of(node.elt, inner))

    def _of_lambda(self, node: ast.Lambda, env: Env) -> Held:
        names = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        self.of(node.body, {**env, **{each.arg: UNKNOWN for each in names}})
        return PYTHON

    def _of_parts(self, node: ast.expr, env: Env) -> Held:
        """Look at the parts of an expression that is no tensor itself."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.of(child, env)
        return PYTHON if isinstance(node, (ast.Constant, ast.JoinedStr)) else UNKNOWN


def gated_join(first: Held, second: Held, test: ast.expr) -> Held:
    """Join the two sides of a condition: what only one side makes depend has that one's gate."""
    sides = below(test)
    if first.depends and not second.depends and sides.then is not None:
        first = first._replace(gate=sides.then)
    if second.depends and not first.depends and sides.otherwise is not None:
        second = second._replace(gate=sides.otherwise)
    return join(first, second)


def _of_operands(operands: Iterable[Held]) -> Held:
    found = tuple(operands)
    for kind in _ARITHMETIC:
        alike = [each for each in found if each.kind is kind]
        if alike:
            gates = {each.gate for each in alike}
            gate = gates.pop() if len(gates) == 1 else None
            counted = all(each.counted for each in alike)
            sure = any(each.sure for each in alike)
            return Held(kind, sure=sure, counted=counted, gate=gate)
    return PYTHON


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and (isinstance(node.value, str) or node.value is None)
    )


def _nullable(node: ast.Dict) -> bool:
    """Check whether a dictionary holds None beside what it holds."""
    return any(
        isinstance(part, ast.Constant) and part.value is None
        for value in node.values
        for part in (value, getattr(value, "orelse", value))
    )


def _whole_number(node: ast.expr | None) -> int | None:
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return None
