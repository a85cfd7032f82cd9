"""When the code below a condition runs: for some dtype, while training, never in an export."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from rocmlint.models.tensors.dependence import Reach

_ASKS_FOR_EXPORT = re.compile(
    r"is_(?:\w+_)?(?:exporting|tracing|compiling|scripting|in_onnx_export)|is_torch_fx_proxy"
    r"|(?:\w+_)?exporting|onnx_export|tracing|is_export"
)
_SCRIPTS = re.compile(r"is_(?:\w+_)?scripting")
"""Whether torch.jit.script compiles it: then what is below is not run by an export either."""
_OF_SEVERAL_RANKS = re.compile(r"is_initialized|is_distributed|is_dist_avail_and_initialized")
"""Whether several processes run the model; an export is one."""
_LABELS = re.compile(
    r"(?:\w+_)?(?:labels?|targets?|label_ids|gt|ground_truth)|gt_\w+|target_(?:values|ids)"
    r"|return_loss|start_positions|end_positions|compute_loss|with_loss|future_values"
)
_LOGS = re.compile(r"(?:\w+_)?(?:loss_dict|loss_log|logs?|log_dict|metrics?|stats)")
_LOSS = re.compile(r"(?:\w+_)?loss(?:es)?|loss_dict")
_OWN_LOSS = re.compile(r"(?:(?:total|l1|l2|mse|bce|ce|nll|kl)_)?loss(?:es)?")
"""A loss itself, not the part of one that a layer gives along with its result."""
_RANK: tuple[Reach, ...] = (
    *("live", "dtype-gated", "training", "labels", "bypassed", "guarded", "unreached"),
)


class Below(NamedTuple):
    """When the two sides of a condition run; None is for: whenever it is asked."""

    then: Reach | None = None
    otherwise: Reach | None = None


def both(first: Reach, second: Reach | None) -> Reach:
    """Return when code runs that two conditions decide: the stronger one says."""
    return first if second is None else max(first, second, key=_RANK.index)


def either(first: Reach, second: Reach) -> Reach:
    """Return when code runs that is reached in two ways."""
    return min(first, second, key=_RANK.index)


def below(test: ast.expr) -> Below:
    """Return when the two sides of a condition run."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            then, otherwise = below(operand)
            return Below(otherwise, then)
        case ast.BoolOp(op=ast.And(), values=values):
            return Below(_all_of([below(each).then for each in values]))
        case ast.BoolOp(op=ast.Or(), values=values):
            found = _all_of([below(each).otherwise for each in values])
            return Below(_shared([below(each).then for each in values]), found)
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[right]):
            return _below_identity(left, op, right)
        case ast.Compare(left=left, comparators=[right]):
            return Below("dtype-gated") if _is_dtype(left) or _is_dtype(right) else Below()
        case ast.Call(func=ast.Attribute(value=value)) if last_name(value) == "jit":
            return Below("guarded", "guarded")
        case ast.Call(func=func) if _OF_SEVERAL_RANKS.fullmatch(last_name(func)):
            return Below("guarded")
        case ast.Call(func=func):
            return _below_name(last_name(func))
        case ast.Name() | ast.Attribute():
            return _below_name(last_name(test))
    return Below()


def of_statement(node: ast.AST) -> Reach | None:
    """Return when a statement runs by what it is for: filling a dictionary of metrics."""
    match node:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return "labels" if _LOGS.fullmatch(_filled(target)) else None
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr="update"))):
            return "labels" if _LOGS.fullmatch(last_name(target)) else None
    return None


def is_of_loss(node: ast.expr) -> bool:
    """Check whether an expression is computed of a loss, which has labels."""
    return any(isinstance(each, ast.Name) and _LOSS.fullmatch(each.id) for each in ast.walk(node))


def makes_loss(node: ast.stmt) -> bool:
    """Check whether a statement computes the loss of a model, so that labels were given."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _OWN_LOSS.fullmatch(name):
            return any(isinstance(each, ast.Call) for each in ast.walk(value))
    return False


def returns_loss(node: ast.Return) -> bool:
    """Check whether a function returns a loss: alone, or with its metrics."""
    match node.value:
        case ast.Name(id=name):
            return _OWN_LOSS.fullmatch(name) is not None
        case ast.Tuple(elts=[ast.Name(id=name), second]):
            is_log = isinstance(second, ast.Dict) or _LOGS.fullmatch(last_name(second))
            return bool(is_log) and _OWN_LOSS.fullmatch(name) is not None
    return False


def _filled(target: ast.expr) -> str:
    return last_name(target.value if isinstance(target, ast.Subscript) else target)


def asks_for_export(call: ast.Call) -> bool:
    """Check whether a call asks if the model is exported, traced or compiled."""
    return _ASKS_FOR_EXPORT.fullmatch(last_name(call.func)) is not None


def _below_identity(left: ast.expr, op: ast.cmpop, right: ast.expr) -> Below:
    if isinstance(right, ast.Constant) and right.value is True and isinstance(op, ast.Is):
        return below(left)
    if not isinstance(right, ast.Constant) or right.value is not None:
        return Below()
    if not _LABELS.fullmatch(last_name(left)):
        return Below()
    return Below("labels") if isinstance(op, ast.IsNot) else Below(None, "labels")


def _below_name(name: str) -> Below:
    if _SCRIPTS.fullmatch(name):
        return Below("guarded")
    if _ASKS_FOR_EXPORT.fullmatch(name):
        return Below(None, "guarded")
    if name in {"training", "is_training", "train"}:
        return Below("training")
    if name == "return_loss" or _LABELS.fullmatch(name):
        return Below("labels")
    return Below()


def _is_dtype(node: ast.expr) -> bool:
    name = last_name(node)
    return name == "dtype" or name.endswith("_dtype") or name in {"float16", "bfloat16", "half"}


def _all_of(found: list[Reach | None]) -> Reach | None:
    known = [each for each in found if each is not None]
    return max(known, key=_RANK.index) if known else None


def _shared(found: list[Reach | None]) -> Reach | None:
    known = [each for each in found if each is not None]
    return min(known, key=_RANK.index) if len(known) == len(found) else None
