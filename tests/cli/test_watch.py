"""``rocmlint --watch``, as it is used: files change below it, and Ctrl-C stops it."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from rocmlint.cli.main import main
from tests.support.project import COMMAND, PATIENCE
from tests.support.scripts import CLEAN, SAFE, UNSAFE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import Popen

    from tests.support.project import Project

pytest.importorskip("watchfiles")
FOUND, CLEAN_NOW = "Found 1 finding", "No issues found in 1 file. "


class Watched:
    """A command that watches, and the lines that it has printed to stderr."""

    def __init__(self, process: Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.lines += iter(self.process.stderr.readline, "")

    def next_run(self) -> list[str]:
        """Return what a run has printed once it waits for the next change."""
        for _ in range(PATIENCE * 100):
            ends = [n for n, line in enumerate(self.lines) if line.startswith("Watching for")]
            if ends:
                told = [line.rstrip("\n") for line in self.lines[: ends[0]]]
                del self.lines[: ends[0] + 1]
                return told
            time.sleep(0.01)
        raise TimeoutError(self.lines)


@contextmanager
def watching(project: Project, *arguments: str) -> Iterator[Watched]:
    with project.start("--watch", *arguments) as process:
        try:
            yield Watched(process)
        finally:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()


def save_as_editors_do(project: Project, name: str, text: str) -> None:
    """Write a new file beside the old one, and put it in its place."""
    os.replace(project.write(f".{name}.tmp", text), project.root / name)


def test_a_named_file_is_seen_however_often_it_is_replaced(project: Project) -> None:
    project.write("train.py", UNSAFE)
    with watching(project, "train.py") as watched:
        assert watched.next_run()[0].startswith(FOUND)
        for text, expected in ((CLEAN, CLEAN_NOW), (UNSAFE, FOUND), (CLEAN, CLEAN_NOW)):
            save_as_editors_do(project, "train.py", text)
            header, summary = watched.next_run()
            assert header.endswith(" train.py changed")
            assert summary.startswith(expected)


def test_configuration_pins_and_what_git_ignores_count_too(project: Project) -> None:
    project.write(".git/HEAD", "")
    project.write("pyproject.toml", "[tool.rocmlint]\nextend = 'shared/base.toml'\n")
    project.write("shared/base.toml", "")
    project.write("src/a.py", UNSAFE)
    with watching(project, "src") as watched:
        assert watched.next_run()[0].startswith(FOUND)
        project.write("shared/base.toml", "ignore = ['ROC602']\n")
        (clean,) = watched.next_run()[1:]
        assert clean.startswith(CLEAN_NOW)
        project.write("shared/base.toml", "ignore = [")
        assert watched.next_run()[1].startswith("error: shared/base.toml: not valid TOML")
        project.write("shared/base.toml", "")
        assert watched.next_run()[1].startswith(FOUND)
        project.write("src/.gitignore", "a.py\n")
        assert "no files to check" in watched.next_run()[1]
        project.write("requirements.txt", "numpy\n")
        assert watched.next_run()[0].endswith(" requirements.txt changed")


def test_local_rules_are_loaded_again(project: Project) -> None:
    rule = (
        "from rocmlint.rule.rule import Rule\nfrom rocmlint.rule.triggers import calls\n"
        "class OldCall(Rule):\n"
        '    """A call that is old."""\n'
        "    code, name, since, on = 'ACME01', 'old-call', '1', calls('NAME')\n"
        "    def check(self, node, source):\n"
        "        yield self.finding(node, source, 'This call is old')\n"
    )
    project.write("rocmlint.toml", "rules = ['own']\n")
    project.write("own/old_call.py", rule.replace("NAME", "old"))
    project.write("a.py", "old()\nolder()\n")
    with watching(project, "--select", "ACME01", "--output-format", "concise") as watched:
        watched.next_run()
        project.write("own/old_call.py", rule.replace("NAME", "older"))
        watched.next_run()
        assert watched.process.stdout is not None
        places = [watched.process.stdout.readline().split(" ")[0] for _ in range(2)]
    assert places == ["a.py:1:1:", "a.py:2:1:"]


def test_a_fix_is_applied_and_what_it_writes_is_seen_once(project: Project) -> None:
    project.write("a.py", SAFE)
    with watching(project, "--fix") as watched:
        assert watched.next_run()[0].startswith("Fixed 1 finding.")
        assert watched.next_run()[1].startswith(CLEAN_NOW)
    assert project.read("a.py") == CLEAN


def test_ctrl_c_is_130(project: Project) -> None:
    project.write("a.py", CLEAN)
    with watching(project) as watched:
        watched.next_run()
    assert watched.process.returncode == 130


def test_a_terminal_is_cleared_before_each_run(project: Project) -> None:
    project.write("a.py", UNSAFE)
    master, slave = pty.openpty()
    command = [*COMMAND, "--watch", "--output-format", "concise", "a.py"]
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    with subprocess.Popen(
        command, cwd=project.root, env=environment, stdout=slave, stderr=slave
    ) as process:
        shown = b""
        while b"Watching" not in shown:
            shown += os.read(master, 10_000)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
        shown += os.read(master, 10_000)
    os.close(slave)
    os.close(master)
    # On a busy machine the progress is shown first, and removed.
    progress = rb"(?:\r\d of \d files)*(?:\r *\r)?"
    assert re.match(rb"\x1b\[2J\x1b\[3J\x1b\[H" + progress + rb"a\.py:6:5: ROC602 ", shown)
    assert shown.endswith(b"interrupted\r\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--watch", "-"], "--watch cannot be used with -"),
        (["--watch", "gone/a.py"], "there is nothing to watch"),
    ],
)
def test_what_cannot_be_watched_is_refused(
    project: Project, arguments: list[str], message: str
) -> None:
    ended = project.run(*arguments)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert message in ended.stderr


def test_watching_without_its_package_says_how_to_get_it(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project.root)
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert main(["--watch"]) == 2
    assert "pip install 'rocmlint[watch]'" in capsys.readouterr().err
