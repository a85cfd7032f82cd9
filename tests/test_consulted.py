"""What a file's findings hang on beside the file: what is on disk, and whether it has changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocmlint.lint.consulted import Consulted, names_in
from rocmlint.lint.file import File
from rocmlint.lint.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Ask = Callable[[File, str], object]

ASK: dict[str, Ask] = {"exists": File.exists, "names": File.names_in, "text": File.read}


@pytest.fixture
def file(tmp_path: Path) -> File:
    return File(str(tmp_path / "job.py"), Text("import torch\n"))


def test_an_empty_folder_exists_however_it_was_asked_for_before(file: File, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert file.names_in(str(tmp_path / "empty")) == []
    assert file.exists(str(tmp_path / "empty"))


@pytest.mark.parametrize("asked", [("exists",), ("names",), ("exists", "names")], ids="+".join)
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_comes_or_goes_is_a_change(
    file: File, tmp_path: Path, asked: tuple[str, ...], there: bool
) -> None:
    folder = tmp_path / "patches"
    if there:
        folder.mkdir()
    for question in asked:
        ASK[question](file, str(folder))
    assert Consulted().unchanged(file.consulted)
    if there:
        folder.rmdir()
    else:
        folder.mkdir()
    assert not Consulted().unchanged(file.consulted)


@pytest.mark.parametrize("asked", [("text",), ("exists", "text"), ("text", "exists")], ids="+".join)
@pytest.mark.parametrize("before", ["", "torch\n", None], ids=["empty", "full", "not there"])
def test_a_file_whose_content_changes_is_a_change(
    file: File, tmp_path: Path, asked: tuple[str, ...], before: str | None
) -> None:
    path = tmp_path / "requirements.txt"
    if before is not None:
        path.write_text(before)
    for question in asked:
        ASK[question](file, str(path))
    assert Consulted().unchanged(file.consulted)
    path.write_text("torch==2.9.1\n")
    assert not Consulted().unchanged(file.consulted)


def test_what_the_cache_writes_is_no_change(tmp_path: Path) -> None:
    (tmp_path / ".rocmlint_cache").mkdir()
    (tmp_path / "a.py").touch()
    assert names_in(str(tmp_path)) == ["a.py"]


def test_a_pipe_is_not_waited_for(file: File, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "requirements.txt")
    assert file.read(str(tmp_path / "requirements.txt")) == ""
    assert Consulted().unchanged(file.consulted)
