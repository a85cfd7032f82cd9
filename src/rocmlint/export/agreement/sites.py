"""Where a forward reads a value from a tensor: the lines that really do it."""

from __future__ import annotations

import importlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import torch
from rocmlint.export.agreement.failures import rule_of, statement_at
from rocmlint.export.agreement.reference import copied
from rocmlint.export.agreement.running import ran
from rocmlint.export.frames import running

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.export.agreement.cases import Scenario

_OVERRIDES: Any = importlib.import_module("torch.overrides")
_READS = {
    torch.Tensor.__bool__: "bool",
    torch.Tensor.__int__: "int",
    torch.Tensor.__float__: "float",
    torch.Tensor.__index__: "index",
    torch.Tensor.__complex__: "complex",
    torch.Tensor.item: "item",
    torch.Tensor.tolist: "tolist",
    torch.Tensor.numpy: "numpy",
    torch.Tensor.__array__: "numpy",
    torch.Tensor.__contains__: "in",
    torch.Tensor.__iter__: "iterate",
    torch.Tensor.__reversed__: "reversed",
    torch.equal: "equal",
    torch.Tensor.equal: "equal",
    torch.allclose: "allclose",
    torch.Tensor.allclose: "allclose",
}
"""What gives Python a value; iterating only needs the length of a tensor, but unrolls the graph."""


def recorded(model: Any, scenarios: Sequence[Scenario]) -> list[dict[str, Any]]:
    """Run the model with all inputs and return each line that reads a value from a tensor."""
    found: Counter[tuple[str, str]] = Counter()
    errors: dict[str, str] = {}
    for scenario in scenarios:
        for case in scenario.cases:
            if not case.counts:
                continue
            own = copied(model)
            result = ran(_recording(own, found), own, case)
            if result.error:
                errors[f"{scenario.name}, {case.name}"] = result.error
    sites = [_site(place, how, count) for (place, how), count in sorted(found.items())]
    return [*sites, *({"case": case, "error": error} for case, error in errors.items())]


def _site(place: str, how: str, count: int) -> dict[str, Any]:
    file, _, line = place.rpartition(":")
    statement = statement_at(file, int(line))
    rule = rule_of("data", statement)
    return {"place": place, "read": how, "calls": count, "rule": rule, **statement}


def _recording(model: Any, found: Counter[tuple[str, str]]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        with _Recorder(found):
            return model(*args, **kwargs)

    return call


class _Recorder(_OVERRIDES.TorchFunctionMode):  # type: ignore[misc]  # torch is Any to mypy
    """Counts reads by the innermost line that is not torch's."""

    def __init__(self, found: Counter[tuple[str, str]]) -> None:
        super().__init__()
        self._found = found

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        how = _READS.get(func)
        if how is not None:
            where = running()
            if where:
                self._found[where, how] += 1
        return func(*args, **(kwargs or {}))
