"""Comparing what a program returned with what the model returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import Tensor, torch

if TYPE_CHECKING:
    from collections.abc import Sequence

_RELATIVE = {
    torch.float64: 1e-8,
    torch.complex128: 1e-8,
    torch.float32: 1e-4,
    torch.complex64: 1e-4,
    torch.float16: 5e-3,
    torch.bfloat16: 3e-2,
}
"""Of a value and of its tensor's median; about five units in the last place for 16 bits."""
_MASKED = 1e30
"""What is larger stands for minus infinity in a mask and says nothing about a tensor's scale."""


def tolerance(dtype: Any, factor: float = 1.0) -> float:
    """Return the relative difference that rounding can explain; 0 for integers."""
    return _RELATIVE.get(dtype, 0.1 if dtype.is_floating_point else 0.0) * factor


def differing(
    expected: Sequence[tuple[str, Any]], found: Sequence[tuple[str, Any]], factor: float = 1.0
) -> dict[str, Any] | None:
    """Return the largest difference between two lists of leaves; None where they agree.

    Names and their order count as well as values: a dictionary in another order is unpacked in
    another order.
    """
    names, others = [path for path, _ in expected], [path for path, _ in found]
    if names != others:
        return _of_structure(names, others)
    differences = [
        {"path": path, **difference}
        for (path, one), (_, other) in zip(expected, found, strict=True)
        if (difference := _between(one, other, factor)) is not None
    ]
    return max(differences, key=lambda each: each["weight"], default=None)


def largest(expected: Sequence[tuple[str, Any]], found: Sequence[tuple[str, Any]]) -> float:
    """Return the largest absolute difference between finite values that stand at the same place."""
    most = 0.0
    for (_, one), (_, other) in zip(expected, found, strict=False):
        if _are_numbers(one, other):
            a, b = _wide(one), _wide(other)
            gap = (a - b).abs()[torch.isfinite(a) & torch.isfinite(b)]
            most = max(most, float(gap.max()) if gap.numel() else 0.0)
    return most


def _are_numbers(one: object, other: object) -> bool:
    return (
        isinstance(one, torch.Tensor)
        and isinstance(other, torch.Tensor)
        and one.shape == other.shape
        and one.layout is torch.strided
        and other.layout is torch.strided
    )


def _of_structure(names: list[str], others: list[str]) -> dict[str, Any]:
    missing = [each for each in names if each not in others]
    new = [each for each in others if each not in names]
    if missing or new:
        what = f"missing: {missing[:4]}; additional: {new[:4]}"
    else:
        what = f"another order: {names[:6]} became {others[:6]}"
    return {"path": "", "kind": "structure", "what": what, "weight": float("inf")}


def _between(one: Any, other: Any, factor: float) -> dict[str, Any] | None:
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        if type(one) is type(other) and (one == other or one != one):  # noqa: PLR0124 - nan
            return None
        what = f"{_shown(one)} became {_shown(other)}"
        return {"kind": "value", "what": what, "weight": float("inf")}
    for kind, a, b in (
        ("shape", list(one.shape), list(other.shape)),
        ("dtype", one.dtype, other.dtype),
    ):
        if a != b:
            return {"kind": kind, "what": f"{kind} {a} became {b}", "weight": float("inf")}
    return _of_values(one, other, factor)


def _shown(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {list(value.shape)}"
    return repr(value)[:80]


def _of_values(one: Tensor, other: Tensor, factor: float) -> dict[str, Any] | None:
    if one.numel() == 0:
        return None
    a, b = _wide(one), _wide(other)
    same = (a == b) | (torch.isnan(a) & torch.isnan(b))
    if bool(same.all()):
        return None
    relative = tolerance(one.dtype, factor)
    gap = (a - b).abs()
    allowed = relative * (a.abs() + _scale(a))
    wrong = ~same & ~(gap <= allowed)  # a comparison with nan is False, so it is wrong
    if not bool(wrong.any()):
        return None
    finite = wrong & torch.isfinite(gap)
    not_finite = int((wrong & ~torch.isfinite(gap)).sum())
    most = float(gap[finite].max()) if bool(finite.any()) else float("inf")
    weight = float((gap / allowed.clamp_min(1e-300))[finite].max()) if most < float("inf") else most
    what = f"largest difference {most:.3g} (values of about {float(_scale(a)):.3g})"
    if not_finite:
        what += f"; {not_finite:,} values are finite or NaN on one side only"
    return {
        "kind": "values",
        "what": f"{what}; {int(wrong.sum()):,} of {a.numel():,} values differ",
        "largest": None if most == float("inf") else most,
        "weight": weight,
    }


def _wide(tensor: Tensor) -> Tensor:
    tensor = tensor.detach().cpu()
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


def _scale(values: Tensor) -> Tensor:
    """Return the median size of the values, without masks; 0 where all are zero."""
    sizes = values.abs()
    sizes = sizes[torch.isfinite(sizes) & (sizes > 0) & (sizes < _MASKED)]
    return sizes.median() if sizes.numel() else torch.zeros((), dtype=torch.float64)


def says_nothing(found: Sequence[tuple[str, Any]]) -> bool:
    """Return whether no result has a value that could have differed: all NaN, or nothing at all."""
    numbers = [each for _, each in found if isinstance(each, torch.Tensor) and each.numel()]
    return not any(
        not (each.is_floating_point() or each.is_complex()) or bool(torch.isfinite(each).any())
        for each in numbers
    )
