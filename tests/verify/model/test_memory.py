"""``rocmlint verify model memory``: a leak of one tensor a step, and none in a healthy loop."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.model import trend
from rocmlint.verify.model.memory import STEPS, result_of, warm_up_of
from tests.support import tiny_vl
from tests.support.tiny_vl import nn, torch

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.result import Result
    from tests.support.project import Project

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("model")]

LOGGED: list[Any] = []
"""What a step forgets to clear."""


def result(build: Any, steps: int = STEPS) -> Result:
    warm_up = warm_up_of(steps)
    request = {"steps": steps, "warm_up": warm_up, "many": (steps - warm_up) // 2}
    return result_of(tiny_vl.ask("memory", build, **request), warm_up)


def evidence(found: Result, name: str) -> str:
    return "\n".join(each.value for each in found.evidence if each.name == name)


def line_of(text: str) -> int:
    """Return the number of the line of this file that ends with a comment."""
    with open(__file__, encoding="utf-8") as file:
        return next(at for at, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}"))


def nothing(*_: Any) -> None:
    """Keep nothing of a step."""


def loop(after: Any = nothing, sizes: Any = lambda: 8) -> Any:
    """Return a training loop; ``after`` is called with the loss and the hidden state of a step."""
    model = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters())

    def step() -> None:
        hidden = model[:2](torch.randn(sizes(), 32))  # the hidden state
        loss = model[2](hidden).square().mean()  # the loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        after(loss, hidden)

    return {"model": model, "step": step}


@pytest.mark.parametrize("seed", range(10))
def test_a_healthy_loop_has_no_leak_ten_times_out_of_ten(seed: int) -> None:
    sizes = random.Random(seed)  # noqa: S311 - no secret
    found = result(lambda: loop(sizes=lambda: sizes.randint(1, 64)))
    assert (found.verdict, found.strength) == ("proven", "executed")
    assert found.seen == "0.0 ± 0.0 bytes per step, 45 steps"


@pytest.mark.parametrize("seed", range(10))
def test_one_tensor_a_step_is_a_leak_ten_times_out_of_ten(seed: int) -> None:
    LOGGED.clear()
    sizes = random.Random(seed)  # noqa: S311 - no secret

    def after(loss: Any, _: Any) -> None:
        LOGGED.append(loss.detach())

    found = result(lambda: loop(after, lambda: sizes.randint(1, 64)))
    assert found.verdict == "contradicted"
    assert found.seen == "+4.0 ± 0.0 bytes per step, 45 steps"
    LOGGED.clear()


def test_the_lines_that_make_and_hold_the_tensors_are_named() -> None:
    LOGGED.clear()

    def after(_: Any, hidden: Any) -> None:
        LOGGED.append(hidden.detach())  # kept

    found = result(lambda: loop(after), 20)
    assert f"{__file__}:{line_of('the hidden state')}: 17 tensors, 17,408 bytes" in evidence(
        found, "made at"
    )
    held = evidence(found, "held by")
    assert f"global variable LOGGED of {__file__}, filled in line" in held
    assert str(line_of("kept")) in held
    LOGGED.clear()


def test_a_sum_that_keeps_its_graphs_is_named() -> None:
    class Total:
        loss: Any = 0.0

        def __call__(self) -> None:
            self.loss = self.loss + (weight.exp() * 2).sum()  # the total

    weight = torch.ones(100, requires_grad=True)
    found = result(lambda: {"step": Total()}, 20)
    assert found.verdict == "contradicted"
    assert f"{__file__}:{line_of('the total')}" in evidence(found, "made at")
    held = evidence(found, "held by")
    assert "attribute loss of" in held
    assert "an autograd graph of " in held


class Keeps(nn.Module):  # type: ignore[misc]
    """Remembers what it returned."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 8)
        self.kept: list[Any] = []

    def forward(self, x: Any) -> Any:
        hidden = self.inner(x)
        self.kept.append(hidden)  # keeps
        return hidden


def test_a_module_that_remembers_is_named() -> None:
    found = result(lambda: (Keeps(), (torch.ones(4, 8),)), 20)
    held = evidence(found, "held by")
    assert found.verdict == "contradicted"
    assert f"attribute kept of Keeps ({__file__}), filled in line {line_of('keeps')}" in held


def test_a_cache_in_a_closure_is_named() -> None:
    def build() -> Any:
        seen: dict[int, Any] = {}

        def step(number: int) -> None:
            seen[number] = torch.ones(16)  # seen

        return {"step": step}

    found = result(build, 20)
    assert f"filled in line {line_of('seen')}" in evidence(found, "held by")


def test_a_tiny_vision_model_trains_without_a_leak() -> None:
    found = result(tiny_vl.model, 16)
    assert (found.verdict, found.seen) == ("proven", "0.0 ± 0.0 bytes per step, 13 steps")
    assert "forward, backward, optimizer.step()" in evidence(found, "with")


def test_a_tiny_vision_model_that_keeps_its_logits_leaks() -> None:
    def build() -> Any:
        model = tiny_vl.model()
        model.kept = []
        model.lm_head.register_forward_hook(
            lambda _, __, output: model.kept.append(output.detach().mean())  # hook
        )
        return model, tiny_vl.inputs()

    found = result(build, 16)
    assert found.verdict == "contradicted"
    held = evidence(found, "held by")
    assert "attribute kept of Qwen2_5_VLForConditionalGeneration" in held
    assert str(line_of("hook")) in held
    assert f" of {__file__} (holds " in held


def test_a_step_that_fails_early_is_unproven_with_its_error() -> None:
    def step(number: int) -> None:
        if number == 4:
            message = "HIP out of memory"
            raise RuntimeError(message)

    found = result(lambda: {"step": step})
    assert (found.verdict, found.seen) == ("unproven", "too few steps")
    assert "then step 4: RuntimeError: HIP out of memory" in found.reason


