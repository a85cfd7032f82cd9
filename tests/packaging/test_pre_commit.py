"""The hooks in the real pre-commit, installed from this checkout as a user would have them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.tools import program, skip_where_offline

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pre_commit")]

pytest.importorskip("pre_commit")

ROOT = Path(__file__).parents[2]
BAD = """\
from PIL import ImageOps


def upright(image):
    ImageOps.exif_transpose(image)
    return image
"""
UNUSED = "import os  # noqa: ROC602\n"
CONFIGURATION = """\
repos:
  - repo: {hooks}
    rev: {revision}
    hooks:
      - id: rocmlint
      - id: rocmlint-fix
        stages: [manual]
"""


class Result(NamedTuple):
    """How a program ended, and all that it wrote."""

    status: int
    output: str


class Project(NamedTuple):
    """A git repository in which pre-commit runs."""

    folder: Path
    store: Path

    def write(self, name: str, text: str) -> None:
        """Write a file and stage it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        git(self.folder, "add", name)

    def pre_commit(self, *arguments: str) -> Result:
        """Run pre-commit, and skip the test where the hook cannot be installed."""
        environment = {**os.environ, "PRE_COMMIT_HOME": str(self.store), "NO_COLOR": "1"}
        result = subprocess.run(
            [sys.executable, "-m", "pre_commit", *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        skip_where_offline(result.returncode, result.stdout)
        return Result(result.returncode, result.stdout)


def git(folder: Path, *arguments: str) -> str:
    """Run git as somebody."""
    somebody = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    result = subprocess.run(
        [program("git"), *somebody, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.strip()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a repository of this checkout as it is, changes that are not committed included."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    folder = tmp_path_factory.mktemp("hooks")
    listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--no-verify", "--message=all")
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folder where pre-commit keeps the hook's environment for all tests."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def project(tmp_path: Path, hooks: Path, store: Path) -> Project:
    """Make a project that uses the hooks."""
    git(tmp_path, "init", "--quiet")
    made = Project(tmp_path, store)
    revision = git(hooks, "rev-parse", "HEAD")
    made.write(".pre-commit-config.yaml", CONFIGURATION.format(hooks=hooks, revision=revision))
    return made


def test_hook_reports_a_finding_and_fails(project: Project) -> None:
    project.write("load.py", BAD)
    status, output = project.pre_commit("run")
    assert status == 1
    assert "load.py:5:5" in output
    assert "ROC602" in output


def test_hook_sees_formats_beside_python(project: Project) -> None:
    project.write("Dockerfile", "# rocmlint: ignore[ROC602]\n")
    project.write("requirements/rocm.in", "# rocmlint: ignore[ROC602]\n")
    code = json.dumps({"cell_type": "code", "metadata": {}, "source": BAD})
    project.write("load.ipynb", f'{{"cells": [{code}], "metadata": {{}}}}')
    project.write("load", f"#!/usr/bin/env python\n{BAD}")
    project.write("LICENSE", "if (\n")
    status, output = project.pre_commit("run")
    assert status == 1
    places = ("Dockerfile:1:1", "requirements/rocm.in:1:1", "load.ipynb:cell 1:5:5", "load:6:5")
    assert [place for place in places if f"{place}:" not in output] == []
    assert "LICENSE" not in output


def test_hook_passes_on_clean_files(project: Project) -> None:
    project.write("load.py", "import os\n")
    status, output = project.pre_commit("run")
    assert status == 0, output
    assert "Passed" in output


def test_hook_passes_where_no_file_is_left(project: Project) -> None:
    project.write("notes.txt", BAD)
    status, output = project.pre_commit("run")
    assert status == 0, output
    assert "no files to check" in output


def test_hook_leaves_out_what_the_configuration_excludes(project: Project) -> None:
    project.write("pyproject.toml", '[tool.rocmlint]\nexclude = ["vendored/"]\n')
    project.write("vendored/load.py", BAD)
    status, output = project.pre_commit("run")
    assert status == 0, output
    assert "Passed" in output


def test_fixing_hook_mends_and_fails_once(project: Project) -> None:
    project.write("load.py", UNUSED)
    manually = ("run", "rocmlint-fix", "--hook-stage=manual")
    assert project.pre_commit(*manually).status == 1
    assert (project.folder / "load.py").read_text() == "import os\n"
    git(project.folder, "add", "load.py")
    assert project.pre_commit(*manually).status == 0


def test_hooks_can_be_tried_without_a_configuration(project: Project, hooks: Path) -> None:
    project.write("load.py", BAD)
    status, output = project.pre_commit("try-repo", str(hooks), "rocmlint", "--files", "load.py")
    assert status == 1
    assert "ROC602" in output


NOTED = '''
from rocmlint.rule.rule import Rule
from rocmlint.rule.triggers import calls


class IsTrue(Rule):
    """A call that may matter."""

    code, name, severity, since = "ACM103", "is-true", "note", "0.1.0"
    on = calls("says")

    def check(self, node, source):
        yield self.finding(node, source, "says is called")
'''


def test_both_hooks_print_a_finding_once_and_notes_only_where_they_are_set(
    project: Project,
) -> None:
    both = (project.folder / ".pre-commit-config.yaml").read_text().replace("stages: [manual]", "")
    project.write(".pre-commit-config.yaml", both)
    project.write("house/rules.py", NOTED)
    project.write("pyproject.toml", '[tool.rocmlint]\nrules = ["house"]\n')
    project.write("load.py", f"{UNUSED}{BAD}says()\n")
    status, output = project.pre_commit("run")
    assert status == 1
    shown = [line for line in output.splitlines() if re.search(r"\b(ROC|ACM)\d", line)]
    assert shown == [
        (
            "load.py:1:12: ROC901 No `ROC602` here: this suppression hides no finding "
            "[unused-suppression]"
        ),
        (
            "load.py:6:5: ROC602 `exif_transpose` returns a new image, which is thrown away here "
            "[exif-transpose-no-effect]"
        ),
        "  1 x ROC901 unused-suppression",
    ]
    project.write("pyproject.toml", '[tool.rocmlint]\nrules = ["house"]\nnotes = "short"\n')
    output = project.pre_commit("run").output
    assert output.count("load.py:8:1: note ACM103 says is called [is-true]") == 1
