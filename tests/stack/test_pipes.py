"""A pipe in place of a file is not waited for."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders are others elsewhere")


@pytest.mark.parametrize("more", [(), ("--force",)])
def test_what_is_written_needs_a_reader(project: Project, more: tuple[str, ...]) -> None:
    os.mkfifo(project.root / "pipe")
    done = project.run("stack", "freeze", "pipe", *more)
    assert (done.returncode, done.stderr) == (
        2,
        "error: pipe: cannot be written: a pipe without a reader\n",
    )
