"""``verify dtype``: a fault in a healthy model is found, with its module and its line."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.dtype.judge import results_of as judgements
from tests.support.dtype_faults import DOWN, LEAVING, MULTIPLYING, Fault
from tests.support.dtype_measured import measured
from tests.support.dtype_models import HALF, ask, nn, tiny, torch

if TYPE_CHECKING:
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("dtype")]
pytest.importorskip("transformers")


F: Any = nn.functional
LIBRARIES: list[Any] = []
"""Operators are there as long as their library."""


def cast_before_the_run(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj
    wide = proj.weight.detach().float()
    proj.forward = lambda x: F.linear(x.float(), wide).to(x.dtype)


def by_numpy(model: Any) -> None:
    proj = model.model.layers[0].mlp.down_proj

    def forward(x: Any) -> Any:
        product = x.float().numpy() @ proj.weight.detach().float().numpy().T
        return torch.from_numpy(product).to(x.dtype)

    proj.forward = forward


def by_an_operator_of_its_own(model: Any) -> None:
    if not hasattr(torch.ops.of_the_tests, "tiles"):
        library = torch.library.Library("of_the_tests", "DEF")
        library.define("tiles(Tensor x, Tensor weight) -> Tensor")
        library.impl("tiles", lambda x, weight: x @ weight.t(), "CompositeExplicitAutograd")
        LIBRARIES.append(library)
    proj = model.model.layers[0].mlp.down_proj
    operator = torch.ops.of_the_tests.tiles
    proj.forward = lambda x: operator(x.float(), proj.weight.float()).to(x.dtype)


HIDDEN = {
    "a copy made before the run": Fault("llama", cast_before_the_run, DOWN),
    "by NumPy": Fault("llama", by_numpy, DOWN),
    "by an operator of its own": Fault("llama", by_an_operator_of_its_own, DOWN),
}


def here(put: Any) -> set[str]:
    """Return ``file:line`` of each line of the module with the mark that a function has."""
    lines, first = inspect.getsourcelines(put)
    file = inspect.getsourcefile(put)
    return {f"{file}:{first + at}" for at, line in enumerate(lines) if "# here" in line}


def told_of(fault: Fault) -> tuple[Any, Any]:
    """Return what was measured of a model with the fault, and the results."""
    model, inputs = tiny({"llama": "mistral_prefill"}.get(fault.model, fault.model), HALF)
    fault.put(model)
    seen = measured(model, inputs)
    return seen, list(judgements(ask(lambda: (model, inputs))))


def is_named(text: str, places: set[str]) -> bool:
    return any(place in text for place in places)


@pytest.mark.parametrize("name", LEAVING)
def test_what_leaves_its_dtype_is_found(name: str, judged: Judged) -> None:
    fault = LEAVING[name]
    seen, (_, forward, *_) = told_of(fault)
    is_broken = bool(seen.crash) or bool(seen.new[fault.module] - {HALF}) or name == "in an object"
    judged("dtype", "broken" if is_broken else "holds", forward.verdict)
    assert forward.verdict == "contradicted"
    named = [forward.seen, forward.reason, *(each.value for each in forward.evidence)]
    assert fault.module in forward.seen or fault.module in forward.reason
    assert is_named("\n".join(named), here(fault.put)) or not here(fault.put)


@pytest.mark.parametrize("name", MULTIPLYING)
def test_a_matmul_in_a_larger_dtype_is_found(name: str, judged: Judged) -> None:
    fault = MULTIPLYING[name]
    seen, (_, forward, matmuls) = told_of(fault)
    wide = sum(count for dtype, count in seen.products.items() if dtype.itemsize > HALF.itemsize)
    assert seen.crash is None
    judged("dtype", "broken" if wide else "holds", matmuls.verdict)
    assert matmuls.verdict == "contradicted"
    assert matmuls.seen.startswith(f"{fault.module} multiplies in ")
    assert is_named(matmuls.reason, here(fault.put)) or not here(fault.put)
    assert forward.verdict == "proven"


@pytest.mark.parametrize("name", HIDDEN)
def test_a_matmul_that_cannot_be_judged_is_unproven(name: str, judged: Judged) -> None:
    fault = HIDDEN[name]
    seen, (_, _, matmuls) = told_of(fault)
    assert seen.crash is None
    judged("dtype", "broken", matmuls.verdict)
    assert matmuls.verdict == "unproven"
    assert fault.module in matmuls.reason
