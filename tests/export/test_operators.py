"""The operators of rewritten code: plain Python in eager mode, in the graph of an export."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.export import cond, map_rows, raise_if, raise_unless, while_loop

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    Forward = Callable[[Tensor], Any]


def test_without_torch_they_are_plain_python() -> None:
    assert cond(1, lambda a: a + 1, lambda a: a, (1,)) == 2
    assert cond([], lambda: "then", lambda: "otherwise") == "otherwise"
    assert while_loop(lambda a, b: a < b, lambda a, b: (a + 1, b), (0, 3)) == (3, 3)


def test_errors_are_those_that_are_named() -> None:
    raise_if(0, ValueError, lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    with pytest.raises(KeyError, match="no"):
        raise_if(1, KeyError, "no")
    with pytest.raises(AssertionError) as caught:
        raise_unless([], AssertionError)
    assert caught.value.args == ()


def test_importing_them_does_not_import_torch() -> None:
    code = "import sys, rocmlint.export as e; e.cond(1, int, int); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def exported(forward: Forward, example: Tensor, *, strict: bool, dynamic: bool = False) -> Any:
    """Export a function as a model."""
    import torch  # noqa: PLC0415 - only slow tests need it

    model = type("Model", (torch.nn.Module,), {"forward": lambda _, x: forward(x)})()
    shapes = ({0: torch.export.Dim.DYNAMIC},) if dynamic else None
    return torch.export.export(model, (example,), dynamic_shapes=shapes, strict=strict)


def targets(program: Any) -> set[str]:
    return {str(node.target) for node in program.graph.nodes}


both = pytest.mark.parametrize("strict", [False, True], ids=["non-strict", "strict"])


@pytest.mark.slow
@both
@pytest.mark.parametrize(
    "predicate", [lambda x: x.sum() > 1, lambda x: x.max().item() > 1], ids=["tensor", "value"]
)
def test_a_branch_is_in_the_program(predicate: Forward, *, strict: bool) -> None:
    import torch  # noqa: PLC0415 - as above

    def forward(x: Tensor) -> Tensor:
        found: Tensor = cond(predicate(x), lambda x, _: x * 2, lambda x, _: x, (x, None))
        return found

    program = exported(forward, torch.ones(2), strict=strict)
    assert "cond" in targets(program)
    for x in (torch.ones(2) * 5, -torch.ones(2)):
        assert torch.equal(program.module()(x), forward(x))


@pytest.mark.slow
@both
def test_results_that_share_memory_are_taken(strict: bool) -> None:
    import torch  # noqa: PLC0415 - as above

    def forward(x: Tensor) -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = cond(
            x.sum() > 1, lambda x: (x, x), lambda x: (x.view(-1), x + 1), (x,)
        )
        return found

    program = exported(forward, torch.ones(2), strict=strict).module()
    for x in (torch.ones(2), -torch.ones(2)):
        assert all(map(torch.equal, program(x), forward(x)))


@pytest.mark.slow
@both
@pytest.mark.parametrize(
    "failed", [lambda x: (x < 0).any(), lambda x: x.min().item() < 0], ids=["tensor", "value"]
)
def test_a_check_is_in_the_program(failed: Forward, *, strict: bool) -> None:
    import torch  # noqa: PLC0415 - as above

    def forward(x: Tensor) -> Tensor:
        raise_if(failed(x), ValueError, "negative")
        return x + 1

    program = exported(forward, torch.ones(2), strict=strict)
    program.module()(torch.zeros(2))
    for each in (program, program.run_decompositions()):
        with pytest.raises(RuntimeError, match="ValueError: negative"):
            each.module()(-torch.ones(2))
    with pytest.raises(ValueError, match=r"^negative$"):
        forward(-torch.ones(2))


@pytest.mark.slow
@both
def test_a_check_in_a_branch_counts_for_that_branch(strict: bool) -> None:
    import torch  # noqa: PLC0415 - as above

    def small(x: Tensor) -> Tensor:
        raise_unless((x < 5).all(), ValueError, "large")
        return x

    def forward(x: Tensor) -> Tensor:
        found: Tensor = cond(x.sum() > 100, lambda x: x * 2, small, (x,))
        return found

    program = exported(forward, torch.ones(2), strict=strict).module()
    assert torch.equal(program(torch.ones(2) * 90), torch.ones(2) * 180)
    with pytest.raises(RuntimeError, match="large"):
        program(torch.ones(2) * 9)


@pytest.mark.slow
@both
def test_loops_stay_loops(strict: bool) -> None:
    import torch  # noqa: PLC0415 - as above

    def forward(x: Tensor) -> Tensor:
        total, _ = while_loop(lambda t, _: t < 50, lambda t, x: (t + x.sum(), x), (x.sum(), x))
        return map_rows(lambda row: row * total, x)

    program = exported(forward, torch.ones(3, 2), strict=strict, dynamic=True)
    assert {"while_loop"} <= {each.partition(".")[0] for each in targets(program)}
    for rows in (3, 7):
        x = torch.linspace(0, 1, rows * 2).reshape(rows, 2)
        assert torch.equal(program.module()(x), forward(x))
