"""Small models that do not export, or export into a program that is wrong in a way of its own.

``torch.compiler.is_exporting()`` stands for whatever makes a program different from its model: a
patch, a rewrite, a registration.
"""

from __future__ import annotations

import importlib
import os
import signal
import time
from typing import Any

torch: Any = importlib.import_module("torch")
Dim: Any = importlib.import_module("torch.export").Dim


def exporting() -> bool:
    return bool(torch.compiler.is_exporting())


def _model(forward: Any) -> Any:
    """Return a model with this forward, which is the line that messages name."""
    return type("Model", (torch.nn.Module,), {"forward": forward})().eval()


def _inputs(*shape: int) -> dict[str, Any]:
    torch.manual_seed(0)
    return {"x": torch.randn(*shape)}


def right() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return torch.nn.functional.gelu(x) @ torch.ones(8, 8)

    return _model(forward), _inputs(4, 8)


def right_for_one_row() -> Any:
    return right()[0], _inputs(1, 8)


class _Halves(torch.nn.Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return x * 2 if exporting() or x.shape[0] % 2 == 0 else x * 3


class _WrongForOddSizes(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear, self.halves = torch.nn.Linear(8, 8), _Halves()

    def forward(self, x: Any) -> Any:
        return self.halves(self.linear(x))


def wrong_for_odd_sizes() -> Any:
    return _WrongForOddSizes().eval(), _inputs(4, 8)


def wrong_for_zeros() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return x + 1 if exporting() else torch.where((x == 0).all(), x, x + 1)

    return _model(forward), _inputs(4, 8)


def wrong_by_a_hundredth_in_half_precision() -> Any:
    model = torch.nn.Linear(64, 64).half().eval()

    def forward(_: Any, x: Any) -> Any:
        return model(x) * 1.01 if exporting() else model(x)

    made = _model(forward)
    made.linear = model
    return made, {"x": torch.randn(4, 64, generator=torch.Generator().manual_seed(0)).half()}


def wrong_in_small_numbers() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return x * (2e-6 if exporting() else 1e-6)

    return _model(forward), _inputs(4, 8)


def wrong_beside_a_mask() -> Any:
    def forward(_: Any, x: Any) -> Any:
        y = x + 1 if exporting() else x
        return torch.cat([y, torch.full_like(x, torch.finfo(x.dtype).min)], 1)

    return _model(forward), _inputs(4, 8)


def another_order_of_keys() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return {"a": x + 1, "b": x} if exporting() else {"b": x, "a": x + 1}

    return _model(forward), _inputs(4, 8)


def a_list_instead_of_a_tuple() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return [x + 1] if exporting() else (x + 1,)

    return _model(forward), _inputs(4, 8)


def does_not_write_into_its_input() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return x + 1 if exporting() else x.add_(1).clone()

    return _model(forward), _inputs(4, 8)


def does_not_count() -> Any:
    def forward(self: Any, x: Any) -> Any:
        if not exporting():
            self.count.add_(1)
        return x + 1

    model = _model(forward)
    model.register_buffer("count", torch.zeros(()))
    return model, _inputs(4, 8)


def returns_a_view_of_its_input() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return x[:, :4] if exporting() else x[:, :4].clone()

    return _model(forward), _inputs(4, 8)


def nothing_but_nan() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return x * float("nan")

    return _model(forward), _inputs(4, 8)


def in_training_mode() -> Any:
    return torch.nn.Dropout(0.5).train(), {"input": torch.ones(4, 8)}


def other_weights_each_time() -> Any:
    torch.manual_seed(int.from_bytes(os.urandom(4), "big"))
    return torch.nn.Linear(8, 8).eval(), {"input": torch.ones(4, 8)}


def fixed_size() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return x * int(x.shape[0])

    return _model(forward), _inputs(4, 8)


def fixed_size_that_may_be() -> Any:
    return (*fixed_size(), {"x": {0: Dim.AUTO}})


def fixed_size_of_a_named_dimension() -> Any:
    return (*fixed_size(), {"x": {0: Dim("rows")}})


def at_most_twelve() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return x * 2 if x.shape[0] <= 12 else x * 3

    return _model(forward), _inputs(4, 8)


def at_most_twelve_of_a_hundred() -> Any:
    model, _ = at_most_twelve()
    inputs = [{"x": torch.ones(each, 8)} for each in (4, 1, 13)]
    return model, inputs, {"x": {0: Dim("rows", min=1, max=100)}}


def both_branches() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda y: y * 2, lambda y: y * 3, (x,))

    return _model(forward), _inputs(4, 8)


def a_branch_that_is_never_taken() -> Any:
    def forward(_: Any, x: Any) -> Any:
        return torch.cond(x.abs().sum() < -1, lambda y: y * 2, lambda y: y * 3, (x,))

    return _model(forward), _inputs(4, 8)


def depends_on_data() -> Any:
    def forward(_: Any, x: Any) -> Any:
        if x.sum() > 0:
            return x * 2
        return x * 3

    return _model(forward), _inputs(4, 8)


def reads_a_value() -> Any:
    def forward(_: Any, x: Any) -> Any:
        scale = x.max().item()
        return x / scale if scale > 1 else x

    return _model(forward), _inputs(4, 8)


def kills_itself() -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def hangs() -> Any:
    time.sleep(600)


def takes_much_memory() -> Any:
    return torch.nn.Linear(8, 8), {"input": torch.ones(3_000_000_000)}


def returns_something_else() -> Any:
    return 1
