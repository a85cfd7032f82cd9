"""A parser that crashes for one file: a line about that file, and the findings of all others."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.lint.guard import guarded

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")

DROPPED = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""
NATIVE = {
    "environment.yml": ("rocmlint.formats.readers.yaml", "tree", "name: torch\n"),
    "pyproject.toml": (
        "rocmlint.formats.readers.toml",
        "tree",
        "[project]\ndependencies = ['torch']\n",
    ),
    "install.sh": ("rocmlint.formats.scripts.shell.script", "tree", "pip install torch\n"),
    "b.py": ("libcst", "parse_module", DROPPED),
}
"""Native parsers by a file that they read: where the function is that calls one."""
CRASHING = """\
import importlib, os, signal, sys
from rocmlint.cli.main import main

def crash(*arguments):
    if any({mark!r} in str(each) for each in arguments):
        os.kill(os.getpid(), signal.SIGSEGV)
    return right(*arguments)

module = importlib.import_module({module!r})
right = getattr(module, {name!r})
setattr(module, {name!r}, crash)
sys.exit(main(sys.argv[1:]))
"""


def run(
    project: Project, bad: str, *arguments: str, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command with a parser that kills the process for one file."""
    module, name, _ = NATIVE[bad]
    code = CRASHING.format(module=module, name=name, mark="torch" if bad != "b.py" else "def load")
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache", "--output-format", "concise", *arguments],
        cwd=project.root,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("bad", NATIVE)
def test_a_parser_that_crashes_is_a_line_about_one_file(
    project: Project, bad: str, jobs: str
) -> None:
    unharmed = DROPPED.replace("def load", "def open_")
    project.write(bad, NATIVE[bad][2])
    project.write("a.py", unharmed)
    project.write("c/d.py", unharmed)
    ended = run(project, bad, "--jobs", jobs)
    shown = [line for line in ended.stdout.splitlines() if "ROC602" in line]
    assert [line.split(":")[0] for line in shown] == ["a.py", "c/d.py"]
    problem, _ = ended.stderr.splitlines()
    assert problem.startswith(f"{bad}: ended the process that linted it")
    assert ended.returncode == 2


def test_a_crash_on_standard_input_is_a_line(project: Project) -> None:
    ended = run(project, "b.py", "-", stdin=DROPPED)
    assert ended.stderr.startswith("stdin.py: ended the process that linted it")
    assert ended.returncode == 2


def test_a_deep_file_of_yaml_is_a_line(project: Project) -> None:
    project.write("environment.yml", "name: torch\n[a] " + "? " * 255)
    project.write("a.py", DROPPED)
    ended = project.run("--output-format", "concise")
    assert "environment.yml:2:1: ROC900" in ended.stdout
    assert "a.py:5:5: ROC602" in ended.stdout


CHILD = """\
import os, sys
from rocmlint.lint.guard import guarded

def do(task):
    if task == 2:
        os.abort()
    if task == 4:
        raise KeyError(task)
    return task

try:
    for task, result in guarded(do, [*range(6)]):
        print(task, result, flush=True)
except KeyError as error:
    print(repr(error))
"""


def python(code: str, project: Project) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=project.root, capture_output=True, text=True, check=False
    )


def test_what_a_task_raises_is_raised(project: Project) -> None:
    shown = python(CHILD, project).stdout.splitlines()
    assert shown == ["0 0", "1 1", "2 None", "3 3", "KeyError(4)"]


def test_what_a_task_prints_is_printed_once(project: Project) -> None:
    code = "from rocmlint.lint.guard import guarded\nprint('a')\n[*guarded(print, ['b'])]"
    assert python(code, project).stdout == "a\nb\n"


def test_results_that_nobody_asks_for_are_not_waited_for() -> None:
    results = guarded(lambda task: "x" * 1_000_000 * task, [1] * 100)
    assert next(results) == (1, "x" * 1_000_000)
    results.close()  # type: ignore[attr-defined]


UNABLE = """\
import os, sys
from rocmlint.cli.main import main

def fork():
    raise BlockingIOError

os.fork = fork
sys.exit(main(["--no-cache", "--quiet"]))
"""


def test_without_processes_left_the_work_is_done_here(project: Project) -> None:
    project.write("a.py", DROPPED)
    ended = python(UNABLE, project)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert "ROC602" in ended.stdout
