"""The matrix multiplications of a run, and those that compute in a larger dtype than the model."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from ..tensors import name_of
from .origins import FLOW, FOREIGN, WEIGHT, DtypeOrigin, Made, TensorOrigins, Weight

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(
    r"(^|_)((b?add)?b?mm|(add)?mv|v?dot|matmul|inner|linear|einsum|conv(olution|[123]d)?|tensordot"
    r"|attention|attn|(bi|tri)linear|rnn|lstm|gru|gemm)(_|$)"
)
"""In the name of an operation that multiplies matrices: torch's own, and those of libraries."""
_VECTORS = re.compile(r"(^|_)((add)?mv|v?dot|inner)(_|$)")
_PLAIN = re.compile(r"(^|_)((b?add)?b?mm|matmul|linear)(_|$)")
"""Of these, an inner size of one means an outer product, as in rotary embeddings."""
_ADDED = re.compile(r"^b?add")
"""These first have what the product is added to."""
_SCALED = re.compile(r"scaled_(grouped_)?mm|int\dpack")
"""After two operands, these have scales."""
_OWN = ("aten", "prims", "prim")
_MATRIX = 2
_COMPUTED = 2
"""Bytes from which on a dtype is computed with; smaller ones are only stored, and unpacked."""


class Matmuls:
    """Counts the multiplications of matrices, and keeps those in a large dtype."""

    def __init__(self, origins: TensorOrigins, dominant: Any) -> None:
        self._origins, self._dominant = origins, dominant
        self.count = 0
        self.dtypes: dict[str, set[str]] = {}
        """By module, the dtypes of its multiplications."""
        self.wide: dict[tuple[str, ...], dict[str, Any]] = {}

    def note(self, func: Any, sources: Sequence[Any], module: str) -> dict[str, Any] | None:
        """Look at an operation; return a report on a multiplication in a large dtype."""
        namespace, name = name_of_operation(func)
        is_opaque = not _WORD.search(name)
        if is_opaque and namespace in _OWN:
            return None
        operands = _operands(name, sources)
        if not operands:
            return None
        if not is_opaque:
            if _PLAIN.search(name) and operands[0].shape[-1] == 1:
                return None
            self.count += 1
        widest = max((each.dtype for each in operands), key=_size)
        if not is_opaque:
            self.dtypes.setdefault(module, set()).add(name_of(widest))
        return self._description_of(operands, widest, is_opaque)

    def _description_of(
        self, operands: list[Any], dtype: Any, is_opaque: bool
    ) -> dict[str, Any] | None:
        made = [self._origins.origin_of(each) for each in operands]
        weights = [_largest(each) for each in made if each.kind == WEIGHT]
        narrow = [each for each in weights if self._is_larger(dtype, each.dtype)]
        kind = "activations"
        if narrow and len(narrow) == len(weights):
            if is_opaque and all(each.kind == WEIGHT for each in made):
                return None  # it prepares a weight
            kind = "opaque" if is_opaque else "cast"
        elif is_opaque or not self._is_larger(dtype, self._dominant):
            return None
        elif weights:
            kind = "own"
        elif any(each.kind == FOREIGN for each in made):
            kind = "foreign"
        weight = narrow[0] if narrow else weights[0] if weights else None
        flows = [each.origin for each in made if each.kind == FLOW and each.origin]
        cast = next(iter(flows), None)
        why = weight.design if weight else cast.design if cast else ""
        if narrow:
            cast = self._cast(narrow[0], made)
            why = cast.design if cast and cast.how != "weight" else ""
        return {
            "kind": kind,
            "dtype": name_of(dtype),
            "weight": weight.name if weight else "",
            "was": name_of(weight.dtype) if weight else "",
            "why": why,
            "cast": cast.place if cast else "",
        }

    def _cast(self, weight: Weight, made: list[Made]) -> DtypeOrigin | None:
        """Return where a weight was cast up, or combined with one that is larger."""
        return self._origins.casts.get(weight.name) or next(
            (each.origin for each in made if weight in each.weights), None
        )

    def _is_larger(self, dtype: Any, other: Any) -> bool:
        """Return whether a dtype is larger than another, or than the model's if that is packed."""
        if other is None:
            return False
        if not other.is_floating_point or _size(other) < _COMPUTED:
            other = self._dominant
        return other is not None and _size(dtype) > _size(other)


def name_of_operation(func: Any) -> tuple[str, str]:
    """Return the namespace and the name of an operation; higher-order ones have no namespace."""
    schema = getattr(func, "_schema", None)
    if schema is None:
        return "", str(getattr(func, "__name__", func))
    namespace, _, name = schema.name.partition("::")
    return namespace, name


def multiplies(func: Any) -> bool:
    """Return whether an operation multiplies matrices, as its name says."""
    return bool(_WORD.search(name_of_operation(func)[1]))


def _size(dtype: Any) -> int:
    """Return the bytes of an element."""
    size: int = importlib.import_module("torch._utils")._element_size(dtype)  # noqa: SLF001
    return size  # dtype.itemsize is new in torch 2.1


def _largest(made: Made) -> Weight:
    """Return the weight that a tensor has most of: a scale is smaller than what it scales."""
    return max(made.weights, key=lambda each: each.elements)


def _operands(name: str, sources: Sequence[Any]) -> list[Any]:
    """Return the floating-point matrices that are multiplied."""
    dimensions = 1 if _VECTORS.search(name) else _MATRIX
    found = sources[1:] if _ADDED.search(name) else sources[:2] if _SCALED.search(name) else sources
    return [each for each in found if each.is_floating_point() and each.dim() >= dimensions]
