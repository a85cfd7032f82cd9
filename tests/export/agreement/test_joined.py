"""Features of images: a list in what the model returns, one tensor in what the program does."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("export")]
torch: Any = pytest.importorskip("torch")

from rocmlint.export.agreement.joined import joined, joined_leaves, joins, lists  # noqa: E402
from rocmlint.export.agreement.running import Ran  # noqa: E402

PATH = "image_outputs.pooler_output"


def pieces(*shapes: tuple[int, ...], path: str = PATH) -> list[tuple[str, Any]]:
    return [(f"{path}[{at}]", torch.full(each, float(at))) for at, each in enumerate(shapes)]


def test_pieces_of_other_heights_are_joined_in_their_order() -> None:
    (_, logits), (path, found) = joined_leaves([("logits", torch.ones(1)), *pieces((4, 2), (8, 2))])
    assert (logits.shape, path) == ((1,), f"{PATH}[0]")
    assert found[:, 0].tolist() == [0.0] * 4 + [1.0] * 8


@pytest.mark.parametrize(
    "leaves", [pieces((4, 2), (4, 3)), pieces((4, 2), (4, 2), path="hidden_states")]
)
def test_what_does_not_fit_or_is_no_feature_of_images_is_left(leaves: list[Any]) -> None:
    assert [path for path, _ in joined_leaves(leaves)] == [path for path, _ in leaves]


def test_the_structure_of_an_output_has_one_tensor_for_each_list_of_features() -> None:
    of_images = "Out(a: list([0]: tensor{}), deepstack: list([0]: list([0]: tensor{})))"
    whole = f"L(past: list([0]: tensor, [1]: tensor), image_outputs: {of_images}, b: list({{}}))"
    more, kept = ", [1]: tensor", "[0]: tensor, [1]: tensor"
    found = joined(Ran(structure=whole.format(more, more, kept))).structure
    assert found == whole.format("", "", kept)


def test_the_lists_that_are_joined_are_named() -> None:
    assert lists([Ran(leaves=pieces((4, 2), (8, 2)))]) == [PATH]
    assert lists([Ran(leaves=pieces((4, 2)))]) == []


@pytest.mark.parametrize(
    ("target", "verdict", "expected"),
    [
        ("m.LlavaModel.get_image_features", "proven", True),
        ("m.LlavaModel.get_image_features", "unused", False),
        ("m.Rope.forward", "proven", False),
    ],
)
def test_only_where_the_patch_that_joins_was_used(
    target: str, verdict: str, *, expected: bool
) -> None:
    assert joins({"patches": [{"target": target, "verdict": verdict}]}) is expected
    assert not joins(None)
