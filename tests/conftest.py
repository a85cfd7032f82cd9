"""What several tests need: a project to run the command in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from repositories import Repository
from stacks import FakeEnvironment, FakeMachine

if TYPE_CHECKING:
    from pathlib import Path

# A busy machine takes its time; where many rely on the answer, one commit must give the same one.
settings.register_profile("patient", deadline=None)
settings.register_profile("CI", settings.get_profile("patient"), derandomize=True, database=None)
settings.load_profile("CI" if os.environ.get("CI") else "patient")

# What a shell starts in the background ignores Ctrl-C, and so would all that is started from here.
signal.signal(signal.SIGINT, signal.default_int_handler)

COMMAND = (sys.executable, "-m", "rocmlint")


class Project:
    """A folder to run the command in."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    def run(
        self, *arguments: str, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=self.root,
            input=stdin,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the command in a group of its own, as a terminal does."""
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def code(self, *arguments: str) -> int:
        return self.run(*arguments).returncode

    def findings(self, *arguments: str) -> list[tuple[str, str]]:
        found = json.loads(self.run(*arguments, "--output-format", "json").stdout)["findings"]
        return [(each["path"], each["code"]) for each in found]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def in_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test in the root of a repository that is empty."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def here(tmp_path: Path) -> FakeMachine:
    """Give a machine on which nothing is installed."""
    return FakeMachine(tmp_path / "machine")


@pytest.fixture
def rocm_7_1(here: FakeMachine) -> None:
    """Install ROCm 7.1 on that machine."""
    here.file("/opt/rocm/.info/version", "7.1.0-98\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEnvironment:
    """Give an environment without packages."""
    # An interpreter finds packages in the folder where it is started too.
    monkeypatch.chdir(tmp_path)
    return FakeEnvironment(tmp_path / "venv")
