"""What several tests need: a project to run the command in."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from rocmlint.cli.environment import VARIABLES, variable
from rocmlint.report.place import CHECKOUTS
from tests.support.patches import Patched
from tests.support.project import Project
from tests.support.repositories import Repository
from tests.support.stacks import FakeEnvironment, FakeMachine
from tests.support.tools import LLVM, lacking

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

MARKED_FILE = r"^pytestmark = \[?pytest\.mark\.{}\b"
LIMIT, LIMIT_OF_SLOW = 300, 1200
"""Seconds after which a test has failed: what it waits for will not come."""

REQUIRES = """\
[project]
name = "small"
version = "1.0"
dependencies = ["torch==2.13.0", "transformers>=5,<6"]
"""
"""What the project requires in which tests lint a text without a folder."""

# A busy machine takes its time; where many rely on the answer, one commit must give the same one.
settings.register_profile("patient", deadline=None)
settings.register_profile("CI", settings.get_profile("patient"), derandomize=True, database=None)
settings.load_profile("CI" if os.environ.get("CI") else "patient")

# Else each of the many processes that tests start would compile rocmlint anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# In a job of CI they name the checkout of rocmlint, which is not what tests lint; the others are
# a person's, who runs the tests.
for name in (*CHECKOUTS, *map(variable, VARIABLES), "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)

# An environment that is active here is the tests' own, not that of the projects that they make.
for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PRE_COMMIT", "UV_PROJECT_ENVIRONMENT"):
    os.environ.pop(name, None)

# Tables that this user fetched with `rocmlint stack update` are not what tests look into.
os.environ["XDG_DATA_HOME"] = "/nonexistent"

# What a shell starts in the background ignores Ctrl-C, and so would all that is started from here.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    # After nohup. Who has a handler survives too, and what is started from here has the default.
    signal.signal(signal.SIGHUP, lambda _number, _frame: None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out whole files that a mark leaves out: importing takes long, one imports torch."""
    asked = config.option.markexpr
    if asked not in {"not slow", "smoke"} or not collection_path.name.startswith("test_"):
        return None
    mark = MARKED_FILE.format(asked.rpartition(" ")[2])
    is_marked = re.search(mark, collection_path.read_text(), re.MULTILINE) is not None
    return is_marked == (asked == "not slow") or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow tests, so that no worker is left alone with one in the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what compiles device code where no compiler can."""
    if item.get_closest_marker("needs_compiler") and (reason := lacking(*LLVM)):
        pytest.skip(reason)


def pytest_collection_finish() -> None:
    """Let Python look for garbage as seldom as the command does; the tests are none."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Keep files whole whose tests share something expensive, if there are several workers."""
    from tests.support.schedule import scheduling  # noqa: PLC0415 - needs pytest-xdist

    return scheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Take one worker more than there are cores: many tests wait for the processes they start."""
    usable = getattr(os, "sched_getaffinity", None)
    return (len(usable(0)) if usable else os.cpu_count() or 1) + 1


class StandsStillError(BaseException):
    """Ends a test. Hypothesis runs what fails again and again to make it smaller, but not this."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End a test that stands still, with its fixtures, wherever it waits."""
    if not hasattr(signal, "SIGALRM"):  # Windows
        return (yield)
    limit = LIMIT if item.get_closest_marker("slow") is None else LIMIT_OF_SLOW
    before = signal.signal(signal.SIGALRM, partial(_give_up, limit))
    signal.alarm(limit)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _give_up(limit: int, *_: object) -> None:
    message = f"did not end within {limit} s"
    raise StandsStillError(message)


@pytest.fixture(scope="session", autouse=True)
def small_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run all tests in a project without files: rules that ask for them would read all of ours."""
    folder = tmp_path_factory.mktemp("small")
    (folder / ".git").mkdir()
    (folder / "pyproject.toml").write_text(REQUIRES)
    before = os.getcwd()
    os.chdir(folder)
    yield
    os.chdir(before)


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
    """Return a machine on which nothing is installed."""
    return FakeMachine(tmp_path / "machine")


@pytest.fixture
def rocm_7_1(here: FakeMachine) -> None:
    """Install ROCm 7.1 on that machine."""
    here.file("/opt/rocm/.info/version", "7.1.0-98\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEnvironment:
    """Return an environment without packages."""
    # An interpreter finds packages in the folder where it is started too.
    monkeypatch.chdir(tmp_path)
    return FakeEnvironment(tmp_path / "venv")


@pytest.fixture
def patched(tmp_path: Path) -> Patched:
    return Patched(tmp_path)
