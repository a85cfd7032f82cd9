"""Origins of the tensors of a run, and which operation gave each its dtype."""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..tensors import address_of, name_of, tensors_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CONSTANT, WEIGHT, FOREIGN, FLOW = range(4)
"""The origins of a tensor: nothing but what the forward wrote down, of weights (and constants), of
something that is neither a weight nor an input, or of the inputs. The later outweighs the earlier.
"""
_MOST = 8
"""How many weights a tensor is said to be made of."""
_MATRIX = 2
"""Dimensions from which on a buffer counts as a weight."""


class Weight(NamedTuple):
    """A parameter or buffer, as it was before the run."""

    name: str
    dtype: Any
    elements: int
    design: str
    """Why it may have a dtype of its own; empty where nothing says so."""


class DtypeOrigin(NamedTuple):
    """Where a dtype comes from."""

    dtype: str
    place: str
    """``file:line``; empty for a dtype that was given to the model."""
    operation: str
    how: str = "given"
    """``given``, ``chosen`` (a cast, or a new tensor), ``mixed`` (dtypes met), or ``weight``."""
    design: str = ""
    """Why that is so by design; empty where nothing says so."""
    weight: str = ""
    """The weight that has this dtype."""


class Made(NamedTuple):
    """The origin of a tensor."""

    kind: int
    weights: tuple[Weight, ...] = ()
    origin: DtypeOrigin | None = None


class TensorOrigins:
    """Remembers by its storage, which views share, what each tensor is made of."""

    def __init__(self, model: Any, designs: dict[str, str], dominant: str, inputs: Any) -> None:
        reductions = importlib.import_module("torch.multiprocessing.reductions")
        self._weak: Callable[[Any], Any] = reductions.StorageWeakRef
        self._dominant = dominant
        self._made: dict[int, Made] = {}
        self._kept: list[Any] = []
        """So that no other storage gets the address of one that was seen."""
        self._weights: dict[int, Made] = {}
        """By the tensor itself, whose storage may be exchanged (``weight.data = ...``)."""
        self._known: list[Any] = []
        self.casts: dict[str, DtypeOrigin] = {}
        """The latest cast of each weight."""
        for name, tensor in (*model.named_parameters(), *model.named_buffers()):
            is_parameter = isinstance(tensor, importlib.import_module("torch").nn.Parameter)
            if is_parameter or tensor.dim() >= _MATRIX:
                weight = Weight(name, tensor.dtype, tensor.numel(), designs.get(name, ""))
                made = Made(WEIGHT, (weight,))
            else:
                made = Made(CONSTANT)
            self._weights[id(tensor)] = made
            self._known.append(tensor)
            self._remember(tensor, made)
        for tensor in tensors_in(inputs):
            dtype = name_of(tensor.dtype)
            is_own = not tensor.is_floating_point() or dtype == dominant
            self._remember(tensor, Made(FLOW, (), None if is_own else DtypeOrigin(dtype, "", "")))

    def origin_of(self, tensor: Any) -> Made:
        """Return what a tensor is made of."""
        made = self._weights.get(id(tensor)) or self._made.get(address_of(tensor)) or Made(FOREIGN)
        if made.origin and made.origin.dtype != name_of(tensor.dtype):
            return made._replace(origin=None)
        return made

    def origin(self, tensor: Any) -> DtypeOrigin | None:
        """Return where the dtype of a tensor comes from; None for its weights' and inputs' own."""
        return self.origin_of(tensor).origin

    def note(
        self,
        sources: Sequence[Any],
        results: Sequence[Any],
        kept: bool,
        describe: Callable[[str, bool], DtypeOrigin],
    ) -> Sequence[DtypeOrigin]:
        """Note the result of an operation on its sources, and return the dtypes that it created.

        ``kept`` says that the first source is only written to. ``describe`` returns the origin of
        a dtype of this operation, by whether sources of several dtypes met.
        """
        parts = [(each, self.origin_of(each)) for each in sources]
        mixed = parts[1:] if kept else parts
        kind = max((made.kind for _, made in mixed), default=CONSTANT)
        weights = [each for _, made in mixed for each in made.weights] if kind == WEIGHT else []
        merged = tuple(dict.fromkeys(weights))[:_MOST]
        new: list[DtypeOrigin] = []
        for tensor in results:
            origin = None
            if tensor.is_floating_point() and name_of(tensor.dtype) != self._dominant:
                origin, is_new = self._origin(tensor.dtype, parts, describe)
                if origin and is_new:
                    new.append(origin)
                if origin and is_new and origin.how != "weight":
                    self.casts.update((each.name, origin) for each in merged)
            self._remember(tensor, Made(kind, merged, origin))
        return new

    def _origin(
        self,
        dtype: Any,
        parts: Sequence[tuple[Any, Made]],
        describe: Callable[[str, bool], DtypeOrigin],
    ) -> tuple[DtypeOrigin | None, bool]:
        """Return where the dtype of a result comes from, and whether from this operation."""
        floats = [(each, made) for each, made in parts if each.is_floating_point()]
        same = [(each, made) for each, made in floats if each.dtype == dtype]
        known = [made.origin for _, made in same if made.origin]
        # A weight decides the dtype of what it is combined with.
        weighed = next((each for each in known if each.how == "weight"), None)
        if weighed:
            return weighed, False
        own = [each for _, made in same for each in made.weights if each.dtype == dtype]
        if own:
            first = next((each for each in own if each.design), own[0])
            created = describe(name_of(dtype), False)
            return created._replace(how="weight", design=first.design, weight=first.name), True
        if known:
            return next((each for each in known if not each.design), known[0]), False
        if floats and len(same) == len(floats):
            return None, False
        return describe(name_of(dtype), len({each.dtype for each, _ in floats}) > 1), True

    def _remember(self, tensor: Any, made: Made) -> None:
        address = address_of(tensor)
        if address not in self._made:
            with suppress(RuntimeError, NotImplementedError):  # no storage: sparse tensors
                self._kept.append(self._weak(tensor.untyped_storage()))
        self._made[address] = made
