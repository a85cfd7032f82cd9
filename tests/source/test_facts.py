"""What was told of a file is kept with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.source.facts import once_per_file
from rocmlint.source.file import File
from rocmlint.source.python import Source
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from pathlib import Path

ASKED: list[str] = []


@once_per_file
def lines_with(word: str, file: File) -> int:
    """Count the lines with a word, and note that this was asked."""
    ASKED.append(word)
    file.exists(f"{file.path}.{word}")
    return sum(word in line for line in file.lines)


def opened(path: Path, text: str) -> File:
    ASKED.clear()
    return File(str(path), Text(text))


def test_each_question_is_worked_out_once(tmp_path: Path) -> None:
    file = opened(tmp_path / "a.py", "one\none two\n")
    assert [lines_with(word, file) for word in ("one", "two", "one", "three", "three")] == [
        *(2, 1, 2, 0, 0)
    ]
    assert ASKED == ["one", "two", "three"]


def test_each_file_has_its_own_answers(tmp_path: Path) -> None:
    first = opened(tmp_path / "a.py", "one\n")
    second = opened(tmp_path / "b.py", "two\n")
    assert (lines_with("one", first), lines_with("one", second)) == (1, 0)


def test_an_object_that_goes_on_with_a_file_knows_the_answers_and_what_they_depend_on(
    tmp_path: Path,
) -> None:
    file = opened(tmp_path / "a.py", "one\n")
    lines_with("one", file)
    source = Source.of(file)
    assert lines_with("one", source) == 1
    assert ASKED == ["one"]
    assert source.consulted == {f"{file.path}.one": False}
