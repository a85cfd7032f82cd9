"""Which shape an expression gives, where the text shows it, and where only its data decides."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.tensors.torch_names import RAGGED_RESULTS, REDUCTIONS, words
from rocmlint.models.tensors.value_facts import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocmlint.models.control_flow.file import File

Shape = tuple[int, ...]
_FILLED = frozenset({"zeros", "ones", "empty", "rand", "randn"})
_ELEMENTWISE = words(
    """
    abs ceil clamp clip clone contiguous cos detach double exp float floor half isfinite isinf isnan
    log long neg relu round sigmoid sign sin sqrt square tanh to
    """
)
_DEEPEST = 20
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


def check_sizes(file: File, nodes: Iterable[ast.AST]) -> None:
    """Check that in a branch no content decides how large a tensor is. Raises RefusedError."""
    for node in (inner for each in nodes for inner in ast.walk(each)):
        if isinstance(node, (ast.Call, ast.Subscript)) and _is_ragged(file, node):
            raise RefusedError(Refusal.SIZE_DEPENDS, ast.unparse(node).partition("\n")[0])


def _is_ragged(file: File, node: ast.Call | ast.Subscript) -> bool:
    held = file.inference.held.get(node)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in {"repeat_interleave", "where"}:
            return held is not None and held.ragged
        return name in RAGGED_RESULTS
    if not isinstance(node.ctx, ast.Load):
        return False
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(
        not isinstance(each, (ast.Slice, ast.Constant))
        and file.inference.kind_of(each) is Kind.TENSOR
        and file.dtypes.of(each) == "bool"
        for each in parts
    )


def check_shapes(file: File, name: str, values: Sequence[ast.expr | None]) -> None:
    """Check that no path visibly gives another shape than another path. Raises RefusedError."""
    known = {shape for each in values if (shape := shape_of(file, each)) is not None}
    ranks: dict[str, int] = {}
    for each in values:
        if each is None:
            continue
        base, more = _relative(each)
        if ranks.setdefault(base, more) != more:
            raise RefusedError(Refusal.SHAPE_MISMATCH, name)
    if len(known) > 1 or _grows(file, values):
        raise RefusedError(Refusal.SHAPE_MISMATCH, name)


def _relative(node: ast.expr) -> tuple[str, int]:
    """Return what an expression is computed from, and by how many dimensions it has more."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="unsqueeze"), args=[_]):
            base, more = _relative(value)
            return base, more + 1
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _ELEMENTWISE:
            return _relative(value)
        case ast.Subscript(value=value, slice=ast.Constant(value=int())):
            base, more = _relative(value)
            return base, more - 1
        case ast.Subscript(value=value, slice=ast.Constant(value=None)):
            base, more = _relative(value)
            return base, more + 1
        case ast.BinOp(left=left, right=ast.Constant()):
            return _relative(left)
        case ast.BinOp(left=ast.Constant(), right=right):
            return _relative(right)
    return ast.unparse(node), 0


def _grows(file: File, values: Sequence[ast.expr | None]) -> bool:
    """Check whether a path gives a tensor that the file sizes, and another adds an input to it."""
    given = [each for each in values if each is not None]
    sized = [each for each in given if _is_sized(file, each)]
    return bool(sized) and any(_mixes(file, each) for each in given)


def _is_sized(file: File, node: ast.expr) -> bool:
    held = file.inference.held.get(node)
    is_counted = held is not None and held.kind is Kind.TENSOR and held.counted
    return is_counted and shape_of(file, node) != ()


def _mixes(file: File, node: ast.expr) -> bool:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, _ARITHMETIC):
        return False
    pairs = ((node.left, node.right), (node.right, node.left))
    for sized, other in pairs:
        is_tensor = file.inference.kind_of(other) is Kind.TENSOR
        if _is_sized(file, sized) and is_tensor and not _is_sized(file, other):
            return shape_of(file, other) is None
    return False


def shape_of(file: File, node: ast.expr | None, *, depth: int = 0) -> Shape | None:
    """Return the shape of an expression; None where the text does not show it."""
    if node is None or depth > _DEEPEST:
        return None
    if node not in file.shapes:
        file.shapes[node] = None  # while it is looked at
        file.shapes[node] = _shape_of(file, node, depth)
    return file.shapes[node]


def _shape_of(file: File, node: ast.expr, depth: int) -> Shape | None:
    match node:
        case ast.Name():
            found = {shape_of(file, each, depth=depth + 1) for each in file.values_of(node)}
            return found.pop() if len(found) == 1 else None
        case ast.Call(func=ast.Attribute(value=holder, attr=name)):
            return _of_call(file, node, holder, name, depth)
        case ast.UnaryOp(operand=operand):
            return shape_of(file, operand, depth=depth + 1)
        case ast.Compare(left=left, comparators=[right]):
            return _broadcast(file, left, right, depth)
        case ast.BinOp(left=left, right=right):
            return _broadcast(file, left, right, depth)
    return None


def _of_call(file: File, node: ast.Call, holder: ast.expr, name: str, depth: int) -> Shape | None:
    is_torch = ast.unparse(holder) in {"torch", "torch.linalg"}
    rest = node.args[1:] if is_torch else node.args
    keywords = {each.arg for each in node.keywords}
    if is_torch and name in _FILLED:
        return _written(node.args)
    if is_torch and name == "full" and node.args:
        return _written(node.args[:1])
    if is_torch and name in {"tensor", "scalar_tensor"} and node.args:
        return _of_numbers(node.args[0])
    if name in REDUCTIONS and not rest and not keywords - {"dtype"}:
        return ()
    if name in _ELEMENTWISE:
        operand = (node.args[0] if node.args else None) if is_torch else holder
        return shape_of(file, operand, depth=depth + 1)
    return None


def _written(nodes: Sequence[ast.expr]) -> Shape | None:
    if len(nodes) == 1 and isinstance(nodes[0], (ast.Tuple, ast.List)):
        nodes = nodes[0].elts
    elif not nodes:
        return None
    sizes = [each.value if isinstance(each, ast.Constant) else None for each in nodes]
    found = [each for each in sizes if isinstance(each, int)]
    return tuple(found) if len(found) == len(sizes) else None


def _of_numbers(node: ast.expr) -> Shape | None:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Constant):
        return ()
    if isinstance(node, ast.List) and all(isinstance(each, ast.Constant) for each in node.elts):
        return (len(node.elts),)
    return None


def _broadcast(file: File, left: ast.expr, right: ast.expr, depth: int) -> Shape | None:
    shapes = [
        () if isinstance(each, ast.Constant) else shape_of(file, each, depth=depth + 1)
        for each in (left, right)
    ]
    one, other = shapes
    if one is None or other is None:
        return None
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    padded = (*([1] * (len(longer) - len(shorter))), *shorter)
    return tuple(max(each) for each in zip(longer, padded, strict=True))
