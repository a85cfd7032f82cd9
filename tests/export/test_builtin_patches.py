"""Built-in patches: for which models and versions, and that they change no number."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rocmlint.export.patches import builtins, image_grids, patches_for, rope_index
from rocmlint.export.patches.builtin import release
from rocmlint.export.patches.edit import edited


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("5.23.0", (5, 23, 0)), ("5.0.0rc1", (5, 0, 0)), ("2.13.0+cpu", (2, 13, 0)), ("6", (6,))],
)
def test_a_version_is_compared_by_its_numbers(version: str, numbers: tuple[int, ...]) -> None:
    assert release(version) == numbers


@pytest.mark.parametrize(("transformers", "torch"), [("4.40.0", "2.12.1"), ("6.0.0", "2.14.0")])
def test_no_patch_holds_for_a_version_it_does_not_name(
    transformers: str, torch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(__version__=transformers))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(__version__=torch))
    assert [each.name for each in builtins() if each.holds] == []


def test_no_patch_holds_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in builtins():
        monkeypatch.delitem(sys.modules, each.library, raising=False)
    assert [each.name for each in builtins() if each.holds] == []


def test_each_patch_says_why_and_refers_to_a_public_page() -> None:
    for each in builtins():
        assert each.reason.endswith(".")
        assert all(link.startswith("https://github.com/") for link in each.links)
        assert each.links


def test_the_documentation_lists_each_patch_with_its_versions_and_links() -> None:
    page = (Path(__file__).parents[2] / "docs/export/patches.md").read_text()
    rows = {row.split("`")[1]: row for row in page.splitlines() if row.startswith("| `")}
    for each in builtins():
        assert f"| {each.since}, {each.before} |" in rows[each.name]
        assert all(f"]({link})" in rows[each.name] for link in each.links)


def area(width: int, height: int) -> int:
    return width * height


def test_an_expression_of_a_function_is_replaced() -> None:
    function = edited(area, ("width \\* height", "twice(width * height)"), twice=lambda x: 2 * x)
    assert function(2, 3) == 12
    assert area(2, 3) == 6


@pytest.mark.parametrize("pattern", ["width \\+ height", "width"], ids=["never", "often"])
def test_a_function_with_another_source_is_left_alone(pattern: str) -> None:
    assert edited(area, (pattern, "0")) is None


def test_a_function_without_source_is_left_alone() -> None:
    assert edited(len, ("x", "y")) is None


@pytest.fixture
def vision(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return transformers' own functions; rocmlint's then do not ask whether they are traced."""
    pytest.importorskip("transformers", minversion="5.14")
    from transformers import vision_utils  # noqa: PLC0415

    for module in (image_grids, rope_index):
        monkeypatch.setattr(module, "is_traced", lambda _: True)
    return vision_utils


def grids(source: random.Random, merge: int) -> Any:
    torch: Any = pytest.importorskip("torch")
    sides = [source.randint(1, 6) * merge for _ in range(8)]
    images = source.randint(1, 4)
    return torch.tensor([[source.randint(1, 3), *sides[2 * n : 2 * n + 2]] for n in range(images)])


@pytest.mark.slow
@pytest.mark.parametrize("merge", [1, 2, 3])
def test_positions_of_patches_are_those_of_transformers(vision: Any, merge: int) -> None:
    torch: Any = pytest.importorskip("torch")
    source = random.Random(merge)  # noqa: S311
    for _ in range(30):
        grid = grids(source, merge)
        for with_time in (False, True):
            expected = vision.get_vision_position_ids(grid, merge, with_time)
            found = image_grids.positions(None)(grid, merge, with_time)
            assert torch.equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_windows_of_patches_are_those_of_transformers(vision: Any, size: int) -> None:
    torch: Any = pytest.importorskip("torch")
    source = random.Random(size)  # noqa: S311
    for _ in range(30):
        given = (grids(source, 2), 2, size * 2 * 14, 14)
        expected = vision.get_vision_window_index(*given)
        found = image_grids.windows(None)(*given)
        assert all(torch.equal(one, two) for one, two in zip(found, expected, strict=True))


