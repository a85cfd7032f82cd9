"""What `torch.cond` does not take in a branch, by what torch 2.13 really does.

Each of these was exported with ``torch.export`` of 2.13: what is reported here stops it. Fine are
closures over tensors, weights and ``self``; integers as outputs; shapes that differ; changes in
place of what the branch made itself; modules and methods as branches.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.python.names import root
from rocmlint.python.scopes import own_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_VIEWS = frozenset(
    """
    contiguous detach diagonal expand expand_as flatten movedim moveaxis narrow permute reshape
    select squeeze swapaxes swapdims t transpose unflatten unsqueeze view view_as
    """.split()  # noqa: SIM905 - a list of words
)
_VIEW_ATTRIBUTES = frozenset({"T", "mT", "H", "mH", "data"})
_GROWS = frozenset({"append", "extend", "insert", "update", "add", "clear", "pop", "setdefault"})


class Problem(NamedTuple):
    """What is wrong, where, and what to do about it."""

    node: ast.expr | ast.stmt
    message: str
    help: str


@dataclass(frozen=True)
class Branch:
    """A function that a call of `torch.cond` may run."""

    function: Function
    is_tensor: Callable[[ast.expr], bool]
    """Tells whether an expression around the branch is a tensor."""

    @property
    def parameters(self) -> list[str]:
        """The names of the operands in the branch."""
        arguments = self.function.args
        return [each.arg for each in (*arguments.posonlyargs, *arguments.args)]

    @property
    def body(self) -> list[ast.stmt]:
        """The statements; those of a lambda are its result."""
        if isinstance(self.function, ast.Lambda):
            return [ast.Return(self.function.body)]
        return self.function.body

    @property
    def returned(self) -> list[ast.Return]:
        """What it returns, nested functions aside."""
        return [each for each in _own(self.body) if isinstance(each, ast.Return)]

    def takes(self, number: int) -> bool:
        """Check whether it can be called with so many operands."""
        arguments = self.function.args
        if arguments.vararg is not None:
            return True
        most = len(self.parameters)
        return most - len(arguments.defaults) <= number <= most


def problems_between(first: Branch, second: Branch) -> Iterator[Problem]:
    """Yield how the results of two branches differ where they must not."""
    ends = [each.returned for each in (first, second)]
    if any(len(each) != 1 for each in ends):
        return
    made = [each[0].value for each in ends]
    numbers = [len(_items(each)) for each in made]
    a_call_may_return_as_many = any(not isinstance(each, (ast.Tuple, ast.List)) for each in made)
    if numbers[0] != numbers[1] and not a_call_may_return_as_many:
        message = f"The branches return {numbers[0]} and {numbers[1]} values"
        yield Problem(made[1] or second.function, message, "Return as many from both.")


def problems_of_results(branch: Branch) -> Iterator[Problem]:
    """Yield what a branch must not return."""
    ends = branch.returned
    raises = any(isinstance(each, ast.Raise) for each in branch.body)
    if not ends and not raises:
        message = "This branch of `torch.cond` returns None"
        yield Problem(branch.function, message, "Return a tensor from both branches.")
    for end in ends:
        seen: set[str] = set()
        for value in _items(end.value):
            yield from _of_result(value, end, branch, seen)


def _of_result(
    value: ast.expr | None, end: ast.Return, branch: Branch, seen: set[str]
) -> Iterator[Problem]:
    at = value if value is not None else end
    match value:
        case None | ast.Constant(value=None):
            message = "This branch of `torch.cond` returns None"
            yield Problem(at, message, "Return a tensor from both branches.")
        case ast.Constant(value=bool() | float() | str()):
            message = f"This branch of `torch.cond` returns {value.value!r}, not a tensor"
            yield Problem(at, message, "Return a tensor: `torch.full_like` or `new_tensor`.")
        case ast.Name(id=name) if name in seen:
            message = f"This branch of `torch.cond` returns `{name}` twice"
            yield Problem(at, message, "Return a `.clone()` of one: results must not share memory.")
        case _:
            kept = _alias(value, branch)
            if kept:
                what = "" if isinstance(value, (ast.Name, ast.Attribute)) else "a view of "
                message = (
                    f"This branch of `torch.cond` returns {what}`{kept}`, which is not its own"
                )
                help = "Return a `.clone()`: results must not share memory with what goes in."
                yield Problem(at, message, help)
    if isinstance(value, ast.Name):
        seen.add(value.id)


def _alias(value: ast.expr, branch: Branch) -> str:
    """Return what goes into a branch and shares memory with an expression; empty if nothing."""
    match value:
        case ast.Name(id=name):
            return _alias_of_name(value, name, branch)
        case ast.Attribute(value=inner, attr=attribute):
            if attribute in _VIEW_ATTRIBUTES and _alias(inner, branch):
                return _alias(inner, branch)
            return ast.unparse(value) if branch.is_tensor(value) else ""
        case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in _VIEWS:
            return _alias(inner, branch)
        case ast.Subscript(value=inner, slice=index) if _is_basic(index):
            return _alias(inner, branch)
    return ""


def _alias_of_name(node: ast.expr, name: str, branch: Branch) -> str:
    made = _assigned(name, branch)
    if not made:
        is_given = name in branch.parameters or branch.is_tensor(node)
        return name if is_given else ""
    if len(made) == 1 and made[0] is not None and not _names(made[0], name):
        return _alias(made[0], branch)
    return ""


def _assigned(name: str, branch: Branch) -> list[ast.expr | None]:
    """Return what a branch assigns to a name; None for each way that is not told."""
    values: list[ast.expr | None] = []
    others = 0
    for node in _own(branch.body):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=target)], value=value)
                | ast.AnnAssign(target=ast.Name(id=target), value=value)
            ) if target == name:
                values.append(value)
                others -= 1
            case ast.AugAssign(target=ast.Name(id=target)) if target == name:
                others -= 1
            case ast.Name(id=target, ctx=ast.Store()) if target == name:
                others += 1
    return [*values, *[None] * others]


def problems_of_effects(branch: Branch) -> Iterator[Problem]:
    """Yield what a branch must not do."""
    for each in branch.body:
        if isinstance(each, ast.Raise):
            message = "This branch of `torch.cond` raises"
            yield Problem(each, message, "Check before, with `torch._check` and a message.")
    for node in _own(branch.body):
        changed = _changed(node, branch)
        if changed:
            message = f"This branch of `torch.cond` changes `{changed}`, which is not its own"
            help = "Change a `.clone()`, return it, and assign it outside of the branch."
            yield Problem(node, message, help)


def _changed(node: ast.expr | ast.stmt, branch: Branch) -> str:
    """Return what a node changes that the branch did not make; empty if nothing."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name)):
            return (
                name if name in branch.parameters and _is_first_change(name, node, branch) else ""
            )
        case ast.Attribute(ctx=ast.Store(), value=ast.Name(id=owner)):
            return "" if _assigned(owner, branch) else ast.unparse(node)
        case ast.Subscript(ctx=ast.Store(), value=inner):
            return _alias(inner, branch)
        case ast.Nonlocal(names=names) | ast.Global(names=names):
            return names[0]
        case ast.Call(func=ast.Attribute(value=inner, attr=method)):
            if method.endswith("_") and not method.startswith("_"):
                return _alias(inner, branch)
            if method in _GROWS and isinstance(inner, (ast.Name, ast.Attribute)):
                return _grown(inner, branch)
    return ""


def _grown(inner: ast.Name | ast.Attribute, branch: Branch) -> str:
    name = root(inner)
    if not isinstance(name, ast.Name) or _assigned(name.id, branch) or branch.is_tensor(inner):
        return ""
    return ast.unparse(inner)


def _is_first_change(name: str, change: ast.AugAssign, branch: Branch) -> bool:
    """Check whether a parameter is still what was given where it is changed in place."""
    before = [each for each in _assigned(name, branch) if each is not None]
    return not any(each.lineno <= change.lineno for each in before)


def _is_basic(index: ast.expr) -> bool:
    """Check whether an index gives a view: numbers, slices, None and `...`."""
    if isinstance(index, ast.Tuple):
        return all(map(_is_basic, index.elts))
    match index:
        case ast.Slice() | ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
    return False


def _items(value: ast.expr | None) -> list[ast.expr | None]:
    return [*value.elts] if isinstance(value, (ast.Tuple, ast.List)) else [value]


def _names(value: ast.expr, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value))


def _own(body: list[ast.stmt]) -> Iterator[ast.expr | ast.stmt]:
    """Yield the statements and expressions of a block, those of functions within aside."""
    return (each for each in own_nodes(body) if isinstance(each, (ast.expr, ast.stmt)))
