"""What a file's findings hang on beside the file: what is on disk, and whether it has changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocmlint import lint_paths
from rocmlint.config.settings import Settings
from rocmlint.disk import state
from rocmlint.disk.disk import Disk
from rocmlint.disk.searches import Searches
from rocmlint.disk.since_last_run import Changes
from rocmlint.disk.state import names_in
from rocmlint.source.decoding import text_of
from rocmlint.source.file import File, project_of
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from rocmlint.disk.state import State
    from tests.support.project import Project

    Ask = Callable[[File, str], object]

ASK: dict[str, Ask] = {"exists": File.exists, "names": File.names_in, "text": File.read}


def unchanged(consulted: Mapping[str, State]) -> bool:
    now = Changes(Searches({}, 0), lambda: Disk(text_of))
    return all(now.is_unchanged(path, state) for path, state in consulted.items())


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
    assert unchanged(file.consulted)
    if there:
        folder.rmdir()
    else:
        folder.mkdir()
    assert not unchanged(file.consulted)


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
    assert unchanged(file.consulted)
    path.write_text("torch==2.9.1\n")
    assert not unchanged(file.consulted)


def test_what_the_cache_writes_is_no_change(tmp_path: Path) -> None:
    (tmp_path / ".rocmlint_cache").mkdir()
    (tmp_path / "a.py").touch()
    assert names_in(str(tmp_path)) == ["a.py"]


def test_a_pipe_is_not_waited_for(file: File, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "requirements.txt")
    assert file.read(str(tmp_path / "requirements.txt")) == ""
    assert unchanged(file.consulted)


GONE = "from transformers.generation.beam_search import BeamSearchScorer\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("requirements.txt", "transformers==4.50.0\n"),
        ("patches/generation/beam_search.py", "class BeamSearchScorer: ...\n"),
        ("train.py", "import transformers\ntransformers.generation.beam_search = None\n"),
    ],
    ids=["another pin", "a copy of the module", "the name put in"],
)
def test_a_missing_name_is_forgotten_when_the_project_brings_it(
    project: Project, path: str, text: str
) -> None:
    project.write("requirements.txt", "transformers==5.2.0\n")
    project.write("train.py", "import transformers\n")
    project.write("job.py", GONE)
    assert project.findings("job.py") == [("job.py", "ROC204")]
    project.write(path, text)
    assert project.findings("job.py") == []


def test_a_missing_name_is_forgotten_when_the_environment_gets_it(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "transformers-5.2.0.dist-info").mkdir(parents=True)
    (site / "transformers" / "generation").mkdir(parents=True)
    (site / "transformers" / "__init__.py").touch()
    (site / "transformers" / "generation" / "__init__.py").touch()
    job = tmp_path / "job.py"
    job.write_text(GONE)

    def codes() -> list[str]:
        options = {"environment": str(site), "select": ["ROC204"]}
        return [each.code for each in lint_paths([job], options=options)]

    assert codes() == ["ROC204"]
    scorer = "class BeamSearchScorer: ...\n"
    (site / "transformers" / "generation" / "beam_search.py").write_text(scorer)
    assert codes() == []


def test_modules_are_searched_for_all_of_some_patterns(file: File, tmp_path: Path) -> None:
    for name, text in [("a.py", "boxes\nopen"), ("in/b.py", "boxes"), ("c.txt", "boxes open")]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = file.modules_with(str(tmp_path), ("box(es)?", r"\bopen"))
    assert found == (str(tmp_path / "a.py"),)


def test_where_nothing_is_noted_no_content_is_fingerprinted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("boxes\n")
    monkeypatch.setattr(state, "blake2b", lambda *_, **__: pytest.fail("a fingerprint is made"))
    path = str(tmp_path / "a.py")
    project = project_of(path, Settings(), Disk(text_of, noted=False))
    file = File(path, Text(""), project=project)
    assert file.modules_below(str(tmp_path)) == (path,)
    assert file.modules_with(str(tmp_path), ("boxes",)) == (path,)
    assert file.requirements_below(str(tmp_path)) == ()
    assert file.read(path) == "boxes\n"


def test_a_search_of_modules_hangs_on_their_text_and_not_on_their_times(
    file: File, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("boxes = 1\n")
    assert file.modules_with(str(tmp_path), ("circles",)) == ()
    assert unchanged(file.consulted)
    os.utime(tmp_path / "a.py", (1, 1))
    assert unchanged(file.consulted)
    (tmp_path / "a.py").write_text("circles = 1\n")
    assert not unchanged(file.consulted)


def test_a_search_of_modules_hangs_on_which_match_and_not_on_all_that_they_say(
    file: File, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("boxes = 1\n")
    (tmp_path / "b.py").write_text("lines = 1\n")
    patterns = ("boxes|circles", r"=[ ]\d")
    assert file.modules_with(str(tmp_path), patterns) == (str(tmp_path / "a.py"),)
    (tmp_path / "b.py").write_text("lines = 22\n")
    assert unchanged(file.consulted)
    (tmp_path / "a.py").write_text("circles = 22\n")
    assert unchanged(file.consulted)
    (tmp_path / "a.py").write_text("lines = 22\n")
    assert not unchanged(file.consulted)


def test_the_paths_of_modules_hang_on_no_text(file: File, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("boxes = 1\n")
    assert file.modules_below(str(tmp_path)) == (str(tmp_path / "a.py"),)
    (tmp_path / "a.py").write_text("boxes = 22\n")
    assert unchanged(file.consulted)
    (tmp_path / "b.py").touch()
    assert not unchanged(file.consulted)


def test_a_module_that_comes_changes_a_search(file: File, tmp_path: Path) -> None:
    assert file.modules_with(str(tmp_path), ("circles",)) == ()
    (tmp_path / "b.py").write_text("circles = 1\n")
    assert not unchanged(file.consulted)


def test_modules_may_have_names_that_are_no_text(file: File, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py")
    with open(path, "w") as made:
        made.write("boxes = 1\n")
    assert file.modules_with(str(tmp_path), ("boxes",)) == (path,)
