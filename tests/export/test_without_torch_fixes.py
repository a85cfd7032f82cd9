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


class Buckets(torch.nn.Module):  # type: ignore[misc]
    """Positions of patches, with steps that are read from a mask row by row."""

    def forward(self, mask: Any, positions: Any, boundaries: Any) -> Any:
        def combine(row: Any, position: Any, boundaries: Any) -> list[Any]:
            height, width = (1 / each.sum() for each in (row[:, 0], row[0]))
            steps = [height.item(), width.item()]
            for step in steps:
                torch._check(step > 0)
            rows, columns = (
                torch.bucketize(torch.arange(0.0, 1 - 1e-6, step), boundaries, right=True)
                for step in steps
            )
            placed = position.clone()
            placed[row.reshape(-1)] = (rows[:, None] * 8 + columns).flatten()
            return [placed]

        scan = torch.ops.higher_order.scan
        return scan(combine, [], [mask, positions], additional_inputs=[boundaries])[0]


def test_a_scan_whose_sizes_are_read_from_a_tensor_is_exported() -> None:
    def inputs(rows: int) -> tuple[Any, Any, Any]:
        mask = torch.ones(rows, 8, 8, dtype=torch.bool)
        return mask, torch.zeros(rows, 64, dtype=torch.int64), (torch.arange(9) / 9)[1:-1]

    shapes = (FIRST, FIRST, FIRST)
    program = torch.export.export(Buckets(), inputs(3), dynamic_shapes=shapes, strict=False)
    assert torch.equal(program.module()(*inputs(5)), Buckets()(*inputs(5)))
