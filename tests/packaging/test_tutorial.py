"""The tutorials are run as they are written: files in an empty directory, commands in order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("tutorial-*.md"))
BLOCK = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
TIME = re.compile(r"\bin [\d.]+s\b")
EVIDENCE = re.compile(r" \d+ rules?; .*\(set rocm = true\)$", re.MULTILINE)
"""What the last line says of the project, with the number of rules."""


def run(command: str, folder: Path) -> str:
    """Run a command as a shell in the environment of these tests does; return what it prints."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {"PATH": programs, "NO_COLOR": "1", "PRE_COMMIT_COLOR": "never", "COLUMNS": "80"}
    plain["PYTEST_ADDOPTS"] = ""
    ended = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={**os.environ, **plain},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ended.stdout


def steps(text: str) -> list[tuple[str, str]]:
    """Return each command of a block and the lines below it."""
    found = re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
    return [(command, output.rstrip("\n")) for command, output in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda each: each.stem)
def test_each_command_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("flake8")
    pytest.importorskip("pre_commit")
    ran = 0
    for block in BLOCK.finditer(page.read_text()):
        if block["language"] == "console":
            for command, output in steps(block["text"]):
                printed = run(command, tmp_path).rstrip("\n")
                printed = EVIDENCE.sub("", TIME.sub("in 1s", printed))
                assert printed == TIME.sub("in 1s", output), command
                ran += 1
        else:
            assert block["title"], block[0]
            path = tmp_path / block["title"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"])
    assert ran >= 7
