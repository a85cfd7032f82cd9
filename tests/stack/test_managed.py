"""The system's own Python, which pip does not install into (PEP 668): each verb says so once."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.stacks import FakeEnvironment

if TYPE_CHECKING:
    from tests.support.project import Project

NOTE = "is managed by the system (PEP 668): pip refuses to install into it"


class SystemPython(FakeEnvironment):
    """A Python whose standard library has the file that Debian's has."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        stdlib = Path(sysconfig.get_path("stdlib"))
        self.library = root / "home" / "lib" / stdlib.name
        self.library.mkdir(parents=True)
        for each in stdlib.iterdir():
            (self.library / each.name).symlink_to(each)
        (self.library / "EXTERNALLY-MANAGED").write_text("[externally-managed]\nError=...\n")
        self.starts(os.path.realpath(sys.executable), "-S")

    def starts(self, python: str, *flags: str) -> None:
        variables = f'PYTHONHOME="{self.root / "home"}" PYTHONPATH="{self.site}"'
        words = " ".join(flags)
        self.python.write_text(f'#!/bin/sh\n{variables} exec "{python}" {words} "$@"\n')


@pytest.fixture
def system(project: Project) -> SystemPython:
    made = SystemPython(project.root / "system")
    made.torch("2.9.1+cpu")
    made.install("accelerate", "1.15.0", ["psutil"])
    made.install("pip", "26.0")
    return made


def test_the_file_in_the_standard_library_tells_it(system: SystemPython) -> None:
    assert system.read().is_managed
    (system.library / "EXTERNALLY-MANAGED").unlink()
    assert not system.read().is_managed


def test_a_virtual_environment_of_it_is_not_managed(system: SystemPython) -> None:
    venv.create(system.root / "venv", symlinks=True)
    system.starts(str(system.root / "venv" / "bin" / "python"))
    assert system.read().prefix == str(system.root / "venv")
    assert not system.read().is_managed


@pytest.mark.parametrize(
    "verb",
    [
        ("show",),
        ("compatible", "--offline", "peft"),
        ("install-command", "--rocm", "7.1"),
        ("plan", "--to", "7.1", "--no-freeze", "pyproject.toml"),
    ],
)
def test_a_verb_that_prints_commands_for_it_says_so_once(
    project: Project, system: SystemPython, verb: tuple[str, ...]
) -> None:
    project.write("pyproject.toml", "")
    done = project.run("stack", *verb, "--python", str(system.python))
    assert (done.stdout + done.stderr).count(NOTE) == 1, done.stderr


def test_the_way_back_says_so(project: Project, system: SystemPython) -> None:
    python = ("--python", str(system.python))
    project.run("stack", "freeze", *python)
    shutil.rmtree(system.site / "torch-2.9.1+cpu.dist-info")
    system.torch("2.10.0+cpu")
    assert NOTE in project.run("stack", "survived", *python).stdout.splitlines()[-1]
