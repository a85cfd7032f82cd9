"""``rocmlint verify model loss-contract``: one compute_loss, and where NaN comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.model import loss_contract as contract
from tests.support import tiny_vl
from tests.support.tiny_vl import nn, torch

if TYPE_CHECKING:
    from rocmlint.verify.result import Result

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("model")]


def results(build: Any) -> dict[str, Result]:
    return {each.claim: each for each in contract.results_of(tiny_vl.ask("loss_contract", build))}


class Trainer:
    """What of Trainer a loss needs."""

    def __init__(self, model: Any = None) -> None:
        self.model = tiny_vl.model() if model is None else model

    def log(self, logs: dict[str, Any]) -> None: ...

    def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any) -> Any:
        outputs = model(**inputs)
        loss = self.changed(outputs.loss)
        return (loss, self.told(outputs)) if return_outputs else loss

    def changed(self, loss: Any) -> Any:
        return loss

    def told(self, outputs: Any) -> Any:
        return outputs


def test_a_healthy_trainer_keeps_the_contract() -> None:
    found = results(Trainer)
    assert {each.verdict for each in found.values()} == {"proven"}
    assert list(found) == [
        contract.SIGNATURE,
        contract.SCALAR,
        contract.FINITE,
        contract.METRICS,
        contract.GRADIENTS,
    ]


def test_a_model_without_a_trainer_is_asked_for_its_own_loss() -> None:
    found = results(tiny_vl.model)
    assert {each.verdict for each in found.values()} == {"proven"}
    assert contract.SIGNATURE not in found


def test_a_signature_of_before_is_contradicted() -> None:
    class Old(Trainer):
        def compute_loss(  # type: ignore[override] # the fault
            self, model: Any, inputs: Any, return_outputs: bool = False
        ) -> Any:
            return super().compute_loss(model, inputs, return_outputs)

    signature = results(Old)[contract.SIGNATURE]
    assert signature.verdict == "contradicted"
    assert f"{__file__}:" in signature.reason


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (lambda loss: loss.expand(3), "shape [3]"),
        (lambda loss: loss.item(), "a float"),
        (lambda loss: loss.detach(), "no graph"),
        (lambda loss: {"loss": loss}, "a dict"),
    ],
)
def test_what_is_not_one_scalar_is_contradicted(change: Any, seen: str) -> None:
    trainer = Trainer()
    trainer.changed = change  # type: ignore[method-assign]
    scalar = results(lambda: trainer)[contract.SCALAR]
    assert (scalar.verdict, scalar.seen) == ("contradicted", seen)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(0.5, "proven"), (3, "proven"), ("text", "proven"), (torch.tensor(0.5), "contradicted")],
)
def test_a_metric_among_the_outputs_is_plain(value: Any, verdict: str) -> None:
    trainer = Trainer()
    trainer.told = lambda outputs: {**outputs, "caption": value}  # type: ignore[method-assign]
    assert results(lambda: trainer)[contract.METRICS].verdict == verdict


def test_a_number_of_numpy_is_not_plain() -> None:
    numpy = pytest.importorskip("numpy")
    trainer = Trainer()
    trainer.told = lambda outputs: {**outputs, "caption": numpy.float32(1)}  # type: ignore[method-assign]
    assert results(lambda: trainer)[contract.METRICS].reason.startswith(
        "caption is a numpy.float32"
    )


def test_a_tensor_that_is_logged_is_contradicted() -> None:
    class Logs(Trainer):
        def changed(self, loss: Any) -> Any:
            self.log({"caption_loss": loss})
            return loss

    metrics = results(Logs)[contract.METRICS]
    assert metrics.verdict == "contradicted"
    assert "caption_loss is logged as a tensor of shape []" in metrics.reason


def test_outputs_that_are_no_dictionary_are_contradicted() -> None:
    trainer = Trainer()
    trainer.told = lambda outputs: (outputs.logits,)  # type: ignore[method-assign]
    assert results(lambda: trainer)[contract.METRICS].seen == "outputs are a tuple"


class Log(nn.Module):  # type: ignore[misc]
    """Takes a logarithm of what can be 0 or negative."""

    def __init__(self, inner: Any, shift: float) -> None:
        super().__init__()
        self.inner, self.shift = inner, shift

    def forward(self, x: Any) -> Any:
        hidden = self.inner(x)
        return hidden + (hidden.relu() * 0 + self.shift).log()  # the logarithm


@pytest.mark.parametrize(("shift", "value"), [(-1.0, "nan"), (0.0, "-inf")])
def test_nan_and_infinity_are_traced_to_module_and_line(shift: float, value: str) -> None:
    def build() -> Any:
        model = tiny_vl.model()
        layer = model.model.language_model.layers[1]
        layer.mlp.down_proj = Log(layer.mlp.down_proj, shift)
        return model

    finite = results(build)[contract.FINITE]
    with open(__file__, encoding="utf-8") as file:
        line = next(n for n, text in enumerate(file, 1) if text.endswith("# the logarithm\n"))
    assert finite.verdict == "contradicted"
    assert f"aten.log.default at {__file__}:{line}" in finite.reason
    assert finite.reason.endswith("in model.language_model.layers.1.mlp.down_proj")
    assert finite.seen.startswith("nan, first in model.language_model.layers.1.mlp.down_proj")
    assert any(each.name == f"first {value.removeprefix('-')}" for each in finite.evidence)


def test_nan_of_compute_loss_itself_is_not_blamed_on_the_model() -> None:
    trainer = Trainer()
    trainer.changed = lambda loss: (loss - loss) / (loss - loss)  # type: ignore[method-assign]
    finite = results(lambda: trainer)[contract.FINITE]
    assert finite.seen == "nan, first in compute_loss itself"


def test_an_infinite_loss_is_contradicted() -> None:
    trainer = Trainer()
    trainer.changed = lambda loss: loss / 0  # type: ignore[method-assign]
    assert results(lambda: trainer)[contract.FINITE].seen.startswith("inf, first in compute_loss")


def test_weights_that_are_not_finite_are_named() -> None:
    def build() -> Any:
        model = tiny_vl.model()
        model.lm_head.weight.data[0, 0] = float("nan")
        return model

    assert "the weights of lm_head.weight are not finite" in results(build)[contract.FINITE].reason


def test_an_infinite_mask_is_no_fault() -> None:
    class Masked(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            mask = torch.full((4,), float("-inf")).masked_fill(torch.arange(4) < 2, 0)
            probabilities = (self.inner(x) + mask).softmax(-1)
            return {"loss": probabilities.square().sum() * float("nan")}  # the product

    finite = results(lambda: (Masked(), {"x": torch.ones(1, 4)}))[contract.FINITE]
    assert "aten.mul" in finite.reason


def test_gradients_that_are_not_finite_are_named() -> None:
    trainer = Trainer()
    trainer.changed = lambda loss: (loss * 0).sqrt()  # type: ignore[method-assign]
    found = results(lambda: trainer)
    assert (found[contract.FINITE].verdict, found[contract.GRADIENTS].verdict) == (
        "proven",
        "contradicted",
    )
    assert "lm_head.weight is the last of them" in found[contract.GRADIENTS].reason
    shown = [each.value for each in found[contract.GRADIENTS].evidence if each.name == "not finite"]
    assert (
        shown[-1] == f"and {int(found[contract.GRADIENTS].seen.split()[0]) - len(shown[:-1])} more"
    )


def test_a_loss_that_fails_is_unproven_with_its_error() -> None:
    class Failing(Trainer):
        def changed(self, loss: Any) -> Any:
            del loss
            raise KeyError("caption")

    found = results(Failing)
    assert found[contract.SCALAR].verdict == "unproven"
    assert "KeyError: 'caption'" in found[contract.SCALAR].reason


def changed(change: Any) -> Any:
    """Build a model that returns what ``change`` makes of its output."""

    def build() -> Any:
        model = tiny_vl.model()
        forward = model.forward
        model.forward = lambda *args, **kwargs: change(forward(*args, **kwargs))
        return model

    return build


def without_loss(output: Any) -> Any:
    return {name: each for name, each in output.items() if name != "loss"}


def other_loss(change: Any) -> Any:
    return lambda output: {**output, "loss": change(output["loss"])}


@pytest.mark.parametrize(
    ("change", "verdict", "said"),
    [
        (without_loss, "contradicted", "the model returns no loss for these labels"),
        (other_loss(lambda _: None), "contradicted", "the model returns no loss for these labels"),
        (other_loss(lambda loss: loss * torch.ones(3)), "contradicted", "the loss has shape [3]"),
        (lambda output: (output.logits,), "contradicted", "the loss has shape [1, "),
        (lambda output: output.logits, "contradicted", "the loss has shape [1, "),
        (
            other_loss(lambda _: torch.zeros((), requires_grad=True) * 1),
            "contradicted",
            "no parameter of the model gets a gradient",
        ),
        (lambda output: (output.loss, output.logits), "proven", ""),
        (lambda output: output.loss, "proven", ""),
    ],
    ids=["missing", "None", "vector", "outputs", "tensor", "constant", "first", "bare"],
)
def test_the_loss_is_the_one_that_trainer_would_take(change: Any, verdict: str, said: str) -> None:
    scalar = results(changed(change))[contract.SCALAR]
    assert (scalar.verdict, said in scalar.reason) == (verdict, True), scalar


class Squares(nn.Module):  # type: ignore[misc]
    """Sums over what it is given: the loss of nothing is 0."""

    def __init__(self, *, trained: bool = True) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4).requires_grad_(trained)

    def forward(self, x: Any, labels: Any) -> Any:
        error = (self.inner(x) - labels.unsqueeze(-1)).square().mean(-1)
        return {"loss": error[labels != -100].sum()}


@pytest.mark.parametrize(
    ("given", "verdict", "said"),
    [
        ({"x": torch.ones(2, 4), "labels": torch.ones(2)}, "proven", ""),
        ({"x": torch.ones(0, 4), "labels": torch.ones(0)}, "unproven", "labels of the inputs"),
        ({"x": torch.ones(2, 4), "labels": torch.tensor([-100, -100])}, "unproven", "is -100"),
        ({"x": torch.ones(2, 4), "labels": torch.tensor([-100, 1])}, "proven", ""),
    ],
    ids=["labels", "no rows", "all left out", "one left"],
)
def test_a_loss_of_nothing_proves_nothing(given: Any, verdict: str, said: str) -> None:
    for result in results(lambda: (Squares(), given)).values():
        assert (result.verdict, said in result.reason) == (verdict, True), result


def test_a_graph_without_a_trained_parameter_is_contradicted() -> None:
    given = {"x": torch.ones(2, 4, requires_grad=True), "labels": torch.ones(2)}
    scalar = results(lambda: (Squares(trained=False), given))[contract.SCALAR]
    assert scalar.verdict == "contradicted"
    assert scalar.reason == "no parameter of the model is trained (requires_grad is False)"


def test_without_outputs_and_logs_no_metric_is_proven() -> None:
    trainer = Trainer()
    trainer.told = lambda outputs: {"loss": outputs.loss}  # type: ignore[method-assign]
    assert results(lambda: trainer)[contract.METRICS].verdict == "unproven"


def test_a_model_without_a_loss_is_unproven() -> None:
    class Silent(nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return {"tokens": x}

    found = results(lambda: (Silent(), {"x": torch.zeros(1, dtype=torch.long)}))
    assert {each.verdict for each in found.values()} == {"unproven"}