def test_a_leak_that_ends_with_an_error_is_a_leak() -> None:
    held: list[Any] = []

    def step(number: int) -> None:
        held.append(torch.ones(1000))
        if number == 40:
            message = "HIP out of memory"
            raise RuntimeError(message)

    assert result(lambda: {"step": step}).verdict == "contradicted"


def test_a_healthy_loop_that_ends_with_an_error_is_unproven() -> None:
    def step(number: int) -> None:
        torch.ones(1000)
        if number == 40:
            message = "no more data"
            raise StopIteration(message)

    found = result(lambda: {"step": step})
    assert (found.verdict, "step 40: StopIteration" in found.reason) == ("unproven", True)


def test_steps_without_an_operation_prove_nothing() -> None:
    found = result(lambda: {"step": nothing})
    assert (found.verdict, found.seen) == ("unproven", "no operation")


def test_without_a_model_or_a_step_there_is_nothing_to_do() -> None:
    from rocmlint.interpreter.inside import CannotAnswerError  # noqa: PLC0415 - needs no torch

    with pytest.raises(CannotAnswerError, match="needs a model or a training step"):
        result(tiny_vl.tokenizer)


def test_a_trainer_makes_its_own_step() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.model, self.optimizer = nn.Linear(8, 8), None

        def create_optimizer(self) -> None:
            self.optimizer = torch.optim.SGD(self.model.parameters())

        def compute_loss(self, model: Any, inputs: Any) -> Any:
            return model(inputs["x"]).mean()

        def training_step(self, model: Any, inputs: Any) -> None:
            self.compute_loss(model, inputs).backward()

    found = result(lambda: {"trainer": Trainer(), "inputs": {"x": torch.ones(2, 8)}}, 15)
    assert found.verdict == "proven"
    assert "training_step() of the trainer" in evidence(found, "with")


BASE = 1_000_000
STEADY = [BASE] * 45


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (STEADY, "stays"),
        ([BASE + 4 * at for at in range(45)], "grows"),
        ([BASE - 4 * at for at in range(45)], "stays"),
        ([BASE] * 22 + [BASE + 5000] * 23, "jumped"),
        ([BASE + min(at, 10) * 5000 for at in range(45)], "jumped"),
        ([BASE + (at % 7) * 1000 for at in range(45)], "stays"),
        ([BASE + (at % 2) * BASE for at in range(45)], "noisy"),
        ([BASE + at // 5 * 1000 for at in range(45)], "grows"),
    ],
)
def test_a_jump_is_no_leak_and_noise_is_no_proof(values: list[int], kind: str) -> None:
    assert trend.trend_of(values, 0.001 * BASE).kind == kind


def test_a_leak_below_noise_is_found() -> None:
    sizes = random.Random(1)  # noqa: S311 - no secret
    values = [BASE + 100 * at + sizes.randint(0, 800) for at in range(45)]
    found = trend.trend_of(values, 0.001 * BASE)
    assert found.kind == "grows"
    assert abs(found.slope - 100) < 4 * found.error


@pytest.mark.parametrize("seed", range(10))
def test_noise_alone_is_never_a_leak(seed: int) -> None:
    sizes = random.Random(seed)  # noqa: S311 - no secret
    values = [BASE + sizes.randint(0, 50_000) for _ in range(45)]
    assert trend.trend_of(values, 0.001 * BASE).kind != "grows"


def test_the_memory_of_each_step_is_drawn(project: Project) -> None:
    pytest.importorskip("matplotlib")
    project.write(
        "mine.py",
        "import torch\nkept = []\ndef loop():\n"
        "    return {'step': lambda: kept.append(torch.ones(1000))}\n",
    )
    command = ("verify", "model", "mine:loop", "memory", "--steps", "20")
    assert project.run(*command, "--plot", "m.svg").returncode == 1
    drawn = (project.root / "m.svg").read_text()
    assert "+4,000.0 ± 0.0 bytes per step" in drawn
    assert "a leak" in drawn
    few = project.run(*command[:-1], "5")
    assert (few.returncode, "at least 15 are needed" in few.stderr) == (2, True)


def test_a_graph_is_seen_by_this_torch(tmp_path: Path) -> None:
    """Without it the check would find no leak of graphs, and says so instead."""
    from rocmlint.interpreter.inside.model import live_tensors  # noqa: PLC0415 - needs torch

    assert live_tensors.sees_graphs()
    assert not list(tmp_path.iterdir())


def test_the_trainer_of_transformers_leaks_what_it_logs_as_a_tensor(tmp_path: Path) -> None:
    pytest.importorskip("accelerate")
    kind: Any = tiny_vl.transformers.Trainer
    batch = {**tiny_vl.inputs(), "labels": tiny_vl.inputs()["input_ids"]}

    class Logs(kind):  # type: ignore[misc]
        def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
            loss = super().compute_loss(*args, **kwargs)
            self.log({"caption_loss": loss})
            return loss

    def build(trainer: Any) -> Any:
        arguments = tiny_vl.transformers.TrainingArguments(
            output_dir=str(tmp_path), report_to=[], use_cpu=True
        )
        return trainer(
            model=tiny_vl.model(),
            args=arguments,
            train_dataset=[batch],
            data_collator=lambda rows: rows[0],
        )

    assert result(lambda: build(kind), 16).verdict == "proven"
    leak = result(lambda: build(Logs), 16)
    assert leak.verdict == "contradicted"
    assert "attribute log_history of TrainerState" in evidence(leak, "held by")
    assert "the inputs are the first batch of the trainer" in evidence(leak, "with")
