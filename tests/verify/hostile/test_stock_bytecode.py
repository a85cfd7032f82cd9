"""``verify stock``: untouched packages of which other code runs, and two versions in one place."""

from __future__ import annotations

import os
import py_compile
import shutil
from typing import TYPE_CHECKING

import pytest

from rocmlint.interpreter.ask import Interpreter
from rocmlint.verify.patches.stock import check
from tests.support.hostile_imports import MODULE, PATCHED, WRONG, Hostile
from tests.support.patched import seen_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocmlint.verify.result import Result
    from tests.support.verdicts import Judged, Truth

pytestmark = [pytest.mark.slow, pytest.mark.verdict]

UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH
CHECKED = py_compile.PycInvalidationMode.CHECKED_HASH


def of(hostile: Hostile) -> Result:
    variables = {"PYTHONPATH": "", **hostile.variables}
    (result,) = check(["pk"], Interpreter(str(hostile.environment.python), 60, variables))
    return result


def compiled_from(text: str, path: Path, mode: py_compile.PycInvalidationMode | None) -> None:
    """Leave bytecode of another text beside a file, with the time of the file."""
    status = path.stat()
    right = path.read_text()
    path.write_text(text)
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns))
    py_compile.compile(str(path), invalidation_mode=mode)
    path.write_text(right)
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns))


def nothing(path: Path) -> None:
    """Leave the file alone."""


def written_later(path: Path) -> None:
    py_compile.compile(str(path))
    os.utime(path, (2_000_000_000, 2_000_000_000))


def cut_off(path: Path) -> None:
    os.truncate(py_compile.compile(str(path)) or "", 40)


STATES: dict[str, Callable[[Path], object]] = {
    "never imported": nothing,
    "compiled": lambda path: py_compile.compile(str(path)),
    "compiled, checked hash": lambda path: py_compile.compile(str(path), invalidation_mode=CHECKED),
    "compiled, unchecked hash": lambda path: py_compile.compile(
        str(path), invalidation_mode=UNCHECKED
    ),
    "written again later": written_later,
    "time and size kept": lambda path: compiled_from(WRONG, path, None),
    "unchecked hash of another file": lambda path: compiled_from(WRONG, path, UNCHECKED),
    "checked hash of another file": lambda path: compiled_from(WRONG, path, CHECKED),
    "bytecode cut off": cut_off,
}


@pytest.mark.parametrize("name", STATES)
def test_bytecode_that_runs_in_place_of_a_wheels_file_is_told(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = Hostile.made(tmp_path, {})
    path = hostile.environment.site / MODULE
    STATES[name](path)
    called = "import pk.sub.mod as m; print(m.f())"
    ran = hostile.environment.run("-B", "-c", called)
    result = of(hostile)
    truth: Truth = "holds" if ran.stdout == "RIGHT\n" else "broken"
    judged("files", truth, result.verdict)
    if truth == "broken":
        assert (result.verdict, result.seen) == ("contradicted", "1 stale bytecode")
        assert result.reason.startswith(f"{MODULE} is the wheel's, but ")
        hostile.environment.run("-c", f"import os; os.unlink({result.action.split()[1][:-1]!r})")
        assert of(hostile).verdict == "proven"


def test_bytecode_of_another_optimisation_level_is_told_at_that_level(
    tmp_path: Path, judged: Judged
) -> None:
    hostile = Hostile.made(tmp_path, {})
    path = hostile.environment.site / MODULE
    compiled_from(WRONG, path, None)
    (plain,) = path.parent.glob("__pycache__/mod.*.pyc")
    plain.rename(plain.with_suffix(".opt-1.pyc"))
    judged("files", "holds", of(hostile).verdict)
    hostile.variables = {"PYTHONOPTIMIZE": "1"}
    assert of(hostile).verdict == "contradicted"


def test_two_versions_in_one_directory_are_named(tmp_path: Path, judged: Judged) -> None:
    hostile = Hostile.made(tmp_path, {})
    first = hostile.environment.site / "pk-1.0.dist-info"
    other = shutil.copytree(first, hostile.environment.site / "pk-2.0.dist-info")
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: pk\nVersion: 2.0\n")
    result = of(hostile)
    judged("files", "open", result.verdict)
    assert result.seen.endswith(", 2 dist-infos")
    assert "has both pk-1.0.dist-info and pk-2.0.dist-info" in result.reason
    hostile.environment.write(MODULE, PATCHED + "\n")
    result = of(hostile)
    assert result.verdict == "contradicted"
    assert "the files were compared with pk-1.0.dist-info" in result.reason


def test_the_same_package_in_a_later_directory_is_only_listed(
    tmp_path: Path, judged: Judged
) -> None:
    hostile = Hostile.made(tmp_path, {})
    later = tmp_path / "later"
    shutil.copytree(hostile.environment.site / "pk", later / "pk")
    name = "pk-1.0.dist-info"
    shutil.copytree(hostile.environment.site / name, later / name)
    hostile.environment.write("later.pth", f"{later}\n")
    result = of(hostile)
    judged("files", "holds", result.verdict)
    assert seen_in(result, "shadowed distribution") == [str(later / name)]
