"""What the branches give: only tensors may come out of a condition that an export keeps."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.control_flow.refusals import Refusal, RefusedError
from rocmlint.tensors.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocmlint.control_flow.flow import Binding
    from rocmlint.tensors.inference import Inference

_SCALARS = (ast.BoolOp, ast.JoinedStr)
_DISPLAYS = (
    *(ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp),
    ast.Lambda,
)
_BOOLEAN = frozenset(
    {"any", "all", "isnan", "isinf", "isfinite", "logical_not", "bool", "eq", "ne"}
)
_CONVERSIONS = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "bool": "bool",
}


def check_values(name: str, bindings: Iterable[Binding], inference: Inference) -> None:
    """Check that a name holds a tensor on a path. Raises RefusedError."""
    for each in sorted(bindings, key=_place):
        if each.unbound:
            raise RefusedError(Refusal.NAME_UNBOUND, name)
        if each.opaque:
            raise RefusedError(Refusal.NOT_A_TENSOR, name)
        if each.may_be_none:
            raise RefusedError(Refusal.NONE_ON_ONE_PATH, name)
        if each.value is not None:
            check_value(name, each.value, inference)
        elif each.annotation is not None:
            _check_annotation(name, each.annotation)


def _place(binding: Binding) -> tuple[int, int]:
    """Return where a value stands, so that always the same one is named first."""
    return (0, 0) if binding.value is None else (binding.value.lineno, binding.value.col_offset)


def _check_annotation(name: str, annotation: ast.expr) -> None:
    written = ast.unparse(annotation)
    if written.split("[")[0].strip("'\"") in {"int", "float", "bool", "str"}:
        raise RefusedError(Refusal.PYTHON_SCALAR, name)
    if written.split("[")[0].strip("'\"").lower() in {"list", "tuple", "dict", "set"}:
        raise RefusedError(Refusal.NOT_A_TENSOR, name)


def check_value(name: str, value: ast.expr, inference: Inference) -> None:
    """Check that an expression gives a tensor, as far as can be told. Raises RefusedError."""
    kind = inference.kind_of(value)
    if isinstance(value, ast.IfExp):
        check_value(name, value.body, inference)
        check_value(name, value.orelse, inference)
    elif isinstance(value, ast.Constant):
        is_none = value.value is None
        raise RefusedError(Refusal.NONE_ON_ONE_PATH if is_none else Refusal.PYTHON_SCALAR, name)
    elif isinstance(value, (*_DISPLAYS, ast.Tuple)) or kind in {Kind.TENSORS, Kind.VALUES}:
        raise RefusedError(Refusal.NOT_A_TENSOR, name)
    elif kind in {Kind.SHAPE, Kind.VALUE, Kind.PYTHON} or isinstance(value, _SCALARS):
        raise RefusedError(Refusal.PYTHON_SCALAR, name)


def check_returns(values: Sequence[ast.expr | None], inference: Inference) -> None:
    """Check that the paths of a function return tensors in the same form. Raises RefusedError."""
    if any(each is None for each in values):
        raise RefusedError(Refusal.NONE_ON_ONE_PATH, "return")
    parts = [each.elts if isinstance(each, ast.Tuple) else [each] for each in values if each]
    if (
        len(
            {
                (isinstance(each, ast.Tuple), len(part))
                for each, part in zip(values, parts, strict=True)
            }
        )
        > 1
    ):
        raise RefusedError(Refusal.NOT_A_TENSOR, "return")
    for part in parts:
        for each in part:
            check_value("return", each, inference)
    for same in zip(*parts, strict=True):
        check_dtypes("return", [dtype_of(each) for each in same])


def check_dtypes(name: str, dtypes: Sequence[str | None]) -> None:
    """Check that no path gives a dtype that another visibly does not. Raises RefusedError."""
    if len(set(dtypes)) > 1 and any(each is not None for each in dtypes):
        raise RefusedError(Refusal.DTYPE_MISMATCH, name)


def dtype_of(value: ast.expr | None) -> str | None:
    """Return the dtype that an expression names itself, as it is written there."""
    if isinstance(value, ast.Compare):
        return "bool"
    if not isinstance(value, ast.Call):
        return None
    for keyword in value.keywords:
        if keyword.arg == "dtype":
            written = ast.unparse(keyword.value)
            return written.removeprefix("torch.") if _names_dtype(keyword.value) else None
    if not isinstance(value.func, ast.Attribute):
        return None
    name = value.func.attr
    if name in _CONVERSIONS and not value.args:
        return _CONVERSIONS[name]
    if name in {"to", "type"} and value.args:
        written = ast.unparse(value.args[0]).removeprefix("torch.")
        return written if _names_dtype(value.args[0]) else None
    return "bool" if name in _BOOLEAN else None


def _names_dtype(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else ""
    return (
        isinstance(node, ast.Attribute)
        and ast.unparse(node.value) == "torch"
        and name.startswith(("float", "bfloat", "int", "uint", "bool", "long", "half"))
    )
