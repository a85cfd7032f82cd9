"""What a model is exported and compared with: scenarios, each with inputs of several sizes."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.leaves import digest, leaves, replaced, tensors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.export.agreement.child_torch import Tensor


_SIZES = 4
"""How many inputs are named when a size is told."""


@dataclass(frozen=True)
class Case:
    """Inputs of one size, or with values of one kind."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    counts: bool = True
    """Whether it is a size of its own, and not only other values of the first one."""
    weights: float = 1.0
    """By what the parameters are multiplied."""
    was_given: bool = True
    """Whether the factory gave it; what is derived may be refused by the model itself."""

    def fresh(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return copies of the inputs: a model may write into them."""
        return copy.deepcopy((self.args, dict(self.kwargs)))

    def named(self) -> dict[str, Tensor]:
        """Return the tensors by their paths: ``input_ids``, ``[0]``, ``past.layers[0].keys``."""
        return {**tensors(self.args), **tensors(dict(self.kwargs))}

    @property
    def sizes(self) -> str:
        """Return the shapes of the first inputs, for a reader."""
        shapes = [
            f"{path} {'x'.join(map(str, each.shape)) or 'scalar'}"
            for path, each in self.named().items()
        ]
        more = f", and {len(shapes) - _SIZES} more" if len(shapes) > _SIZES else ""
        return ", ".join(shapes[:_SIZES]) + more

    @property
    def digest(self) -> str:
        """Return a hash of the inputs, which should be equal in all processes."""
        return digest([*leaves(self.args), *leaves(dict(self.kwargs))])


Asked = dict[str, dict[int, str]]
"""The dimensions that are to be dynamic, by the path of the tensor; each with its name."""


@dataclass
class Scenario:
    """One way of calling a model. It is exported with the first case."""

    name: str
    cases: list[Case]
    asked: Asked
    shapes: Any = None
    """``dynamic_shapes`` as the factory returned them; None where they are made of ``asked``."""
    notes: list[str] = field(default_factory=list)


def with_other_values(scenario: Scenario) -> list[Case]:
    """Return the first case again with zeros, with large numbers, and with large weights.

    They take branches that ordinary values don't.
    """
    first = scenario.cases[0]
    made = []
    if any(each.is_floating_point() for each in _plain(first).values()):
        for name, factor in (("zeros", 0.0), ("values x 1000", 1000.0)):
            made.append(_scaled(first, name, factor))
    for factor in (100.0, 1e4):
        case = replace(first, name=f"weights x {factor:g}", weights=factor)
        made.append(replace(case, counts=False, was_given=False))
    return made


def _plain(case: Case) -> dict[str, Tensor]:
    """Return the inputs that values may be changed of: no masks."""
    return {path: each for path, each in case.named().items() if "mask" not in path}


def _scaled(case: Case, name: str, factor: float) -> Case:
    def change(path: str, tensor: Tensor) -> Tensor:
        is_value = tensor.is_floating_point() and "mask" not in path
        return tensor * factor if is_value else tensor

    args, kwargs = case.fresh()
    return Case(
        name, replaced(args, change), replaced(kwargs, change), counts=False, was_given=False
    )