TEXT, IMAGE, VIDEO = [7, 8], [98], [97]


@pytest.mark.slow
@pytest.mark.usefixtures("vision")
@pytest.mark.parametrize("kind", ["qwen2_vl", "qwen2_5_vl", "qwen3_vl"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_positions_of_texts_with_images_are_those_of_transformers(kind: str, side: str) -> None:
    torch: Any = pytest.importorskip("torch")
    from benchmarks.export_models.qwen import whole  # noqa: PLC0415

    model = whole(kind).model
    first = [*TEXT, *IMAGE * 8, *TEXT, *VIDEO * 6, 7]
    second = [7, *IMAGE * 2, *TEXT]
    padding = [0] * (len(first) - len(second))
    second = [*padding, *second] if side == "left" else [*second, *padding]
    text = torch.tensor([first, second])
    given = {
        "input_ids": text,
        "mm_token_type_ids": (text == 98).int() + 2 * (text == 97).int(),
        "image_grid_thw": torch.tensor([[1, 4, 8], [1, 4, 2]]),
        "video_grid_thw": torch.tensor([[1, 4, 6]]),
        "attention_mask": (text != 0).long(),
    }
    patch = next(iter(rope_index.find(model)))
    for one, two in zip(
        patch.replacement(model, **given), model.get_rope_index(**given), strict=True
    ):
        assert torch.equal(one, two)


@pytest.mark.slow
def test_a_model_that_needs_no_patch_gets_none() -> None:
    pytest.importorskip("transformers")
    from benchmarks.export_models import MODELS  # noqa: PLC0415

    # Both take **kwargs, which torch 2.13 must be helped with.
    for name in ("bert", "llama"):
        targets = {each.label for each in patches_for(MODELS[name]().model)}
        assert targets <= {"torch.export._trace._get_range_constraints"}


@pytest.mark.slow
def test_an_export_leaves_nothing_of_itself_in_the_model() -> None:
    pytest.importorskip("transformers", minversion="5.14")
    from benchmarks.export_models import MODELS  # noqa: PLC0415
    from rocmlint.export import session  # noqa: PLC0415
    from tests.export.test_caches import registrations, torch  # noqa: PLC0415

    model, inputs, shapes = MODELS["qwen2_vl"]()
    with torch.no_grad(), session(model, patches=patches_for(model), register=registrations()):
        torch.export.export(model, (), inputs[0], dynamic_shapes=shapes, strict=False)
    assert model.model.rope_deltas is None


PATCHED = [
    *("llama_dynrope", "vit_hw", "llava", "idefics3", "longformer"),
    *("qwen2_vl", "qwen2_5_vl", "qwen3_vl"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", PATCHED)
def test_a_patched_model_exports_and_agrees_with_itself_at_each_size(name: str) -> None:
    pytest.importorskip("transformers", minversion="5.14")
    from tests.export.test_caches import differences, torch  # noqa: PLC0415

    with torch.no_grad():
        assert max(differences(name)) < 1e-4


@pytest.mark.slow
def test_a_patch_for_videos_is_unused_where_there_is_none() -> None:
    pytest.importorskip("transformers", minversion="5.14")
    from benchmarks.export_models import MODELS  # noqa: PLC0415
    from rocmlint.export import session  # noqa: PLC0415
    from tests.export.test_caches import torch  # noqa: PLC0415

    model, inputs, shapes = MODELS["qwen2_vl"]()
    with torch.no_grad(), session(model, patches=True, register=True, rewrite=True) as opened:
        program = torch.export.export(model, (), inputs[0], dynamic_shapes=shapes, strict=False)
    found = {each.target.rpartition(".")[2]: each for each in opened.prove(program).patches}
    assert found["get_video_features"].verdict == "unused"
    assert found["get_image_features"].verdict == "proven"
