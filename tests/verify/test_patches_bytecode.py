"""``verify patches``: whether the patch runs, or bytecode of another file in its place."""

from __future__ import annotations

import os
import py_compile
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.interpreter.inside.imports.bytecode import compiled, execution_of
from tests.support.environments import Environment
from tests.support.patched import NEW, OLD, checked, manifest_of, of_file, seen_in

pytestmark = pytest.mark.slow  # builds an environment for each test


def test_a_source_that_this_python_cannot_compile_is_contradicted(
    environment: Environment,
) -> None:
    text = "answer = = 1\n"
    environment.write("tiny/mod.py", text)
    result = checked(environment, manifest_of({"tiny/mod.py": text}))["tiny/mod.py"]
    assert (result.verdict, result.seen) == ("contradicted", "right bytes, import fails")
    assert "does not compile" in result.reason


def cached(environment: Environment) -> Path:
    """Return the fresh bytecode of the patch."""
    folder = environment.site / "tiny" / "__pycache__"
    assert environment.run("-c", "import tiny.mod").returncode == 0
    (path,) = folder.glob("mod.*.pyc")
    return path


def test_fresh_bytecode_is_proven(environment: Environment) -> None:
    path = cached(environment)
    result = of_file(environment)
    assert result.verdict == "proven"
    assert seen_in(result, "bytecode") == [f"{path} (timestamp) runs, with the source's code"]


@pytest.mark.parametrize("keep", [0, 10, 15])
def test_bytecode_that_is_cut_off_in_its_header_is_passed_over(
    environment: Environment, keep: int
) -> None:
    path = cached(environment)
    path.write_bytes(path.read_bytes()[:keep])
    result = of_file(environment)
    assert result.verdict == "proven"
    assert "is ignored" in seen_in(result, "bytecode")[0]


def test_bytecode_of_another_python_is_passed_over(environment: Environment) -> None:
    path = cached(environment)
    path.write_bytes(b"\0\0\r\n" + path.read_bytes()[4:])
    assert of_file(environment).verdict == "proven"


@pytest.mark.parametrize("body", [b"", b"\x00", b"i\x01\x00\x00\x00", b"\xe3" + b"\xff" * 40])
def test_bytecode_with_a_broken_body_makes_the_import_fail(
    environment: Environment, body: bytes
) -> None:
    path = cached(environment)
    path.write_bytes(path.read_bytes()[:16] + body)
    assert environment.run("-c", "import tiny.mod").returncode == 1
    assert of_file(environment).verdict == "contradicted"


def test_older_bytecode_is_passed_over(environment: Environment) -> None:
    path = cached(environment)
    os.utime(environment.site / "tiny" / "mod.py", (0, 0))
    result = of_file(environment)
    assert result.verdict == "proven"
    assert seen_in(result, "bytecode") == [
        f"{path} (timestamp) is ignored: an import compiles the source"
    ]


def stale(environment: Environment, **variables: str) -> None:
    """Leave bytecode of the old file where these variables make Python look for it."""
    path = environment.write("tiny/mod.py", OLD)
    os.utime(path, (1, 1))
    assert environment.run("-c", "import tiny.mod", variables=variables).returncode == 0
    path.write_text(NEW)
    os.utime(path, (1, 1))


def test_stale_bytecode_below_pycache_prefix_is_found(
    environment: Environment, tmp_path: Path
) -> None:
    variables = {"PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}
    stale(environment, **variables)
    assert of_file(environment, **variables).seen == "right bytes, stale bytecode"
    assert of_file(environment).verdict == "proven"


def test_stale_bytecode_of_an_optimisation_level_is_found_at_that_level(
    environment: Environment,
) -> None:
    stale(environment, PYTHONOPTIMIZE="1")
    assert of_file(environment, PYTHONOPTIMIZE="1").seen == "right bytes, stale bytecode"
    assert of_file(environment).verdict == "proven"


@given(data=st.data())
def test_what_is_said_of_bytecode_is_what_an_import_does(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    source = tmp_path_factory.getbasetemp() / "guessed.py"
    source.write_text(OLD)
    os.utime(source, (1, 1))
    mode = data.draw(st.sampled_from(py_compile.PycInvalidationMode))
    path = Path(str(py_compile.compile(str(source), invalidation_mode=mode)))
    source.write_text(data.draw(st.sampled_from([OLD, NEW, "answer = 'longer'\n"])))
    os.utime(source, (data.draw(st.sampled_from([1, 1.9, 2])),) * 2)
    header = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(0, 2))):
        header[data.draw(st.integers(0, 15))] = data.draw(st.sampled_from([0, 1, 2, 3, 255]))
    path.write_bytes(header[: data.draw(st.sampled_from([0, 8, 16, len(header)]))])
    execution = execution_of(str(source))
    try:
        runs: object = SourceFileLoader("guessed", str(source)).get_code("guessed")
    except EOFError:
        runs = "nothing"
    assert execution.same == (runs == compiled(source.read_bytes(), str(source)))
    assert (execution.error is not None) == (runs == "nothing")


def test_a_constant_that_is_not_equal_to_itself_makes_no_difference(tmp_path: Path) -> None:
    source = tmp_path / "mod.py"
    source.write_text("nan = 1e999 - 1e999\n")
    py_compile.compile(str(source))
    execution = execution_of(str(source))
    assert (execution.used, execution.same) == (True, True)
