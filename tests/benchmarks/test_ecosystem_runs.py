"""Versions of rocmlint: each is installed from its commit, and asked for what it finds."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from benchmarks.ecosystem.runs import installed, run
from benchmarks.linting import INSTALLED
from tests.support.tools import needs, skip_where_offline

if TYPE_CHECKING:
    from pathlib import Path

DROPS = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / ".git").mkdir(parents=True)
    (folder / "load.py").write_text(DROPS)
    return folder


def test_the_findings_of_all_trees_are_those_of_one_run(tree: Path) -> None:
    made = run("head", INSTALLED, {"loader==1.0": tree, "loader==2.0": tree})
    assert [(each.package, each.path, each.line, each.code) for each in made.found] == [
        ("loader==1.0", "load.py", 5, "ROC602"),
        ("loader==2.0", "load.py", 5, "ROC602"),
    ]
    assert made.files == 2
    assert made.found[0].key != made.found[1].key


@needs("git")
def test_a_revision_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no-such-revision is no revision"):
        installed("no-such-revision", tmp_path)


@needs("git")
@pytest.mark.slow
def test_a_revision_finds_what_its_own_code_finds(
    tree: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        version, program = installed("HEAD", tmp_path)
    except subprocess.CalledProcessError as error:
        skip_where_offline(error.returncode, capfd.readouterr().err)
        raise
    assert program.is_relative_to(tmp_path / "versions")
    assert [each.code for each in run(version, program, {"loader==1.0": tree}).found] == ["ROC602"]
    again = installed("HEAD", tmp_path)
    assert again == (version, program)
