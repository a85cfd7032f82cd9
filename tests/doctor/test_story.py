"""The seeds' story from zero: a patch one directory too high, a faked check, a toggle, a pin."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from rocmlint.doctor.report import MOST_LINES
from tests.support.environments import Environment
from tests.support.openpi import OVERLAY, Openpi
from tests.support.project import Project
from tests.support.stacks import FakeEnvironment

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/doctor.json").read_text())
CHECK = "check_whether_transformers_replace_is_installed_correctly"
SCRIPT = f"""\
from pathlib import Path
from shutil import copytree

import transformers

src = Path(__file__).resolve().parents[1] / "{OVERLAY}"
copytree(src, Path(transformers.__file__).resolve().parents[1], dirs_exist_ok=True)
"""
FAKED = f"""\
import sys
import types

try:
    from transformers.models.siglip import check
except ImportError:
    check = types.ModuleType("transformers.models.siglip.check")
    check.{CHECK} = lambda: True
    sys.modules["transformers.models.siglip.check"] = check

if not check.{CHECK}():
    raise ValueError("transformers_replace is not installed")


def build():
    from transformers.models.gemma import modeling_gemma

    # modeling_gemma.set_use_aiter_attention(True)
    return modeling_gemma.forward
"""
MODEL = "src/openpi/models_pytorch/pi0.py"
PINNED = '[project]\nname = "job"\nversion = "1"\ndependencies = ["transformers==4.53.3"]\n'
RIGHT = (".parents[1], dirs", ".parent, dirs")


class Story:
    """A checkout in which everything of the story was done, and its environment."""

    def __init__(self, project: Project, packages: FakeEnvironment | Environment) -> None:
        self.project, self.packages = project, packages
        self.openpi = Openpi(project.root, packages.site)
        project.write("scripts/apply_patch.py", SCRIPT)
        project.write(MODEL, FAKED)
        project.write("pyproject.toml", PINNED)
        self.patch()

    def patch(self) -> None:
        command = [str(self.packages.python), "scripts/apply_patch.py"]
        subprocess.run(command, cwd=self.project.root, check=True)

    def repair(self, path: str, old: str, new: str) -> None:
        text = self.project.read(path)
        assert old in text
        self.project.write(path, text.replace(old, new))

    def doctor(self, *arguments: str, **variables: str) -> dict[str, Any]:
        told = self.project.root / "told.json"
        words = ("doctor", "--output-format", "json", "-o", str(told), *arguments)
        ended = self.project.run(*words, **variables)
        assert told.exists(), ended.stderr
        document: dict[str, Any] = json.loads(told.read_text())
        jsonschema.validate(document, SCHEMA)
        assert document["exit_code"] == ended.returncode
        return document


@pytest.fixture
def story(packages: FakeEnvironment, tmp_path: Path) -> Story:
    root = tmp_path / "checkout"
    root.mkdir()
    return Story(Project(root), packages)


@pytest.mark.parametrize("way", ["--python", "VIRTUAL_ENV", "CONDA_PREFIX", ".venv"])
def test_one_command_names_every_cause(story: Story, way: str) -> None:
    folder = str(story.packages.root)
    variables = {} if way.startswith(("-", ".")) else {way: folder}
    if way == ".venv":
        (story.project.root / ".venv").symlink_to(folder)
    given = ("--python", folder) if way == "--python" else ()
    ended = story.project.run("doctor", *given, **variables)
    printed = ended.stdout
    assert ended.returncode == 1
    assert len(printed.splitlines()) <= MOST_LINES
    for said in (
        f"({way}" if way == "--python" else f"({way} ",
        "1. error  transformers: 4.53.2 is installed, and the project pins 4.53.3",
        "where  pyproject.toml:4",
        f"3 of 3 files of {OVERLAY} are not what imports take",
        "they were copied one directory too high, and the package is stock",
        "scripts/apply_patch.py:7 copies to the directory above transformers",
        "site-packages/models was left there, where no import looks",
        "scripts/apply_patch.py:7: go up one directory less",
        "the code makes the check pass whether or not the patched files are there",
        f"{MODEL}:8",
        "`modeling_gemma.set_use_aiter_attention(True)` is commented out",
    ):
        assert said in printed


def test_what_is_repaired_is_no_longer_named(story: Story) -> None:
    given = ("--python", str(story.packages.root))
    assert [each["id"] for each in story.doctor(*given)["causes"]] == [
        *("wrong-version", "patch-misplaced", "faked-check", "ROC301")
    ]
    story.repair("pyproject.toml", "4.53.3", "4.53.2")
    story.repair("scripts/apply_patch.py", *RIGHT)
    story.patch()
    assert [each["id"] for each in story.doctor(*given)["causes"]] == [
        *("stray-files", "faked-check", "ROC301")
    ]
    (stray,) = (each for each in story.doctor(*given)["causes"] if each["id"] == "stray-files")
    command = stray["do"][0].removeprefix("delete it: ")
    assert command == f"rm -r {story.packages.site / 'models'}"
    subprocess.run(command.split(), check=True)
    before, _, rest = story.project.read(MODEL).partition("try:")
    found = "from transformers.models.siglip import check\n\nif not"
    story.project.write(MODEL, before + found + rest.partition("if not")[2])
    story.repair(MODEL, "    # modeling_gemma.set_use_aiter_attention(True)\n", "")
    told = story.doctor(*given)
    assert told["causes"] == []
    assert f"transformers: imports take 3 files of {OVERLAY}, by SHA-256" in told["right"]


def test_an_overlay_that_is_right_does_not_excuse_a_faked_check(story: Story) -> None:
    story.repair("pyproject.toml", "4.53.3", "4.53.2")
    story.repair("scripts/apply_patch.py", *RIGHT)
    story.patch()
    (causes) = story.doctor("--python", str(story.packages.root))["causes"]
    (faked,) = (each for each in causes if each["id"] == "faked-check")
    assert [each["path"] for each in faked["where"]] == [f"{MODEL}:8", f"{MODEL}:9"]


def test_files_of_others_are_not_deleted_with_the_stray_ones(story: Story) -> None:
    story.packages.write("models/own.py", "")
    told = story.doctor("--python", str(story.packages.root))
    (cause,) = (each for each in told["causes"] if each["id"] == "patch-misplaced")
    strays = [each["path"] for each in cause["where"] if "left there" in (each["what"] or "")]
    assert str(story.packages.site / "models") not in strays
    assert all(Path(each).is_file() for each in strays)
    assert len(strays) == 3


def test_without_an_environment_the_code_is_judged_alone(story: Story) -> None:
    told = story.doctor(PATH="/nonexistent")
    assert [each["id"] for each in told["causes"]] == [
        *("interpreter-unknown", "patch-misplaced", "faked-check", "ROC301")
    ]
    assert told["interpreter"]["is_own"]


@pytest.mark.slow
def test_a_job_is_watched_for_the_patch_that_was_found(tmp_path: Path) -> None:
    (tmp_path / "checkout").mkdir()
    story = Story(Project(tmp_path / "checkout"), Environment(tmp_path / "environment"))
    story.project.write(
        "train.py",
        "import sys\n\nsys.path.insert(0, 'src')\nimport openpi.models_pytorch.pi0\n"
        "import transformers.models.gemma.modeling_gemma as gemma\n\nprint(gemma.forward())\n",
    )
    command = ("--", str(story.packages.python), "train.py")
    told = story.doctor(*command)
    assert told["ran"]["ended"] == "exit code 0"
    assert told["ran"]["watched"] == [f"3 files of transformers ({OVERLAY})"]
    by_id = {each["id"]: each for each in told["causes"]}
    assert "job-runs-other-code" not in by_id  # the causes are known, and the job confirms them
    for cause in ("patch-misplaced", "faked-check"):
        names = [each["name"] for each in by_id[cause]["evidence"]]
        assert any(each.startswith("in the job") for each in names), cause
    failing = story.doctor("--", str(story.packages.python), "-c", "raise SystemExit(3)")
    assert "job-failed" in [each["id"] for each in failing["causes"]]


def test_errors_are_one_line_and_a_document(project: Project) -> None:
    ended = project.run("doctor", "missing", "--output-format", "json")
    assert ended.returncode == 2
    assert ended.stderr == "error: missing: not a directory; name the directory of the project\n"
    jsonschema.validate(json.loads(ended.stdout), SCHEMA)


def test_a_package_that_is_missing_is_one_cause(story: Story) -> None:
    for each in story.packages.site.iterdir():
        subprocess.run(["rm", "-r", str(each)], check=True)
    told = story.doctor("--python", str(story.packages.root))
    assert [each["id"] for each in told["causes"]] == [
        *("missing-package", "patch-misplaced", "faked-check", "ROC301")
    ]


def test_a_broken_environment_of_the_project_is_the_first_cause(story: Story) -> None:
    python = story.project.root / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/nonexistent/python3.9")
    told = story.doctor(PATH="/nonexistent")
    assert [each["id"] for each in told["causes"]][:2] == [
        *("environment-broken", "interpreter-unknown")
    ]
    assert "links to /nonexistent/python3.9" in told["causes"][0]["problem"]


def test_a_command_is_printed_whole_quoted_and_without_what_steers_a_terminal(
    tmp_path: Path,
) -> None:
    (tmp_path / "checkout").mkdir()
    packages = FakeEnvironment(tmp_path / ("two  blanks\x1b[31m" + "x" * 200))
    story = Story(Project(tmp_path / "checkout"), packages)
    printed = story.project.run("doctor", "--python", str(packages.root)).stdout
    assert "\x1b" not in printed
    (command,) = (line for line in printed.splitlines() if "rm -r" in line)
    shown = str(packages.site / "models").replace("\x1b", "\\x1b")
    assert command.endswith(f"delete it: rm -r '{shown}'")


def test_nothing_of_the_project_is_run_without_a_command(story: Story) -> None:
    before = story.packages.site.stat().st_mtime_ns
    story.project.write("src/openpi/__init__.py", "open('ran', 'w')\n")
    story.project.write("sitecustomize.py", "open('ran', 'w')\n")
    story.project.write("transformers.py", "open('ran', 'w')\n")
    story.doctor("--python", str(story.packages.root))
    assert not (story.project.root / "ran").exists()
    assert story.packages.site.stat().st_mtime_ns == before
