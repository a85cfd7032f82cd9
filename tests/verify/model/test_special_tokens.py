"""``rocmlint verify model special-tokens``: ids, whole tokens, rows of the embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.model.special_tokens import ROWS, results_of
from tests.support import tiny_vl

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.result import Result

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("model")]


def results(build: Any, *expected: tuple[str, int], names: str | None = None) -> list[Result]:
    asked = tiny_vl.ask("special_tokens", build, expected=list(expected), names=names)
    return list(results_of(asked))


def about(found: list[Result], token: str) -> Result:
    return next(each for each in found if each.claim.startswith(token))


def healthy() -> Any:
    return tiny_vl.model(), tiny_vl.Processor()


def test_the_tokens_of_a_healthy_model_are_proven() -> None:
    found = results(healthy, ("<|vision_start|>", 3))
    assert {each.verdict for each in found} == {"proven"}
    assert about(found, "<|image_pad|>").seen == "id 5 of 128"
    assert about(found, "<|vision_start|>").evidence[0].value == "--expect"


def test_another_id_than_the_configuration_expects_is_contradicted() -> None:
    found = results(lambda: (tiny_vl.model(image_token_id=6), tiny_vl.Processor()))
    image = about(found, "<|image_pad|> is one token with id 6")
    assert (image.verdict, image.seen) == ("contradicted", "id 5")
    assert image.reason.startswith("image_token_id of the model's configuration expects id 6")


@pytest.mark.parametrize(
    ("number", "registered", "verdict", "seen"),
    [
        (tiny_vl.IMAGE, True, "proven", "<|image_pad|>, id 5 of 128"),
        (tiny_vl.IMAGE, False, "contradicted", "the ordinary token '<|image_pad|>'"),
        (12, True, "contradicted", "the ordinary token 'c'"),
        (100, True, "unproven", "id 100 has no token"),
        (500, True, "contradicted", "id 500 is out of range"),
    ],
)
def test_an_id_that_nothing_names_is_a_special_token(
    number: int, registered: bool, verdict: str, seen: str
) -> None:
    swapped = tiny_vl.model(video_token_id=number)
    found = results(lambda: (swapped, tiny_vl.tokenizer(registered=registered)))
    video = about(found, f"video_token_id ({number})")
    assert (video.verdict, video.seen) == (verdict, seen)


def test_special_tokens_without_a_row_are_contradicted_though_nothing_expects_them() -> None:
    def build(many: int) -> Any:
        processor = tiny_vl.Processor()
        processor.tokenizer.add_tokens([f"<{each}>" for each in range(many)], special_tokens=True)
        return tiny_vl.model(), processor

    free = 128 - len(tiny_vl.tokenizer())
    fits = about(results(lambda: build(free)), ROWS)
    assert (fits.verdict, fits.seen) == ("proven", "the last has id 127 of 128")
    over = about(results(lambda: build(free + 2)), ROWS)
    assert (over.verdict, over.seen) == ("contradicted", "2 without a row")
    assert f"<{free}> (128), <{free + 1}> (129) fail" in over.reason


def test_another_id_than_a_flag_expects_is_contradicted() -> None:
    assert about(
        results(healthy, ("<|im_end|>", 7)), "<|im_end|> is one token with id 7"
    ).verdict == ("contradicted")


def test_a_token_that_the_tokenizer_does_not_have_is_contradicted() -> None:
    box = about(results(healthy, ("<|box_start|>", 9)), "<|box_start|>")
    assert (box.verdict, box.seen) == ("contradicted", "unknown to the tokenizer")


def test_a_token_that_a_text_splits_is_contradicted() -> None:
    special = {**tiny_vl.SPECIAL, "<|box|>": 7}

    def build() -> Any:
        processor = tiny_vl.Processor()
        processor.tokenizer = tiny_vl.tokenizer(special, registered=False)
        return tiny_vl.model(), processor

    box = about(results(build, ("<|box|>", 7)), "<|box|>")
    assert (box.verdict, box.seen) == ("contradicted", "in a text 3 tokens")


def test_a_token_behind_the_end_of_the_embeddings_is_contradicted() -> None:
    def build() -> Any:
        processor = tiny_vl.Processor()
        processor.tokenizer.add_tokens([f"<{each}>" for each in range(200)], special_tokens=True)
        return tiny_vl.model(), processor

    last = build()[1].tokenizer.convert_tokens_to_ids("<199>")
    found = about(results(build, ("<199>", last)), "<199>")
    assert (found.verdict, found.seen) == ("contradicted", f"id {last} is out of range")
    assert found.action == "model.resize_token_embeddings(len(tokenizer))"


class SpecialTokens:
    IMAGE = ("<|image_pad|>", 5)
    VIDEO = ("<|video_pad|>", 16)


def test_a_table_in_the_code_is_compared() -> None:
    found = results(healthy, names=f"{__name__}:SpecialTokens")
    assert about(found, "<|image_pad|> is one token with id 5").verdict == "proven"
    assert about(found, "<|video_pad|> is one token with id 16").verdict == "contradicted"


def test_without_a_tokenizer_nothing_is_proven() -> None:
    (only,) = results(tiny_vl.model)
    assert (only.verdict, only.seen) == ("unproven", "no tokenizer")


def test_without_a_model_the_embeddings_are_unproven() -> None:
    (only,) = results(tiny_vl.Processor, ("<|image_pad|>", 5))
    assert only.verdict == "unproven"
    assert "no model" in only.reason


def test_a_tokenizer_that_fails_is_unproven_with_its_error() -> None:
    class Broken:
        def convert_tokens_to_ids(self, token: str) -> int:
            raise KeyError(token)

    (only,) = results(Broken, ("<|image_pad|>", 5))
    assert (only.verdict, only.reason) == (
        "unproven",
        "the tokenizer failed: KeyError: '<|image_pad|>'",
    )


def test_a_folder_without_files_of_a_tokenizer_has_none(tmp_path: Path) -> None:
    folder = str(tiny_vl.saved(tmp_path))
    answer = tiny_vl.ask("special_tokens", None, config=folder, expected=[], names=None)
    (only,) = results_of(answer)
    assert (only.verdict, only.seen) == ("unproven", "no tokenizer")


def test_a_folder_with_a_tokenizer_needs_no_code(tmp_path: Path) -> None:
    folder = str(tiny_vl.saved(tmp_path))
    tiny_vl.tokenizer().save_pretrained(tmp_path)
    answer = tiny_vl.ask("special_tokens", None, config=folder, expected=[], names=None)
    assert {each.verdict for each in results_of(answer)} == {"proven"}
