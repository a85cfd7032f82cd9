"""``rocmlint verify model generation-inputs``: vision once, in the pre-fill, and with its grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.model.generation_inputs import ONCE, results_of
from tests.support import tiny_vl
from tests.support.tiny_vl import nn, torch, transformers

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.result import Result

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("model")]

QwenVL: Any = transformers.Qwen2_5_VLForConditionalGeneration
AGREE = "pixel_values and image_grid_thw agree"
VISION = ("pixel_values", "image_grid_thw", "mm_encoder_outputs")


def results(build: Any, steps: int = 3) -> dict[str, Result]:
    found = results_of(tiny_vl.ask("generation_inputs", build, steps=steps))
    return {each.claim: each for each in found}


def with_inputs(**changed: Any) -> Any:
    given = {**tiny_vl.inputs(), **changed}
    return tiny_vl.model(), {name: each for name, each in given.items() if each is not None}


def test_the_official_code_hands_vision_on_once() -> None:
    found = results(tiny_vl.model)
    assert (found[ONCE].verdict, found[ONCE].seen) == ("proven", "in step 1 of 3")
    assert (found[AGREE].verdict, found[AGREE].seen) == ("proven", "16 patches in both")


def test_a_folder_needs_no_code(tmp_path: Path) -> None:
    folder = str(tiny_vl.saved(tmp_path))
    answer = tiny_vl.ask("generation_inputs", None, config=folder, steps=2)
    assert {each.verdict for each in results_of(answer)} == {"proven"}
    assert "the weights are random" in answer["notes"]


class EveryStep(QwenVL):  # type: ignore[misc]
    """Hands the vision inputs on in each step, as in G-001."""

    def prepare_inputs_for_generation(self, input_ids: Any, **kwargs: Any) -> Any:
        made = super().prepare_inputs_for_generation(input_ids, **kwargs)
        return {**made, **{each: kwargs[each] for each in VISION if each in kwargs}}


def test_vision_in_every_step_is_contradicted_with_the_crash_that_follows() -> None:
    once = results(lambda: (tiny_vl.model(EveryStep), tiny_vl.inputs()))[ONCE]
    assert once.verdict == "contradicted"
    assert once.seen == "vision inputs in steps 1 and 2"
    assert "for a single new token; it then fails with " in once.reason
    assert "test_generation_inputs.py:" in once.action


class Dropped(QwenVL):  # type: ignore[misc]
    """Hands no vision input on."""

    def prepare_inputs_for_generation(self, input_ids: Any, **kwargs: Any) -> Any:
        made = super().prepare_inputs_for_generation(input_ids, **kwargs)
        return {name: each for name, each in made.items() if name not in VISION}


def test_vision_that_never_enters_is_contradicted() -> None:
    once = results(lambda: tiny_vl.model(Dropped))[ONCE]
    assert (once.verdict, once.seen) == ("contradicted", "no vision inputs in the pre-fill")


class WithoutCache(QwenVL):  # type: ignore[misc]
    """Begins again in each step."""

    def prepare_inputs_for_generation(self, input_ids: Any, **kwargs: Any) -> Any:
        kwargs = {**kwargs, "use_cache": False, "past_key_values": None}
        kwargs["next_sequence_length"] = None
        made = super().prepare_inputs_for_generation(input_ids, **kwargs)
        return {**made, **{each: kwargs[each] for each in VISION if each in kwargs}}


def test_without_a_cache_each_step_is_a_pre_fill_and_nothing_is_proven() -> None:
    once = results(lambda: tiny_vl.model(WithoutCache))[ONCE]
    assert (once.verdict, once.seen) == ("unproven", "every step is a pre-fill")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"image_grid_thw": None}, "given pixel_values without image_grid_thw"),
        (
            {"image_grid_thw": tiny_vl.torch.tensor([[1, 4, 2]])},
            "16 rows of pixel_values, 8 patches of image_grid_thw",
        ),
        (
            {"input_ids": tiny_vl.torch.tensor([[1, 3, 5, 5, 4, 10, 11, 12, 13, 14, 15]])},
            "2 tokens for 4 merged patches",
        ),
    ],
)
def test_pixels_that_do_not_fit_their_grid_are_contradicted(
    changed: dict[str, Any], reason: str
) -> None:
    found = results(lambda: with_inputs(**changed))
    assert found[AGREE].verdict == "contradicted"
    assert reason in found[AGREE].reason
    assert found[ONCE].verdict == "unproven"


def test_a_grid_without_pixels_is_contradicted() -> None:
    video = {"pixel_values_videos": tiny_vl.inputs()["pixel_values"], "pixel_values": None}
    found = results(lambda: with_inputs(**video))
    assert "given image_grid_thw without pixel_values" in found[AGREE].reason


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: nn.Linear(2, 2), "the factory returns no inputs, and none can be made"),
        (lambda: (nn.Linear(2, 2), {"pixel_values": 3}), "Linear has no generate()"),
        (lambda: with_inputs(pixel_values=None), "the inputs have no pixels"),
        (lambda: with_inputs(pixel_values=torch.zeros(0, 9)), "the inputs have no pixels"),
    ],
)
def test_what_cannot_be_seen_is_unproven(build: Any, reason: str) -> None:
    (only,) = results(build).values()
    assert only.verdict == "unproven"
    assert reason in only.reason


def test_a_generate_that_fails_at_once_is_unproven_with_its_error() -> None:
    class Failing(nn.Module):  # type: ignore[misc]
        def generate(self, **_: Any) -> None:
            message = "no kernel image"
            raise RuntimeError(message)

        def forward(self, pixel_values: Any) -> None: ...

    inputs = {"pixel_values": tiny_vl.torch.zeros(1)}
    once = results(lambda: (Failing(), inputs))[ONCE]
    assert (once.verdict, "RuntimeError: no kernel image" in once.reason) == ("unproven", True)
