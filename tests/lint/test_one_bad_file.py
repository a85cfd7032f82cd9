"""What is wrong with one file, or with the settings of one folder, hides nothing elsewhere."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.cli.main import main
from rocmlint.disk.files import ON_DISK
from rocmlint.disk.read import MAXIMUM_READ
from rocmlint.lint import first_sight, linter
from rocmlint.source import document
from tests.support.project import COMMAND

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

DROPPED = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""
PATIENCE = 60
FOUND = "a.py:5:5: ROC602 "


def lint(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Lint a folder in which a.py has a finding."""
    project.write("a.py", DROPPED)
    return project.run("--output-format", "concise", *arguments)


# An error inside rocmlint


STAGES: dict[str, tuple[Any, str, str]] = {
    "reading": (ON_DISK, "read", "b.py"),
    "decoding": (first_sight, "text_of", "b.py"),
    "choosing rules": (linter.Linter, "_with_parts", "b.py"),
    "parsing": (document, "parse", "requirements.txt"),
}
"""Where in the work on a file something may go wrong: a function, and the file that is bad."""


@pytest.mark.parametrize("error", [RecursionError("deep"), MemoryError(), OverflowError("large")])
@pytest.mark.parametrize("stage", STAGES)
def test_an_error_in_one_file_is_one_line_and_hides_no_other(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    stage: str,
    error: Exception,
) -> None:
    place, name, bad = STAGES[stage]
    right = getattr(place, name)

    def wrong(*arguments: Any, **more: Any) -> Any:
        if bad in map(str, arguments):
            raise error
        return right(*arguments, **more)

    project.write("a.py", DROPPED)
    project.write("c.py", DROPPED)
    project.write(bad, DROPPED if bad == "b.py" else "torch==2.4.1\n")
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(place, name, wrong)
    code = main(["--no-cache", "--jobs", "1", "--output-format", "concise", "."])
    shown = capsys.readouterr()
    reason = f"{type(error).__name__}: {error}".rstrip(": ")
    assert code == 2
    assert [line[:17] for line in shown.out.splitlines()] == [FOUND, "c.py:5:5: ROC602 "]
    assert shown.err.splitlines()[0] == f"{bad}: internal error, please report it: {reason}"
    assert len(shown.err.splitlines()) == 2


# Too large


