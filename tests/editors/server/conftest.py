"""One server for the tests that need no options of their own; each has a folder of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.acme import RULE
from tests.support.editor import Editor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., Editor]
CONFIGURATION = 'rules = ["own"]\nselect = ["ACME", "ROC9"]\n'
"""The rule of :mod:`tests.support.acme` alone, so that no change of the built-in ones matters."""


def make_project(root: Path) -> Path:
    """Make a repository with a rule of its own."""
    (root / ".git").mkdir(parents=True)
    (root / "own").mkdir()
    (root / "own" / "no_vllm.py").write_text(RULE)
    (root / "rocmlint.toml").write_text(CONFIGURATION)
    (root / ".gitignore").write_text("ignored/\n")
    return root


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """Return an editor of one who trusts the project; tests share it, with files of their own."""
    editor = Editor(make_project(tmp_path_factory.mktemp("shared")), "--local-rules")
    yield editor
    assert editor.close() == 0
    assert editor.logged == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project for an editor of its own."""
    return make_project(tmp_path / "project")


@pytest.fixture
def start(project: Path) -> Iterator[Start]:
    """Return what starts an editor in the project."""
    started: list[Editor] = []

    def starting(*arguments: str, **more: Any) -> Editor:
        editor = Editor(project, *(arguments or ("--local-rules",)), **more)
        started.append(editor)
        return editor

    yield starting
    for editor in started:
        assert editor.process.poll() is not None or editor.close() == 0
