"""What several tests of stack use: an empty index, an environment that was written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.frozen import STATE, Stack
from tests.support.package_index import PackageIndex, serving
from tests.support.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    """Serve an index without packages."""
    with serving() as found:
        yield found


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Write one such environment down; give the text and the folder that is named in it."""
    folder = tmp_path_factory.mktemp("frozen")
    assert Stack(Project(folder)).run("freeze").returncode == 0
    return (folder / STATE).read_text(), folder


@pytest.fixture
def stack(project: Project, frozen: tuple[str, Path]) -> Stack:
    text, folder = frozen
    project.write(STATE, text.replace(str(folder), str(project.root)))
    return Stack(project)