def within(memory: int, project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Lint with no more memory than that."""
    return subprocess.run(
        [*COMMAND, "--no-cache", "--output-format", "concise", *arguments],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory")
@pytest.mark.parametrize("name", ["huge.py", "huge.ipynb", "requirements.txt", "Dockerfile"])
def test_a_huge_file_is_refused_unread(project: Project, name: str) -> None:
    with (project.root / name).open("wb") as file:
        file.truncate(6_000_000_000)
    project.write("a.py", DROPPED)
    ended = within(4_000_000_000, project)
    assert ended.returncode == 1
    assert FOUND in ended.stdout
    assert f"{name}:1:1: ROC900 This file has 6000 MB" in ended.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory")
@pytest.mark.parametrize("flags", [["--output-format", "text"], ["--add-ignore", "why"]])
def test_a_huge_file_is_not_read_for_its_report_or_to_be_changed(
    project: Project, flags: list[str]
) -> None:
    with (project.root / "huge.py").open("wb") as file:
        file.truncate(6_000_000_000)
    ended = within(4_000_000_000, project, *flags)
    assert ended.returncode in {1, 2}
    assert "ROC900" in ended.stdout
    assert "Error" not in ended.stderr
    assert "internal" not in ended.stderr


def test_a_file_as_large_as_may_be_is_read(project: Project) -> None:
    assert MAXIMUM_READ >= 100_000_000
    project.write("b.py", "x = 1\n" * 1_000_000)
    assert "b.py" not in lint(project).stdout


# Configuration


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("prevew = true", "rocmlint.toml:1: unknown key 'prevew'; did you mean 'preview'?"),
        ("not TOML", "rocmlint.toml: not valid TOML: "),
        ("select = ['ROC999']", "rocmlint.toml:1: unknown rule 'ROC999'"),
        ("rules = ['gone']", "rocmlint.toml:1: rules: no such directory: "),
        ("environment = 'gone'", "environment: "),
        ("exclude = ['!']", "rocmlint.toml:1: exclude: '!' is not a valid gitignore pattern"),
    ],
)
@pytest.mark.parametrize("flags", [(), ("--no-cache",)])
def test_a_broken_configuration_in_a_folder_is_one_line_and_hides_nothing_elsewhere(
    project: Project, text: str, reason: str, flags: tuple[str, ...]
) -> None:
    project.write("inner/rocmlint.toml", text)
    project.write("inner/b.py", DROPPED)
    project.write("inner/deep/c.py", DROPPED)
    ended = lint(project, *flags)
    assert ended.returncode == 2
    assert [line[:17] for line in ended.stdout.splitlines()] == [FOUND]
    problem, summary = ended.stderr.splitlines()
    assert reason in problem
    assert problem.endswith(("; nothing in inner was linted", f"{project.root}/inner was linted"))
    assert summary.startswith("Found 1 finding")


def test_the_configuration_of_all_files_stops_the_run(project: Project) -> None:
    project.write("rocmlint.toml", "select = ['ROC999']")
    ended = lint(project)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: rocmlint.toml:1: unknown rule 'ROC999'")


# What is no file


def zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [os.mkfifo, zero, loop])
@pytest.mark.parametrize("name", ["pyproject.toml", "rocmlint.toml"])
def test_a_configuration_that_is_no_file_is_one_line(
    project: Project, make: Any, name: str
) -> None:
    make(project.root / name)
    if (make, name) == (loop, "pyproject.toml"):
        assert lint(project).returncode == 1  # as if it were not there: other tools tell of it
        return
    ended = lint(project)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.startswith(f"error: {name}: cannot be read: ")


@pytest.mark.parametrize("make", [os.mkfifo, zero])
@pytest.mark.parametrize("key", ["extend", "baseline"])
def test_a_path_in_the_configuration_that_is_no_file_is_one_line(
    project: Project, make: Any, key: str
) -> None:
    project.write("rocmlint.toml", f"{key} = 'other'\n")
    make(project.root / "other")
    ended = lint(project)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "not a regular file" in ended.stderr


@pytest.mark.parametrize("make", [os.mkfifo, zero])
def test_a_gitignore_that_is_no_file_ignores_nothing(project: Project, make: Any) -> None:
    (project.root / ".git").mkdir()
    make(project.root / ".gitignore")
    ended = lint(project)
    assert (ended.returncode, ended.stdout[:17]) == (1, FOUND)


def test_lines_of_a_gitignore_that_are_no_patterns_are_passed_over(project: Project) -> None:
    (project.root / ".git").mkdir()
    project.write(".gitignore", "!\n\\\n[z-a]\nold.py\n")
    project.write("old.py", DROPPED)
    ended = lint(project)
    assert (ended.returncode, len(ended.stdout.splitlines())) == (1, 1)


@pytest.mark.parametrize("key", ["select", "preview", "unknown"])
def test_five_thousand_nested_lists_are_one_line(project: Project, key: str) -> None:
    project.write("pyproject.toml", f"[tool.rocmlint]\n{key} = {'[' * 5000}{']' * 5000}\n")
    ended = lint(project)
    assert (ended.returncode, ended.stderr) == (2, "error: pyproject.toml: nested too deeply\n")


def test_a_number_of_five_thousand_digits_is_one_line(project: Project) -> None:
    project.write("rocmlint.toml", f"preview = {'9' * 5000}\n")
    ended = lint(project)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.startswith("error: rocmlint.toml: not valid TOML")


@pytest.mark.parametrize("rules", ["/", "own"])
def test_a_folder_of_rules_without_an_end_is_named_with_its_place(
    project: Project, rules: str
) -> None:
    project.write("rocmlint.toml", f"preview = true\nrules = ['{rules}']\n")
    (project.root / "own").mkdir()
    (project.root / "own" / "again").symlink_to("..")
    ended = lint(project)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.startswith("error: rocmlint.toml:2: rules: ")


def test_an_inclusion_with_a_nul_in_its_path_is_passed_over(project: Project) -> None:
    project.write("requirements.txt", "-r \0\ntorch==2.4.1\n")
    ended = lint(project)
    assert "internal error" not in ended.stderr
    assert FOUND in ended.stdout


def test_a_module_with_a_name_longer_than_any_files_is_unknown(project: Project) -> None:
    name = "a" * 300
    project.write("b.py", f"from {name}.models import *\nimport {name}\n{name}.x()\n")
    project.write("c.py", f"from transformers.{name} import x\nfrom {name} import AutoModel\n")
    ended = lint(project, "--preview", "--select", "ALL")
    assert (ended.returncode, "damaged" in ended.stderr) == (1, False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", f"[project]\nname = 'x'\n[tool.x]\n{'.'.join('a' * 8000)} = 1\n"),
        ("pyproject.toml", f"[project]\ndependencies = {'[' * 5000}{']' * 5000}\n"),
        ("pyproject.toml", f"[project]\nname = 'x'\nreadme.{'a.' * 20000}b = 1\n"),
        ("environment.yml", f"dependencies: {'[' * 5000}\n"),
        ("requirements.txt", f"torch; {'(' * 5000}\n"),
        ("setup.py", f"install_requires = {'[' * 5000}\n"),
        ("README.md", f"```bash\npip install {'$(' * 5000}\n```\n"),
    ],
)
def test_a_file_beside_it_that_cannot_be_read_hides_nothing_in_another(
    project: Project, name: str, text: str
) -> None:
    project.write(f"big/{name}", text)
    project.write(name, text)
    project.write(
        "p/a.py",
        "from transformers import AutoModelForVision2Seq, AutoConfig\nAutoConfig.foo\n" + DROPPED,
    )
    ended = lint(project, "p/a.py")
    assert "internal error" not in ended.stderr
    assert "p/a.py:7:5: ROC602" in ended.stdout


@pytest.mark.parametrize("code", ["ROC900", "ALL"])
def test_a_string_that_python_refuses_is_a_file_that_it_refuses(
    project: Project, code: str
) -> None:
    project.write("b.py", 'import os\nos.system("pip install torch==2.9.1 " "\\N{x")\n')
    ended = lint(project, "--preview", "--select", f"ROC2,ROC602,{code}", "a.py", "b.py")
    assert "internal error" not in ended.stderr
    assert "b.py:2:" in ended.stdout
    assert "ROC900 This file cannot be parsed: (unicode error)" in ended.stdout
    assert FOUND in ended.stdout


def test_a_string_of_hundreds_of_pieces_is_read(project: Project) -> None:
    pieces = "\n    ".join(["'a '"] * 800)
    project.write("b.py", f"import os\nos.system('pip install '\n    {pieces})\n{DROPPED}")
    ended = lint(project, "--preview", "--select", "ALL")
    assert "internal error" not in ended.stderr
    assert ":5: ROC602" in ended.stdout.replace(FOUND, "")
