"""What rules see of a comment that hides findings: nothing of it, at the same places."""

from __future__ import annotations

import pytest

from rocmlint.source.document import Document
from rocmlint.source.python import Source
from rocmlint.text.suppressions import without_suppressions


@pytest.mark.parametrize(
    ("comment", "seen"),
    [
        ("# rocmlint: ignore[ROC301] fails on gfx90a", ""),
        ("# fuse()  # rocmlint: ignore[ROC301] fails on gfx90a", "# fuse()"),
        ("# rocmlint: ignore[ROC301] why  # type: ignore", "# type: ignore"),
        ("# noqa: E501,ROC301 fails on gfx90a", ""),
        ("# noqa: E501 long", "# noqa: E501 long"),
        ("# rocmlint is slow here", "# rocmlint is slow here"),
    ],
)
def test_a_suppression_is_blank_and_the_rest_stays(comment: str, seen: str) -> None:
    blanked = without_suppressions(comment)
    assert blanked.strip() == seen
    assert len(blanked) == len(comment)


def test_rules_see_neither_the_words_nor_another_place() -> None:
    text = "a = 1  # rocmlint: ignore[ROC301] NVIDIA only\nb = 2  # kept\n"
    source = Source("job.py", text, place="job.py")
    assert "NVIDIA" not in source.text + "".join(source.lines)
    assert [each.text for each in source.comments] == ["# kept"]
    assert [each.line for each in source.written_comments] == [1, 2]
    assert source.written == text


def test_other_formats_are_read_in_the_same_way() -> None:
    text = "# rocmlint: ignore[ROC201] --no-deps is not possible\npip install vllm\n"
    document = Document("install.sh", text)
    assert "--no-deps" not in document.text
    assert document.comments == []
    assert document.written == text
