"""An export stops at the line of a model that makes a dynamic size static."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rocmlint.export import StaticSizeError, session

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow

LINES = Path(__file__).read_text().splitlines()
LINE = next(number for number, text in enumerate(LINES, 1) if text.endswith("# this line"))


class Branch(torch.nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, x: Any) -> Any:
        if x.shape[0] == 2:  # this line
            return x + 1
        return x - 1


class Free(torch.nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, x: Any) -> Any:
        return x.reshape(-1, x.shape[1] * 2).sum(0) if x.shape[0] % 2 == 0 else x


def export(model: Any, kind: str, *, stop: bool, strict: bool = False) -> Any:
    rows = {0: getattr(torch.export.Dim, kind)}
    with session(stop_if_static=stop):
        return torch.export.export(
            model, (torch.ones(2, 3),), dynamic_shapes=(rows,), strict=strict
        )


def first_size(program: Any) -> Any:
    return next(iter(program.graph.nodes)).meta["val"].shape[0]


@pytest.mark.parametrize("kind", ["AUTO", "DYNAMIC"])
def test_the_error_names_the_size_its_value_and_the_line(kind: str) -> None:
    said = rf"dynamic size L\['x'\]\.size\(\)\[0\] became 2, because of .*sizes\.py:{LINE}$"
    with pytest.raises(StaticSizeError, match=said):
        export(Branch(), kind, stop=True)


def test_the_line_is_that_of_the_model_where_dynamo_traces_it_too() -> None:
    with pytest.raises(StaticSizeError, match=rf"became 2, because of .*sizes\.py:{LINE}$"):
        export(Branch(), "AUTO", stop=True, strict=True)


def test_without_it_the_size_becomes_static_and_nothing_is_said() -> None:
    assert first_size(export(Branch(), "AUTO", stop=False)) == 2


def test_a_size_that_stays_dynamic_is_exported() -> None:
    assert not isinstance(first_size(export(Free(), "AUTO", stop=True)), int)
