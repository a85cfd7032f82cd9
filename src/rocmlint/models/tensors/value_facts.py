"""What the engine knows about a value: its kind, and those of its parts."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.models.tensors.dependence import Reach


class Kind(Enum):
    """What an expression holds."""

    TENSOR = "tensor"
    """A tensor, so that Python has to wait for its content to branch on it."""
    VALUE = "value"
    """A Python value that was read from a tensor: ``mask.sum().item()``."""
    SHAPE = "shape"
    """A size, a rank or a shape: symbolic during an export, but no content of a tensor."""
    PYTHON = "python"
    """A value that no tensor decides: a constant, a setting, a module, a dtype, a string."""
    TENSORS = "tensors"
    """A list, tuple or dictionary of tensors."""
    VALUES = "values"
    """A list or tuple of values that were read from a tensor: ``grid.tolist()``."""
    UNKNOWN = "unknown"
    """Anything: nothing in the file says which."""

    @property
    def depends_on_data(self) -> bool:
        """Whether the truth of such a value depends on the content of a tensor."""
        return self in {Kind.TENSOR, Kind.VALUE}


class Held(NamedTuple):
    """What a name or expression holds."""

    kind: Kind
    item: Held | None = None
    """What any element of a container is."""
    items: tuple[Held, ...] | None = None
    """The elements of a tuple or list whose length is known."""
    of: str = ""
    """What is known besides: ``module Linear``, ``object Output``, ``def helper``, ``config``."""
    sure: bool = True
    """Whether more than the name of a parameter says so."""
    ragged: bool = False
    """Whether the shape of a tensor depends on its content, as that of ``nonzero`` does."""
    counted: bool = False
    """Whether the file itself says how many rows a tensor has: a buffer, ``linspace(0, 1, 10)``."""
    gate: Reach | None = None
    """Where it depends on a tensor only then: a name that is ``False`` unless training."""

    @property
    def depends(self) -> bool:
        """Whether the truth of the value depends on the content of a tensor."""
        return self.kind.depends_on_data


TENSOR = Held(Kind.TENSOR)
RAGGED = Held(Kind.TENSOR, ragged=True)
VALUE = Held(Kind.VALUE)
SHAPE = Held(Kind.SHAPE)
PYTHON = Held(Kind.PYTHON)
UNKNOWN = Held(Kind.UNKNOWN)
NUMPY = Held(Kind.PYTHON, of="numpy")
MIXED = Held(Kind.UNKNOWN, of="mixed")
"""Now a tensor, now a container: nothing else that it may be makes it clearer."""
CONFIG = Held(Kind.PYTHON, of="config")

_CONTAINER_OF = {
    Kind.TENSOR: Kind.TENSORS,
    Kind.TENSORS: Kind.TENSORS,
    Kind.VALUE: Kind.VALUES,
    Kind.VALUES: Kind.VALUES,
}
_STRENGTH = (Kind.PYTHON, Kind.SHAPE, Kind.UNKNOWN, Kind.VALUES, Kind.TENSORS)
_PREFERENCE = (Kind.PYTHON, Kind.SHAPE, Kind.UNKNOWN, Kind.VALUE, Kind.TENSOR)


def container(item: Held) -> Held:
    """Return what holds any number of such elements."""
    return Held(_CONTAINER_OF.get(item.kind, item.kind), item=item, sure=item.sure)


def mapping(item: Held) -> Held:
    """Return what maps anything to such elements."""
    return container(item)._replace(of="mapping")


def iterated(held: Held) -> Held:
    """Return what iterating over a value gives: of a mapping, its keys."""
    return UNKNOWN if held.of == "mapping" else element(held)


def membership(left: Held, right: Held) -> Held:
    """Return what `in` gives: it compares with `==`, and asks for the truth of the result."""
    if right.kind is Kind.TENSOR or left.kind is Kind.VALUE:
        return VALUE
    if left.kind is Kind.TENSOR and is_container(right) and right.of != "mapping":
        return VALUE
    return VALUE if right.kind is Kind.VALUES else PYTHON


def fixed(items: Iterable[Held]) -> Held:
    """Return what a tuple or list of these elements is."""
    found = tuple(items)
    kinds = [_CONTAINER_OF.get(each.kind, each.kind) for each in found]
    kind = max(kinds, key=_STRENGTH.index, default=Kind.PYTHON)
    return Held(kind, items=found)


def element(held: Held) -> Held:
    """Return what iterating over a value, or an unknown index of it, gives."""
    if held.item is not None:
        return held.item
    if held.items is not None:
        return joined(held.items) if held.items else UNKNOWN
    if held.kind in {Kind.TENSOR, Kind.VALUE, Kind.SHAPE, Kind.UNKNOWN}:
        return held._replace(of="", ragged=False, counted=False)
    if held.kind is Kind.PYTHON:
        return PYTHON if held.of in {"", "config", "numpy"} else UNKNOWN
    return {Kind.TENSORS: TENSOR, Kind.VALUES: VALUE}[held.kind]


def at(held: Held, index: int) -> Held:
    """Return one element of a value."""
    if held.items is not None and -len(held.items) <= index < len(held.items):
        return held.items[index]
    return element(held)


def is_container(held: Held) -> bool:
    """Check whether a value is a list, tuple, dictionary or iterator."""
    return held.item is not None or held.items is not None


def join(first: Held, second: Held) -> Held:
    """Return what is known where a value is one of two: what may depend on a tensor counts."""
    if first == second:
        return first
    if MIXED in {first, second}:
        return MIXED
    if is_container(first) or is_container(second):
        return _join_containers(first, second)
    if not first.depends and not second.depends:
        return _join_independent(first, second)
    if first.depends and second.depends:
        strong = max(first, second, key=lambda each: _PREFERENCE.index(each.kind))
        gate = first.gate if first.gate == second.gate else None
        ragged = first.ragged or second.ragged
        counted = first.counted and second.counted
        sure = first.sure or second.sure
        return Held(strong.kind, sure=sure, ragged=ragged, counted=counted, gate=gate)
    return first if first.depends else second


def joined(helds: Iterable[Held]) -> Held:
    """Return what is known where a value is one of several; UNKNOWN of none."""
    found: Held | None = None
    for each in helds:
        found = each if found is None else join(found, each)
    return UNKNOWN if found is None else found


def uniform(helds: Iterable[Held]) -> Held:
    """Return what all of several values are, UNKNOWN where they differ."""
    found = tuple(helds)
    alike = len({(each.kind, each.of) for each in found}) == 1
    return joined(found) if alike else UNKNOWN


def _join_independent(first: Held, second: Held) -> Held:
    if first.kind is second.kind:
        return first if first.of == second.of else first._replace(of="")
    return max(first, second, key=lambda each: _PREFERENCE.index(each.kind))._replace(of="")


def _join_containers(first: Held, second: Held) -> Held:
    if first.items is not None and second.items is not None:
        if len(first.items) == len(second.items):
            return fixed(map(join, first.items, second.items))
        if not first.items or not second.items:
            longer = first if first.items else second
            return container(element(longer))
    if is_container(first) and is_container(second):
        of = first.of if first.of == second.of else ""
        return container(join(element(first), element(second)))._replace(of=of)
    kept, other = (first, second) if is_container(first) else (second, first)
    if other.depends:
        return MIXED
    return kept if other.kind is Kind.PYTHON and not other.of else UNKNOWN
