"""``rocmlint verify model rope``: position ids against those of the installed transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.model.rope import FORWARD, FUNCTION, results_of
from tests.support import tiny_vl
from tests.support.tiny_vl import nn, transformers

if TYPE_CHECKING:
    from rocmlint.verify.result import Result

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("model")]

QwenModel: Any = transformers.Qwen2_5_VLModel


def results(build: Any, function: str | None = None) -> dict[str, Result]:
    return {each.claim: each for each in results_of(tiny_vl.ask("rope", build, function=function))}


def test_the_official_code_is_proven_on_all_grids() -> None:
    found = results(tiny_vl.model)
    assert (found[FUNCTION].verdict, found[FUNCTION].seen) == ("proven", "30 grids, no difference")
    assert (found[FORWARD].verdict, found[FORWARD].seen) == ("proven", "3 forwards, no difference")


def off_by_one(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Shift the height of what is behind an image, as a patch once did."""
    positions, deltas = original(self, *args, **kwargs)
    positions[1] += positions[1] > 3
    return positions, deltas


original: Any = QwenModel.get_rope_index


def test_a_patched_method_is_contradicted_with_the_first_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QwenModel, "get_rope_index", off_by_one)
    found = results(tiny_vl.model)
    assert found[FUNCTION].verdict == "contradicted"
    assert "one square image: height of token " in found[FUNCTION].reason
    assert found[FUNCTION].evidence[0].value.startswith(f"{__file__}:")


def home_grown(input_ids: Any) -> Any:
    """Count the tokens, as if there were no images."""
    rows, length = input_ids.shape
    ids = tiny_vl.torch.arange(length).expand(3, rows, length)
    return ids, None


def test_a_home_grown_function_is_contradicted_and_the_model_is_not() -> None:
    found = results(tiny_vl.model, f"{__name__}:home_grown")
    assert found[FUNCTION].verdict == "contradicted"
    assert found[FUNCTION].seen.endswith("of 30 grids differ")
    assert found[FORWARD].verdict == "proven"


def test_a_forward_that_makes_its_own_positions_is_contradicted() -> None:
    class Own(transformers.Qwen2_5_VLForConditionalGeneration):  # type: ignore[misc]
        def forward(self, input_ids: Any = None, **kwargs: Any) -> Any:
            kwargs["position_ids"] = home_grown(input_ids)[0]
            return super().forward(input_ids=input_ids, **kwargs)

    found = results(lambda: tiny_vl.model(Own))
    assert (found[FUNCTION].verdict, found[FORWARD].verdict) == ("proven", "contradicted")


def broken(input_ids: Any, image_grid_thw: Any = None) -> Any:
    return input_ids[:, image_grid_thw[5]]


def test_a_function_that_fails_is_contradicted_with_its_error() -> None:
    found = results(tiny_vl.model, f"{__name__}:broken")
    assert found[FUNCTION].verdict == "contradicted"
    assert "IndexError" in found[FUNCTION].reason


@pytest.mark.parametrize(
    ("build", "reason"),
    [(lambda: nn.Linear(2, 2), "Linear has no get_rope_index()")],
)
def test_a_model_without_such_positions_is_unproven(build: Any, reason: str) -> None:
    (only,) = results(build).values()
    assert (only.verdict, only.reason) == ("unproven", reason)


def test_a_class_that_is_not_of_transformers_is_unproven() -> None:
    class Own(nn.Module):  # type: ignore[misc]
        def get_rope_index(self, input_ids: Any) -> Any:
            return input_ids

    (only,) = results(Own).values()
    assert (only.verdict, "is not based on a class of transformers" in only.reason) == (
        "unproven",
        True,
    )


def test_a_forward_that_fails_is_unproven() -> None:
    def build() -> Any:
        model = tiny_vl.model()
        del model.model.visual.merger
        return model

    found = results(build)
    assert (found[FUNCTION].verdict, found[FORWARD].verdict) == ("proven", "unproven")
    assert "the forward failed: AttributeError" in found[FORWARD].reason
