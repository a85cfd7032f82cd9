"""``verify patches``: exit codes, the command to type, and the interpreter that is asked."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.verify.manifest.read import write
from rocmlint.verify.patches.patches import check
from tests.support.environments import Environment
from tests.support.patched import INSTALLED, NEW, OLD, manifest_of, of_file
from tests.support.tools import path_of

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.slow  # builds an environment for each test


def test_an_interpreter_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InterpreterError, match="cannot be started"):
        check(manifest_of({"tiny/mod.py": NEW}), Interpreter(str(tmp_path / "python")))


def test_the_exit_code_is_that_of_the_worst_result(
    environment: Environment, project: Project
) -> None:
    write(str(project.root / "manifest.toml"), manifest_of({"tiny/mod.py": NEW}))
    python = str(environment.python)
    command = ("verify", "patches", "--manifest", "manifest.toml", "--python", python)
    assert project.run(*command).returncode == 0
    environment.write("tiny/mod.py", OLD)
    done = project.run(*command)
    assert done.returncode == 1
    assert f"cp --remove-destination PATCH/mod.py {environment.site}/tiny/mod.py" in done.stdout


def starts(python: str) -> bool:
    return subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0


def test_a_command_to_type_is_quoted(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "it's here")
    environment.install("tiny", "1.0", INSTALLED)
    command = of_file(environment).action.partition(";")[0]
    assert shlex.split(command)[-1] == f"{environment.site}/tiny/mod.py"


def test_a_copy_that_went_astray_is_what_the_command_takes(environment: Environment) -> None:
    environment.write("tiny/mod.py", OLD)
    stray = environment.write("mod.py", NEW)  # one directory too high
    command, _, _ = of_file(environment).action.partition(";")
    assert shlex.split(command)[-2:] == [str(stray), f"{environment.site}/tiny/mod.py"]
    subprocess.run(shlex.split(command), check=True)
    assert of_file(environment).verdict == "proven"


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_other_pythons_can_be_asked(environment: Environment, version: str) -> None:
    beside = Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python{version}")  # as pyenv has
    found = [path_of(f"python{version}"), *map(str, beside)]
    python = next((each for each in found if each and starts(each)), None)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    variables = {"PYTHONPATH": str(environment.site)}
    given = manifest_of({"tiny/mod.py": NEW})
    results = check(given, Interpreter(python, 60, variables))
    assert [each.verdict for each in results] == ["proven", "proven"]
