"""Which interpreter is meant where ``--python`` does not say: environments as folders of files."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.errors import ConfigError
from rocmlint.interpreter.choose import chosen_interpreter

if TYPE_CHECKING:
    from pathlib import Path


def environment_in(folder: Path, inside: str = "bin/python") -> Path:
    """Make a folder that has an interpreter as far as a look at its files can tell."""
    python = folder / inside
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    return python


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project/.git").mkdir(parents=True)
    return tmp_path / "project"


@pytest.mark.parametrize(
    "inside", ["bin/python", "bin/python3", "Scripts/python.exe", "python.exe"]
)
@pytest.mark.parametrize("name", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_active_environment_comes_before_that_of_the_project(
    project: Path, tmp_path: Path, name: str, inside: str
) -> None:
    environment_in(project / ".venv")
    python = environment_in(tmp_path / "active", inside)
    chosen = chosen_interpreter(None, str(project), {name: str(tmp_path / "active")})
    assert (chosen.path, chosen.reason) == (str(python), f"{name} is active")
    assert not chosen.is_own


def test_of_two_active_ones_the_first_on_path_was_activated_last(
    project: Path, tmp_path: Path
) -> None:
    of_venv, of_conda = environment_in(tmp_path / "venv"), environment_in(tmp_path / "conda")
    active = {"VIRTUAL_ENV": str(tmp_path / "venv"), "CONDA_PREFIX": str(tmp_path / "conda")}
    for first, other in ((of_venv, of_conda), (of_conda, of_venv)):
        path = os.pathsep.join([str(first.parent), str(other.parent)])
        assert chosen_interpreter(None, str(project), {**active, "PATH": path}).path == str(first)
    assert chosen_interpreter(None, str(project), active).path == str(of_venv)


def test_condas_own_environment_comes_after_that_of_the_project(
    project: Path, tmp_path: Path
) -> None:
    of_base, of_project = environment_in(tmp_path / "base"), environment_in(project / ".venv")
    active = {"CONDA_PREFIX": str(tmp_path / "base"), "CONDA_DEFAULT_ENV": "base"}
    assert chosen_interpreter(None, str(project), active).path == str(of_project)
    assert chosen_interpreter(None, str(tmp_path), active).path == str(of_base)


def test_the_environment_of_a_repository_serves_its_folders(project: Path) -> None:
    python = environment_in(project / ".venv")
    (project / "src/deep").mkdir(parents=True)
    chosen = chosen_interpreter(None, str(project / "src/deep"), {})
    assert (chosen.path, chosen.reason) == (str(python), ".venv of the project")


def test_an_environment_above_the_repository_is_another_ones(project: Path, tmp_path: Path) -> None:
    environment_in(tmp_path / ".venv")
    assert chosen_interpreter(None, str(project), {}).is_own


def test_an_environment_without_an_interpreter_is_passed_over_and_named(
    project: Path, tmp_path: Path
) -> None:
    python = environment_in(project / ".venv")
    (tmp_path / "broken/bin").mkdir(parents=True)
    (tmp_path / "broken/bin/python").symlink_to("/nonexistent/python3.9")
    gone, broken = tmp_path / "gone", tmp_path / "broken"
    active = {"VIRTUAL_ENV": str(gone), "CONDA_PREFIX": str(broken)}
    chosen = chosen_interpreter(None, str(project), active)
    assert chosen.path == str(python)
    link = f"{broken}/bin/python links to /nonexistent/python3.9, which does not exist"
    assert chosen.passed_over == (
        f"{gone} does not exist (VIRTUAL_ENV is active)",
        f"{link} (CONDA_PREFIX is active)",
    )


def test_a_broken_environment_of_the_project_is_named(project: Path) -> None:
    environment_in(project / ".venv").chmod(0o644)
    chosen = chosen_interpreter(None, str(project), {})
    assert chosen.is_own
    assert chosen.passed_over == (
        f"{project}/.venv/bin/python cannot be executed (.venv of the project)",
    )


def test_the_environment_of_a_hook_is_not_that_of_the_job(project: Path) -> None:
    python = environment_in(project / ".venv")
    hook = {"VIRTUAL_ENV": sys.prefix, "PRE_COMMIT": "1"}
    assert chosen_interpreter(None, str(project), hook).path == str(python)


def test_a_python_that_runs_rocmlint_and_is_first_on_path_is_the_machines(project: Path) -> None:
    here = {"PATH": os.path.dirname(sys.executable)}
    chosen = chosen_interpreter(None, str(project), here)
    assert (chosen.path, chosen.reason, chosen.is_own) == (sys.executable, "first on PATH", False)
    chosen = chosen_interpreter(None, str(project), {"PATH": "/nonexistent"})
    assert (chosen.reason, chosen.is_own) == ("runs rocmlint itself", True)


@pytest.mark.parametrize("by", ["file", "variable"])
def test_a_shim_of_pyenv_leads_to_the_version_of_the_project(
    project: Path, tmp_path: Path, by: str
) -> None:
    python = environment_in(tmp_path / "pyenv/versions/job")
    shim = environment_in(tmp_path / "pyenv", "shims/python")
    variables = {"PATH": str(shim.parent)}
    if by == "file":
        (project / ".python-version").write_text("job\n3.11\n")
    else:
        variables["PYENV_VERSION"] = "job"
    chosen = chosen_interpreter(None, str(project), variables)
    assert (chosen.path, chosen.reason) == (str(python), "pyenv's version for the project")
    for given in ("python", str(shim)):
        assert chosen_interpreter(given, str(project), variables).path == str(python)


@pytest.mark.parametrize("written", ["", "3.99\n", "../../etc\n"])
def test_a_version_that_pyenv_does_not_have_is_none(
    project: Path, tmp_path: Path, written: str
) -> None:
    shim = environment_in(tmp_path / "pyenv", "shims/python")
    (project / ".python-version").write_text(written)
    assert chosen_interpreter(None, str(project), {"PATH": str(shim.parent)}).is_own


def test_what_is_given_is_taken(project: Path, tmp_path: Path) -> None:
    environment_in(project / ".venv")
    python = environment_in(tmp_path / "other")
    for given in (str(python), str(tmp_path / "other")):
        chosen = chosen_interpreter(given, str(project), {})
        assert (chosen.path, chosen.reason) == (str(python), "--python")
    assert chosen_interpreter("python3.99", str(project), {}).path == "python3.99"
    with pytest.raises(ConfigError, match="directory without an interpreter"):
        chosen_interpreter(str(project / ".git"), str(project), {})
