"""``rocmlint.assert_loaded`` in a running program."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import rocmlint
from tests.support.live import NEW, OLD, manifest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project


@pytest.fixture
def patch(project: Project) -> Path:
    """Return the manifest of a patched package that is installed as it should be."""
    project.write("pack/__init__.py", "VERSION = 1\n")
    project.write("pack/m.py", NEW)
    project.write("pack/data.json", "{}")
    project.write("overlay/pack/data.json", "{}")
    return project.root / manifest(project, "pack/m.py", NEW)


FAKES = {
    "spec": "s = u.spec_from_loader('pack.m', None)\nsys.modules[s.name] = u.module_from_spec(s)",
    "module": "\nsys.modules['pack.m'] = types.ModuleType('pack.m')",
    "mock": "from unittest import mock\nsys.modules['pack.m'] = mock.MagicMock()",
    "namespace": "ALL = ['pack.m']\nfor it in ALL: sys.modules[it] = types.SimpleNamespace()",
    "package": "m = types.ModuleType('pack.m'); m.__path__ = []\nsys.modules['pack.m'] = m",
    "setdefault": "\nsys.modules.setdefault('pack.m', types.ModuleType('pack.m'))",
    "update": "\nsys.modules.update({'pack.m': types.ModuleType('pack.m')})",
    "mock.dict": "from unittest import mock\nmock.patch.dict('sys.modules', {'pack.m': 1}).start()",
}


@pytest.mark.parametrize("fake", FAKES.values(), ids=FAKES)
def test_a_module_that_a_program_made_is_contradicted_with_its_line(
    project: Project, patch: Path, fake: str
) -> None:
    assert patch.exists()
    project.write("fake.py", f"import importlib.util as u, sys, types\n{fake}\n")
    told = said(project, f"import fake, pack\n{ASSERT}")
    assert "pack.m: contradicted: pack.m in sys.modules was created by a program" in told
    assert f"do: remove {project.root / 'fake.py'}:3, which puts it there" in told


def said(project: Project, program: str) -> str:
    """Run a program that asserts; give what it prints."""
    program = f"import rocmlint, sys\n{program}"
    command = [sys.executable, "-c", program]
    # Bytecode of the same second and size would be a fault of its own.
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        command, cwd=project.root, env=variables, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


ASSERT = """
try:
    for each in rocmlint.assert_loaded('patch.toml'): print(each.subject, each.strength)
except rocmlint.NotProvenError as error:
    print(error)
"""


def test_the_results_are_given_when_the_patch_is_live(project: Project, patch: Path) -> None:
    assert patch.exists()
    program = f"import pack.m\n{ASSERT}print('torch' in sys.modules, 'libcst' in sys.modules)"
    assert said(project, program).splitlines() == [
        "pack/data.json hashed",
        "pack.m live",
        "False False",
    ]


def test_a_module_that_is_not_loaded_is_named_and_not_imported(
    project: Project, patch: Path
) -> None:
    assert patch.exists()
    told = said(project, f"import pack\n{ASSERT}print('pack.m' in sys.modules)")
    assert "pack.m: unproven: it is not loaded in this process\n  do: import pack.m" in told
    assert told.endswith("False\n")


def test_nothing_of_the_package_is_imported(project: Project, patch: Path) -> None:
    assert patch.exists()
    assert said(project, f"{ASSERT}print('pack' in sys.modules)").endswith("False\n")


def test_a_patch_copied_after_the_import_is_named(project: Project, patch: Path) -> None:
    assert patch.exists()
    project.write("pack/m.py", OLD)
    copy = "import pack.m, shutil\nshutil.copy('overlay/pack/m.py', 'pack/m.py')\n"
    told = said(project, copy + ASSERT)
    assert "pack.m: contradicted: the process runs other code than" in told
    assert "restart the job" in told


def test_a_monkeypatch_is_named_with_its_place(project: Project, patch: Path) -> None:
    assert patch.exists()
    project.write("monkey.py", "import pack.m\ndef new(a):\n    return 0\npack.m.f = new\n")
    assert f"it was replaced by {project.root}/monkey.py:2" in said(
        project, f"import monkey\n{ASSERT}"
    )


def test_a_forked_child_goes_by_what_its_parent_imported(project: Project, patch: Path) -> None:
    assert patch.exists()
    project.write("pack/m.py", "STEP = 1\n")
    project.write("overlay/pack/m.py", "STEP = 2\n")
    project.write(
        "patch.toml", project.run("verify", "manifest", "overlay", "--package", "pack").stdout
    )
    program = (
        "import os, pack.m, shutil, time\nshutil.copy('overlay/pack/m.py', 'pack/m.py')\n"
        "time.sleep(0.3)\nif os.fork():\n    os.wait()\nelse:\n"
    )
    program += "".join(f"    {line}\n" for line in ASSERT.strip().splitlines())
    assert "pack.m: unproven: STEP" in said(project, program)


def test_the_error_is_one_of_rocmlint_and_an_assertion(project: Project, patch: Path) -> None:
    assert project.root in patch.parents
    with pytest.raises(rocmlint.RocmlintError, match="this process does not run") as raised:
        rocmlint.assert_loaded(patch)
    assert isinstance(raised.value, AssertionError)
    assert isinstance(raised.value, rocmlint.NotProvenError)
    assert [each.verdict for each in raised.value.results] == ["unproven", "unproven"]


def test_a_manifest_that_cannot_be_read_is_an_error_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(rocmlint.RocmlintError, match=r"nothere\.toml"):
        rocmlint.assert_loaded(str(tmp_path / "nothere.toml"))


def test_rocmlint_alone_loads_nothing_of_this_half() -> None:
    text = "import sys, rocmlint; print([each for each in sys.modules if 'verify' in each])"
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
    assert importlib.util.find_spec("rocmlint.verify.live.assertion") is not None
