"""Shapes for which exporters once patched torch: torch 2.13 exports them alone.

Each example is a reason why a patch of torch is not among the built-in ones. A failure with a newer
torch says that one is needed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow
torch: Any = pytest.importorskip("torch")
DYNAMIC = torch.export.Dim.DYNAMIC
FIRST = {0: DYNAMIC}


class Model(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def mapped(x: Any, y: Any) -> Any:
    return torch.vmap(lambda one, other: one * other + 1)(x, y)


def unsqueezed(x: Any) -> Any:
    return x.unsqueeze(0).unsqueeze(2).unsqueeze(3)


def multiplied(x: Any, y: Any) -> Any:
    return x * y


def indexed(x: Any, rows: Any, columns: Any) -> Any:
    return x[rows, columns]


def cut_to_the_shorter(x: Any, y: Any) -> Any:
    return x[: min(x.shape[0], y.shape[0])] + 0


def at_least_one(x: Any) -> Any:
    return torch.zeros(max(x.shape[0], 1)) + x.sum()


def grid(rows: int, columns: int) -> tuple[Any, Any, Any]:
    return torch.randn(rows, columns), torch.arange(rows)[:, None], torch.arange(columns)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("function", "traced", "other"),
    [
        (mapped, (torch.randn(3), torch.randn(3)), (torch.randn(5), torch.randn(5))),
        (unsqueezed, (torch.randn(3),), (torch.randn(7),)),
        (multiplied, (torch.randn(4), torch.randn(4)), (torch.randn(7), torch.randn(7))),
        (indexed, grid(2, 8), grid(3, 8)),
        (cut_to_the_shorter, (torch.randn(6), torch.randn(4)), (torch.randn(9), torch.randn(3))),
        (at_least_one, (torch.randn(6),), (torch.randn(9),)),
    ],
)
def test_a_dynamic_shape_is_exported_and_runs_with_another_size(
    function: Callable[..., Any],
    traced: tuple[Any, ...],
    other: tuple[Any, ...],
    strict: bool,
) -> None:
    shapes = (tuple(FIRST for _ in traced),)
    program = torch.export.export(Model(function), traced, dynamic_shapes=shapes, strict=strict)
    assert torch.equal(program.module()(*other), function(*other))


def test_a_traced_size_of_one_stays_dynamic_with_the_setting_of_torch_for_it() -> None:
    shapes = (({0: DYNAMIC, 1: DYNAMIC}, {0: DYNAMIC, 1: DYNAMIC}, FIRST),)
    with pytest.raises(ValueError, match="specialized due to hint of 1"):
        torch.export.export(Model(indexed), grid(2, 8), dynamic_shapes=shapes)
    with torch.fx.experimental._config.patch(backed_size_oblivious=True):
        program = torch.export.export(Model(indexed), grid(2, 8), dynamic_shapes=shapes)
    other = grid(3, 9)
    assert torch.equal(program.module()(*other), indexed(*other))
