"""What the branches give: only tensors may come out of a condition that an export keeps."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.models.control_flow.dtypes import differ, may_differ
from rocmlint.models.control_flow.refusals import Refusal, RefusedError
from rocmlint.models.control_flow.shapes import check_shapes
from rocmlint.models.tensors.value_facts import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocmlint.models.control_flow.file import File
    from rocmlint.models.control_flow.flow import Binding
    from rocmlint.models.tensors.inference import Inference

_SCALARS = (ast.BoolOp, ast.JoinedStr)
_DISPLAYS = (
    *(ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp),
    ast.Lambda,
)


def check_values(name: str, bindings: Iterable[Binding], inference: Inference) -> None:
    """Check that a name holds a tensor on a path. Raises RefusedError."""
    for each in sorted(bindings, key=_place):
        if each.unbound:
            raise RefusedError(Refusal.NAME_UNBOUND, name)
        if each.opaque:
            raise RefusedError(Refusal.NOT_A_TENSOR, name)
        if each.may_be_none:
            raise RefusedError(Refusal.NONE_ON_ONE_PATH, name)
        if each.in_place and each.target is not None:
            check_value(name, each.target, inference)
        elif each.value is not None:
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


def check_returns(file: File, values: Sequence[ast.expr | None]) -> None:
    """Check that the paths of a function return tensors in the same form. Raises RefusedError."""
    if any(each is None for each in values):
        raise RefusedError(Refusal.NONE_ON_ONE_PATH, "return")
    parts = [each.elts if isinstance(each, ast.Tuple) else [each] for each in values if each]
    if (
        len(
            {(type(each) is ast.Tuple, len(part)) for each, part in zip(values, parts, strict=True)}
        )
        > 1
    ):
        raise RefusedError(Refusal.NOT_A_TENSOR, "return")
    for part in parts:
        for each in part:
            check_value("return", each, file.inference)
    for same in zip(*parts, strict=True):
        check_alike(file, "return", same)


def check_alike(file: File, name: str, values: Sequence[ast.expr | None]) -> None:
    """Check that the values on all paths have one dtype and shape, as far as the text shows it.

    Raises RefusedError.
    """
    dtypes = [file.dtypes.of(each) for each in values]
    if differ(dtypes):
        raise RefusedError(Refusal.DTYPE_MISMATCH, name)
    if may_differ(dtypes):
        raise RefusedError(Refusal.DTYPE_UNKNOWN, name)
    check_shapes(file, name, values)


def bound_values(bindings: Iterable[Binding]) -> list[ast.expr | None]:
    """Return what a name is bound to; None for what was changed in place."""
    return [None if each.in_place else each.value for each in bindings]
