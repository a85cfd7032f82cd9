"""The command on a terminal: colour, progress, and Ctrl-C."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rocmlint.cli.progress import PATIENCE, PAUSE, Progress
from tests.support.project import COMMAND
from tests.support.tools import program

if TYPE_CHECKING:
    from tests.support.project import Project

UNSAFE = """\
from PIL import Image, ImageOps


def load(path):
    image = Image.open(path)
    ImageOps.exif_transpose(image)
    return image
"""
SLOW_RULE = '''
import time
from pathlib import Path

from rocmlint.rule.rule import Rule
from rocmlint.rule.triggers import calls


class Slow(Rule):
    """A rule that takes its time."""

    code, name, since, on = "ACM099", "slow", "1", calls("slow")

    def check(self, node, source):
        Path("started").touch()
        time.sleep(600)
        yield from ()
'''


def test_colour_is_for_terminals_unless_wanted(project: Project) -> None:
    project.write("a.py", UNSAFE)
    assert "\x1b[" not in project.run().stdout
    assert "\x1b[" in project.run("--color", "always", NO_COLOR="1").stdout


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_no_color_is_respected_on_a_terminal(
    project: Project, no_color: str, *, coloured: bool
) -> None:
    project.write("a.py", UNSAFE)
    assert ("\x1b[" in on_terminal(project, NO_COLOR=no_color, TERM="xterm")) is coloured


@pytest.mark.parametrize(
    ("flags", "variables", "coloured"),
    [
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ([], {"FORCE_COLOR": ""}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--output-format", "json"], {"FORCE_COLOR": "1"}, False),
        (["--unsafe-fixes", "--diff"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_can_be_forced_where_there_is_no_terminal_but_not_in_a_diff(
    project: Project, flags: list[str], variables: dict[str, str], *, coloured: bool
) -> None:
    project.write("a.py", UNSAFE)
    assert ("\x1b[" in project.run(*flags, **variables).stdout) is coloured


@pytest.mark.parametrize("flags", [["--unsafe-fixes", "--diff"], ["--show-files"], []])
def test_nothing_in_a_file_or_its_name_steers_a_terminal(
    project: Project, flags: list[str]
) -> None:
    project.write("\x1b[2J.py", UNSAFE + "    # \x1b[2J\n")
    shown = on_terminal(project, *flags, NO_COLOR="1", TERM="xterm")
    assert "\x1b" not in shown
    assert "\\x1b[2J.py" in shown


def test_what_is_piped_is_byte_for_byte_what_lies_there(project: Project) -> None:
    name = os.fsdecode(b"\xff\x1b.py")
    project.write(name, UNSAFE + "    # \x1b[2J\n")
    command = [*COMMAND, "--quiet", "--unsafe-fixes"]
    diff = subprocess.run(
        [*command, "--diff"], cwd=project.root, capture_output=True, check=False
    ).stdout
    listed = subprocess.run(
        [*command, "--show-files"], cwd=project.root, capture_output=True, check=False
    ).stdout
    assert diff.startswith(b"--- \xff\x1b.py\n+++ \xff\x1b.py\n")
    assert b"    # \x1b[2J\n" in diff
    assert listed == b"\xff\x1b.py\n"
    command = [program("patch"), "-p0"]
    subprocess.run(command, cwd=project.root, input=diff, check=True, capture_output=True)
    assert project.run("--quiet", "--isolated", "--unsafe-fixes", "--diff").stdout == ""


def on_terminal(project: Project, *flags: str, **environment: str) -> str:
    """Run the command with a terminal as stdout."""
    master, slave = pty.openpty()
    env = {**os.environ, **environment}
    command = [*COMMAND, "--quiet", *flags]
    subprocess.run(command, cwd=project.root, env=env, stdout=slave, check=False)
    os.close(slave)
    shown = os.read(master, 100_000).decode()
    os.close(master)
    return shown


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time, to be set."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_progress_waits_a_second_and_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    progress = Progress(shown=True)
    progress(1, 9)
    assert terminal.getvalue() == ""
    clock[0] = PATIENCE
    progress(2, 9)
    progress(3, 9)
    clock[0] += PAUSE
    progress(4, 9)
    assert terminal.getvalue() == "\r2 of 9 files\r4 of 9 files"
    progress.close()
    assert terminal.getvalue().endswith(f"\r{' ' * len('4 of 9 files')}\r")


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    progress = Progress(shown=True)
    clock[0] = PATIENCE
    progress(2, 9)
    progress.close()
    assert stream.getvalue() == ""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_is_130_with_one_line(project: Project, jobs: str) -> None:
    project.write("own/slow.py", SLOW_RULE)
    for number in range(4):
        project.write(f"src/a{number}.py", "slow()\n" + "x = 1\n" * 50_000)
    with project.start("--config", "rules = ['own']", "--jobs", jobs, "src") as process:
        while not (project.root / "started").exists():
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate()
    assert (process.returncode, stderr) == (130, "interrupted\n")
