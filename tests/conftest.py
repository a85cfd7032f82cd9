"""What several tests need: a project to run the command in."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support.project import Project
from tests.support.repositories import Repository
from tests.support.stacks import FakeEnvironment, FakeMachine

if TYPE_CHECKING:
    from pathlib import Path

# A busy machine takes its time; where many rely on the answer, one commit must give the same one.
settings.register_profile("patient", deadline=None)
settings.register_profile("CI", settings.get_profile("patient"), derandomize=True, database=None)
settings.load_profile("CI" if os.environ.get("CI") else "patient")

# What a shell starts in the background ignores Ctrl-C, and so would all that is started from here.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    # After nohup: what is started from here has the default again, as after any handler; this stays.
    signal.signal(signal.SIGHUP, lambda _number, _frame: None)


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
