"""``verify patches``: packages whose own code cannot be read, or is not what their source says."""

from __future__ import annotations

import os
import py_compile
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.support.hostile_imports import INSTALLED, MODULE, PATCHED, WRONG, Hostile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict]

EVIL = "__path__[:] = ['OTHER']\n"
TOP = "pk/__init__.py"


def stale(hostile: Hostile) -> None:
    """Leave bytecode of other code beside the package's source, which it passes for."""
    path = hostile.environment.site / TOP
    path.write_text(EVIL.replace("OTHER", str(hostile.other)))
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(path), invalidation_mode=mode)
    path.write_text("")


def without_source(hostile: Hostile) -> None:
    stale(hostile)
    path = hostile.environment.site / TOP
    (cached,) = path.parent.glob("__pycache__/*.pyc")
    cached.rename(f"{path}c")
    path.unlink()


def in_an_archive(hostile: Hostile, top: str) -> None:
    archive = hostile.environment.root / "packages.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name, text in {**INSTALLED, TOP: top}.items():
            file.writestr(name, text)
    hostile.variables["PYTHONPATH"] = str(archive)


def archive_that_looks_elsewhere(hostile: Hostile) -> None:
    in_an_archive(hostile, EVIL.replace("OTHER", str(hostile.other)))


BROKEN: dict[str, Callable[[Hostile], None]] = {
    "stale bytecode of the package": stale,
    "package without source": without_source,
    "package in an archive": archive_that_looks_elsewhere,
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_a_package_really_runs_is_what_counts(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = Hostile.made(tmp_path, {})
    BROKEN[name](hostile)
    assert hostile.truth() == "broken"
    judged("files", "broken", hostile.result().verdict)


def test_an_archive_whose_packages_are_plain_is_proven(tmp_path: Path, judged: Judged) -> None:
    hostile = Hostile.made(tmp_path, {})
    in_an_archive(hostile, "import sys\nsys.modules.get('x')\n")
    (hostile.environment.site / MODULE).write_text(WRONG)
    assert hostile.truth() == "holds"
    judged("files", "holds", hostile.result().verdict)


def test_fresh_bytecode_of_a_package_is_no_doubt(tmp_path: Path, judged: Judged) -> None:
    hostile = Hostile.made(tmp_path, {TOP: "import os\nhere = os.path.dirname(__file__)\n"})
    assert hostile.truth() == "holds"
    assert (hostile.environment.site / "pk" / "__pycache__").is_dir()
    judged("files", "holds", hostile.result().verdict)


@pytest.mark.parametrize("text", ["def f(:\n", "x = " + "(" * 300, "raise = 1\n"])
def test_a_package_that_does_not_compile_proves_nothing(
    text: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = Hostile.made(tmp_path, {TOP: text})
    assert hostile.environment.run("-c", "import pk.sub.mod").returncode
    result = hostile.result()
    judged("files", "broken", result.verdict)
    assert f"{hostile.environment.site / TOP} has no source that can be read" in result.reason


def test_code_that_is_nested_too_deeply_to_be_read_is_named(tmp_path: Path, judged: Judged) -> None:
    hostile = Hostile.made(tmp_path, {TOP: "x = " + " + ".join(["''"] * 2000) + "\n"})
    result = hostile.result()
    judged("files", "open", result.verdict)
    assert f"{hostile.environment.site / TOP} has no source that can be read" in result.reason


def test_a_pipe_beside_a_package_is_not_waited_for(tmp_path: Path) -> None:
    hostile = Hostile.made(tmp_path, {TOP: "try:\n    from . import pipe\nexcept ImportError: 0\n"})
    os.mkfifo(hostile.environment.site / "pk" / "pipe.py")
    assert hostile.result().verdict == "proven"
    assert (hostile.environment.site / MODULE).read_text() == PATCHED
