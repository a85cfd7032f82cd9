"""A pipe in place of a file is not waited for."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.published import rocm_wheels
from tests.support.fetched_tables import data_of, fetched

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders are others elsewhere")
NOWHERE = ("--index-url", "http://127.0.0.1:9/", "--only", "requirements")


@pytest.mark.parametrize("more", [(), ("--force",)])
def test_what_is_written_needs_a_reader(project: Project, more: tuple[str, ...]) -> None:
    os.mkfifo(project.root / "pipe")
    done = project.run("stack", "freeze", "pipe", "--python", sys.executable, *more)
    assert (done.returncode, done.stderr) == (
        2,
        "error: pipe: cannot be written: a pipe without a reader\n",
    )


def test_a_fetched_table_is_passed_over(project: Project) -> None:
    path = fetched(project, rocm_wheels.NAME)
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    done = project.run("stack", "index-url", "--rocm", "7.1", **data_of(project))
    noted = f"note: {path} cannot be read (not a regular file): the table that ships with"
    assert noted in done.stderr
    assert done.returncode == 0


def test_the_lock_of_an_update_is_an_error(project: Project) -> None:
    path = fetched(project, "update.lock")
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    done = project.run("stack", "update", *NOWHERE, **data_of(project))
    assert done.stderr == f"error: {path} cannot be opened: a pipe without a reader\n"
    assert done.returncode == 2


def test_certificates_are_an_error(project: Project) -> None:
    os.mkfifo(project.root / "pipe")
    done = project.run("stack", "update", *NOWHERE, PIP_CERT="pipe", **data_of(project))
    assert done.stderr == "error: pipe: not certificates that can be read (not a regular file)\n"
    assert done.returncode == 2
