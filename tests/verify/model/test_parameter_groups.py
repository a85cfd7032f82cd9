"""``rocmlint verify model parameter-groups``: one group for each, none frozen by mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.model.parameter_groups import ParameterGroup, results_of
from tests.support import tiny_vl
from tests.support.tiny_vl import nn, torch

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.result import Result

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("model")]

ALL = (
    ParameterGroup("vision", ("model.visual.blocks", "model.visual.patch_embed")),
    ParameterGroup("merger", ("*.merger.*",)),
    ParameterGroup("text", ("model.language_model", "lm_head")),
)


def results(build: Any, *groups: ParameterGroup, frozen: tuple[str, ...] = ()) -> dict[str, Result]:
    found = results_of(tiny_vl.ask("parameter_groups", build), groups, frozen)
    return {each.claim: each for each in found}


IN_ONE = "each parameter is in exactly one group"
HOLDS = "its optimizer holds each trained parameter once"


def test_groups_that_share_the_parameters_are_proven() -> None:
    found = results(tiny_vl.model, *ALL)
    assert {each.verdict for each in found.values()} == {"proven"}
    assert found[IN_ONE].seen == "57 parameters in 3 groups"
    assert "learning rate unknown" in found["group text is trained"].seen


def test_nothing_is_proven_of_no_parameter() -> None:
    def frozen() -> Any:
        model = nn.Linear(2, 2).requires_grad_(False)
        return {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1)}

    assert results(frozen)[HOLDS].reason == "no parameter is trained (requires_grad is False)"
    found = results(nn.Identity, ParameterGroup("all", (), frozenset()))
    assert {each.verdict for each in found.values()} == {"unproven"}
    assert found[IN_ONE].reason == "the model has no parameters"


def test_a_rogue_parameter_is_named() -> None:
    def build() -> Any:
        model = tiny_vl.model()
        model.detection_head = nn.Linear(32, 4)
        return model

    rogue = results(build, *ALL)[IN_ONE]
    assert rogue.verdict == "contradicted"
    assert [each.value for each in rogue.evidence if each.name == "in no group"] == [
        "detection_head.weight",
        "detection_head.bias",
    ]


def test_a_parameter_in_two_groups_is_named() -> None:
    both = results(tiny_vl.model, *ALL, ParameterGroup("norms", ("*norm.weight",)))[IN_ONE]
    assert both.verdict == "contradicted"
    assert "in several groups" in {each.name for each in both.evidence}


def test_a_pattern_that_fits_no_parameter_is_contradicted() -> None:
    head = results(tiny_vl.model, *ALL, ParameterGroup("head", ("detection_head",)))[
        "group head is trained"
    ]
    assert (head.verdict, head.reason) == (
        "contradicted",
        "no parameter has a name like detection_head",
    )


def frozen_vision() -> Any:
    model = tiny_vl.model()
    model.model.visual.requires_grad_(False)
    return model


def test_a_frozen_group_is_contradicted_unless_it_is_on_purpose() -> None:
    assert results(frozen_vision, *ALL)["group vision is trained"].verdict == "contradicted"
    on_purpose = results(frozen_vision, *ALL, frozen=("vision", "merger"))
    assert {each.verdict for each in on_purpose.values()} == {"proven"}


def test_a_group_that_should_be_frozen_and_is_trained_is_contradicted() -> None:
    found = results(tiny_vl.model, *ALL, frozen=("vision",))
    assert found["group vision is frozen"].verdict == "contradicted"


def optimized(change: Any = lambda groups: groups) -> Any:
    model = tiny_vl.model()
    vision: list[Any] = []
    text: list[Any] = []
    for name, each in model.named_parameters():
        (vision if ".visual." in name else text).append(each)
    groups = [
        {"params": vision, "lr": 1e-5, "name": "vision"},
        {"params": text, "lr": 1e-4, "name": "text"},
    ]
    return {"model": model, "optimizer": torch.optim.AdamW(change(groups))}


def test_the_groups_of_an_optimizer_are_told_with_rate_and_size() -> None:
    found = results(optimized)
    assert {each.verdict for each in found.values()} == {"proven"}
    assert found["group vision is trained"].seen == "30 parameters, 0.3 MB, learning rate 1e-05"


def test_a_parameter_that_the_optimizer_does_not_have_is_contradicted() -> None:
    found = results(lambda: optimized(lambda groups: groups[:1]))
    assert found[HOLDS].verdict == "contradicted"
    assert found[HOLDS].seen == "27 trained parameters are not in it"


def test_an_optimizer_of_another_model_is_contradicted() -> None:
    found = results(lambda: {**optimized(), "model": tiny_vl.model()})
    assert "57 of its tensors are not parameters of the model" in found[HOLDS].seen


def test_a_learning_rate_of_zero_is_frozen() -> None:
    def still(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
        groups[0]["lr"] = 0.0
        return groups

    assert results(lambda: optimized(still))["group vision is trained"].verdict == "contradicted"


def test_a_warm_up_that_begins_with_zero_is_not_frozen() -> None:
    def build() -> Any:
        parts = optimized()
        torch.optim.lr_scheduler.LambdaLR(parts["optimizer"], lambda step: step / 10)
        assert parts["optimizer"].param_groups[0]["lr"] == 0
        return parts

    assert results(build)["group vision is trained"].verdict == "proven"


def test_two_learning_rates_in_a_configured_group_are_contradicted() -> None:
    found = results(optimized, ParameterGroup("all", ("model", "lm_head")))
    assert found["group all is trained"].reason == "its parameters have 2 learning rates"


def test_without_groups_their_sizes_are_told() -> None:
    (only,) = results(tiny_vl.model).values()
    assert only.verdict == "unproven"
    assert only.evidence[0].value == "model.visual: 79,488"


def test_a_trainer_that_cannot_make_its_optimizer_is_unproven() -> None:
    class Trainer:
        model = nn.Linear(2, 2)
        optimizer = None

        def compute_loss(self) -> None: ...

        def create_optimizer(self) -> None:
            message = "deepspeed is not installed"
            raise ImportError(message)

    found = results(Trainer, ParameterGroup("all", ("*",)))[HOLDS]
    assert (found.verdict, "deepspeed is not installed" in found.reason) == ("unproven", True)


def test_a_folder_needs_neither_code_nor_weights(tmp_path: Path) -> None:
    folder = str(tiny_vl.saved(tmp_path))
    answer = tiny_vl.ask("parameter_groups", None, config=folder)
    assert {each.verdict for each in results_of(answer, ALL, ())} == {"proven"}
    assert "the model is built without weights" in answer["notes"]


def test_a_large_model_of_a_folder_is_built_with_two_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocmlint.interpreter.inside.model import configured  # noqa: PLC0415 - needs torch

    made = tiny_vl.config()
    made.text_config.num_hidden_layers, made.text_config.layer_types = 6, ["full_attention"] * 6
    made.vision_config.depth, made.vision_config.fullatt_block_indexes = 4, [1, 3]
    made.save_pretrained(tmp_path)
    monkeypatch.setattr(configured, "_MOST", 400_000)
    answer = tiny_vl.ask("rope", None, config=str(tmp_path), function=None)
    assert "built with 2 layers of each kind, since it has 0 GB" in answer["notes"]
    assert not any(each["differs"] or each["error"] for each in answer["cases"])
