"""``if`` statements on tensors: each branch becomes a function, and ``cond`` chooses one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.models.control_flow.blocks import block_lines, is_chain
from rocmlint.models.control_flow.branches import (
    check_branch,
    check_captured,
    check_expression,
    check_scope,
)
from rocmlint.models.control_flow.checks import is_raise, raise_lines
from rocmlint.models.control_flow.flow import (
    UNBOUND,
    Reaching,
    exposed,
    joined,
    names_bound,
    refined,
    surely_bound,
)
from rocmlint.models.control_flow.layout import Line, as_tuple, at, call
from rocmlint.models.control_flow.outputs import (
    bound_values,
    check_alike,
    check_returns,
    check_values,
)
from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.control_flow.shapes import check_sizes
from rocmlint.models.tensors.value_facts import Kind
from rocmlint.python.scopes import own_nodes
from rocmlint.text.python_ast import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.models.control_flow.file import File
    from rocmlint.models.control_flow.flow import Values
    from rocmlint.models.control_flow.predicates import Guard
    from rocmlint.models.control_flow.scope import Scope


class Branch(NamedTuple):
    """A block that becomes a function; without statements it gives what it gets."""

    body: Sequence[ast.stmt]
    values: Values
    """What reaches its beginning."""


class Interface(NamedTuple):
    """What all the functions of a statement take and give."""

    operands: tuple[str, ...]
    outputs: tuple[str, ...]
    returns: bool
    """They give what the function returns, rather than the values of names."""


def rewritten_if(file: File, scope: Scope, node: ast.If) -> list[Line]:
    """Return the lines for an ``if`` with all its ``elif``. Raises RefusedError."""
    branches = list(_branches(file, node, scope.before(node), inside=False))
    interface = _interface(file, scope, node, branches)
    writer = _Writer(file, scope, node, interface)
    dispatch = writer.dispatch(node, file.layout.indent(node.lineno), inside=False)
    lines = [*writer.functions, *dispatch]
    _check_form(lines)
    return lines


def _check_form(lines: Sequence[Line]) -> None:
    """Check that what was written are functions that return, and one statement that chooses.

    A block with unusual blanks must not end outside of its function. Raises RefusedError.
    """
    tree = syntax_tree("\n".join(["if True:", *(each.text for each in lines)]))
    around = tree.body if tree is not None else []
    block = around[0].body if len(around) == 1 and isinstance(around[0], ast.If) else []
    functions = [each for each in block if isinstance(each, ast.FunctionDef)]
    if len(block) <= len(functions) or not all(_always_returns(e.body) for e in functions):
        raise RefusedError(Refusal.UNSUPPORTED_STATEMENT, "its blanks are unusual")


def _branches(file: File, node: ast.If, values: Values, *, inside: bool) -> Iterator[Branch]:
    """Yield the blocks that become functions."""
    then, other = refined(values, node.test, holds=True), refined(values, node.test, holds=False)
    depends = file.predicates.depends(node.test)
    raises = depends and is_raise(node)
    if depends and not raises and not inside and not node.orelse:
        # Both paths lie behind the guards.
        guards = file.predicates.split(node.test).guards
        other = values
        for each in guards:
            other = refined(other, each.node, holds=(each.operator == "and") != each.negated)
    if (depends or inside) and not raises:
        yield Branch(node.body, then)
    if is_chain(node):
        yield from _branches(file, _next(node), other, inside=inside or (depends and not raises))
    elif raises and node.orelse and not inside:
        raise RefusedError(Refusal.RAISE_IN_BRANCH)
    elif inside or (depends and not raises):
        yield Branch(node.orelse, other)


def _next(node: ast.If) -> ast.If:
    (found,) = node.orelse
    assert isinstance(found, ast.If)
    return found


def _interface(file: File, scope: Scope, node: ast.If, branches: Sequence[Branch]) -> Interface:
    """Find and check what the functions take and give. Raises RefusedError."""
    returns = bool(_returned(branches))
    for branch in branches:
        check_branch(branch.body, file.inference, may_return=returns, settled=file.is_settled)
        file.check_nested(branch.body)
        check_sizes(file, branch.body)
        if returns and not _always_returns(branch.body):
            raise RefusedError(Refusal.EARLY_RETURN)
    _check_inner_tests(file, scope, node, branches)
    bound = [[n for each in branch.body for n in names_bound(each)] for branch in branches]
    assigned = list(dict.fromkeys(name for names in bound for name in names))
    check_scope(scope.node, assigned)
    live = scope.live_after(node)
    outputs = () if returns else tuple(each for each in assigned if each in live)
    if branches and not returns and not outputs:
        raise RefusedError(Refusal.NO_OUTPUT)
    needed = {
        name
        for branch, names in zip(branches, bound, strict=True)
        for name in {*names} & exposed(branch.body)
        | {*outputs} - surely_bound(branch.body, dict.fromkeys(outputs))
    }
    before = scope.before(node)
    for name in sorted(needed):
        if any(each.unbound for each in before.get(name, {UNBOUND})):
            raise RefusedError(Refusal.NAME_UNBOUND, name)
    operands = tuple(each for each in before if each in needed)
    interface = Interface(operands, outputs, returns)
    _check_paths(file, interface, branches)
    _check_aliases(file, scope, node, interface, branches)
    if file.plain_torch:
        _check_plain(file, interface, before)
    return interface


def _returned(branches: Sequence[Branch]) -> list[ast.expr | None]:
    """Return what the branches return; None for a ``return`` alone."""
    nodes = (each for branch in branches for each in own_nodes(branch.body, comprehensions=False))
    return [each.value for each in nodes if isinstance(each, ast.Return)]


def _check_inner_tests(file: File, scope: Scope, node: ast.If, branches: Sequence[Branch]) -> None:
    """Check the tests that move into functions, and that no call there writes. Raises RefusedError.

    Python makes the tests up to the first that depends on a tensor, the others are in a branch.
    """
    tests: list[ast.expr] = []
    inside = False
    while True:
        if inside:
            tests.append(node.test)
        inside = inside or (file.predicates.depends(node.test) and not is_raise(node))
        if not is_chain(node):
            break
        node = _next(node)
    for each in (part for test in tests for part in ast.walk(test)):
        check_expression(each)
        check_captured(each, file.inference)
        if isinstance(each, ast.expr) and _reads_content(file, each):
            raise RefusedError(Refusal.CAPTURES_NUMBER, ast.unparse(each))
    bodies: list[ast.AST] = [each for branch in branches for each in branch.body]
    file.aliases.check_no_writes(scope, [*tests, *bodies])


def _reads_content(file: File, node: ast.expr) -> bool:
    """Check whether a test of another branch makes a Python value of a tensor."""
    return isinstance(node, ast.Call) and file.inference.kind_of(node) is Kind.VALUE


def _check_paths(file: File, interface: Interface, branches: Sequence[Branch]) -> None:
    """Check that each path gives tensors, and the same. Raises RefusedError."""
    if interface.returns:
        check_returns(file, _returned(branches))
    ends = [Reaching(branch.body, branch.values).after for branch in branches]
    for name in interface.outputs:
        paths = [end[name] for end in ends if end is not None and name in end]
        for path in paths:
            check_values(name, path, file.inference)
        check_alike(file, name, bound_values(each for path in paths for each in path))


def _check_aliases(
    file: File, scope: Scope, node: ast.If, interface: Interface, branches: Sequence[Branch]
) -> None:
    """Check that nothing changes later what a result shares. Raises RefusedError."""
    if interface.returns:
        given = [each for each in _returned(branches) if each is not None]
        file.aliases.check_values(scope, node, given)
        return
    after: Values | None = None
    for branch in branches:
        after = joined(after, Reaching(branch.body, branch.values).after)
    file.aliases.check_names(scope, node, after or {}, interface.outputs)


def _check_plain(file: File, interface: Interface, before: Values) -> None:
    """Check that ``torch.cond`` takes the operands. Raises RefusedError."""
    for name in interface.operands:
        for each in before[name]:
            if each.value is None or file.inference.kind_of(each.value) is not Kind.TENSOR:
                raise RefusedError(Refusal.NOT_A_TENSOR, name)


def _always_returns(body: Sequence[ast.stmt]) -> bool:
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.Return)


class _Writer:
    """Writes the functions of one statement, and what chooses among them."""

    def __init__(self, file: File, scope: Scope, root: ast.If, interface: Interface) -> None:
        self.functions: list[Line] = []
        self._file = file
        self._scope = scope
        self._interface = interface
        self._indent = file.layout.indent(root.lineno)
        self._unit = file.unit(root)
        self._cond = "torch.cond" if file.plain_torch else "rocmlint.export.cond"

    def dispatch(self, node: ast.If, indent: str, *, inside: bool) -> list[Line]:
        """Return the lines that choose a branch; ``inside`` of a function or in its place."""
        if inside or self._file.predicates.depends(node.test):
            for each in ast.walk(node.test):
                if isinstance(each, ast.NamedExpr):
                    check_expression(each)
        if not self._file.predicates.depends(node.test):
            return self._python_arm(node, indent) if inside else self._kept_arms(node, indent)
        if is_raise(node):
            if inside and self._file.plain_torch:
                raise RefusedError(Refusal.RAISE_IN_BRANCH)
            return self._raise_arm(node, indent, inside=inside)
        split = self._file.predicates.split(node.test)
        number = self._scope.new_number("then", "else")
        then, other = f"then_{number}", f"else_{number}"
        self._function(then, node, node.body)
        if is_chain(node):
            inner = self.dispatch(_next(node), self._indent + self._unit, inside=True)
            self._define(other, _next(node).lineno, inner)
        else:
            self._function(other, node, node.orelse)
        arguments = [split.test, *((other, then) if split.is_negated else (then, other))]
        if self._interface.operands:
            arguments.append(as_tuple(self._interface.operands))
        elif self._file.plain_torch:
            arguments.append("()")
        leaves = inside or self._interface.returns

        def choose(guards: Sequence[Guard], indent: str) -> list[str]:
            if not guards:
                return self._given(indent, self._cond, arguments, leaves=leaves)
            first, *rest = guards
            is_or = first.operator == "or"
            head = f"{indent}if {first.text}:"
            deeper = indent + self._unit
            short = self._called(then if is_or else other, leaves=leaves)
            if is_or and leaves:
                return [head, deeper + short, *choose(rest, indent)]
            if is_or:
                return [head, deeper + short, f"{indent}else:", *choose(rest, deeper)]
            if leaves:
                return [head, *choose(rest, deeper), indent + short]
            tail = [f"{indent}else:", deeper + short] if node.orelse else []
            return [head, *choose(rest, deeper), *tail]

        return at(node.lineno, choose(split.guards, indent))

    def _raise_arm(self, node: ast.If, indent: str, *, inside: bool) -> list[Line]:
        lines = raise_lines(self._file, node, indent, self._unit)
        if is_chain(node):
            return [*lines, *self.dispatch(_next(node), indent, inside=inside)]
        if inside:
            number = self._scope.new_number("else")
            self._function(f"else_{number}", node, node.orelse)
            lines += at(node.lineno, [indent + self._called(f"else_{number}", leaves=True)])
        return lines

    def _python_arm(self, node: ast.If, indent: str) -> list[Line]:
        """Return the lines of a test that Python decides, in a function."""
        number = self._scope.new_number("then", "else")
        self._function(f"then_{number}", node, node.body)
        head = f"{indent}if {self._parenthesized(node.test)}:"
        call_then = f"{indent}{self._unit}{self._called(f'then_{number}', leaves=True)}"
        lines = at(node.lineno, [head, call_then])
        if is_chain(node):
            return [*lines, *self.dispatch(_next(node), indent, inside=True)]
        self._function(f"else_{number}", node, node.orelse)
        return [*lines, *at(node.lineno, [indent + self._called(f"else_{number}", leaves=True)])]

    def _kept_arms(self, node: ast.If, indent: str) -> list[Line]:
        """Return the arms that Python decides as they are, and the rest of the chain after them."""
        layout, last = self._file.layout, node
        if indent != self._indent:
            raise RefusedError(Refusal.UNSUPPORTED_STATEMENT, "elif after a check")
        while is_chain(last) and not self._file.predicates.depends(_next(last).test):
            last = _next(last)
        rest = _next(last) if is_chain(last) else None
        end = node.end_lineno if rest is None else rest.lineno - 1
        assert end is not None
        start = layout.line_start(node.lineno)
        kept = layout.spliced(start, layout.line_end(end), self._file.edits)
        kept[0] = Line(indent + kept[0].text.lstrip().removeprefix("el"), kept[0].origin)
        if rest is None:
            return kept
        inner = self.dispatch(rest, indent + self._unit, inside=False)
        return [*kept, Line(f"{indent}else:", rest.lineno), *inner]

    def _parenthesized(self, node: ast.expr) -> str:
        text = self._file.text_of(node)
        return f"({text})" if "\n" in text else text

    def _called(self, function: str, *, leaves: bool) -> str:
        """Return the line that calls a function and keeps what it gives."""
        written = f"{function}({', '.join(self._interface.operands)})"
        return f"return {written}" if leaves else f"{self._targets} = {written}"

    @property
    def _targets(self) -> str:
        return ", ".join(self._interface.outputs)

    def _given(
        self, indent: str, head: str, arguments: Sequence[str], *, leaves: bool
    ) -> list[str]:
        return call(
            indent, self._unit, f"{'return' if leaves else f'{self._targets} ='} {head}", arguments
        )

    def _function(self, name: str, node: ast.If, body: Sequence[ast.stmt]) -> None:
        """Write a branch as a function."""
        inner = self._indent + self._unit
        lines = block_lines(self._file, node, body, inner) if body else []
        if body and self._file.begins_line(body[0]):
            inner = self._file.layout.indent(body[0].lineno)
        if not self._interface.returns:
            lines = [
                *lines,
                Line(
                    f"{inner}return {self._result()}",
                    (lines[-1].origin if lines else node.lineno),
                ),
            ]
        self._define(name, node.lineno, lines)

    def _result(self) -> str:
        if not self._file.plain_torch:
            return self._targets
        return ", ".join(f"{each}.clone()" for each in self._interface.outputs)

    def _define(self, name: str, origin: int, lines: Sequence[Line]) -> None:
        head = f"{self._indent}def {name}({', '.join(self._interface.operands)}):"
        self.functions += [Line(head, origin), *lines, Line("", lines[-1].origin)]
