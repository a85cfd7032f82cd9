"""Which interpreter is meant where ``--python`` does not say: that of the active environment."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_INSIDE = (
    *("bin/python", "bin/python3", "Scripts/python.exe", "python.exe", "bin/python.exe"),
    *("python", "python3"),
)
"""Where an environment has its interpreter: POSIX, Windows, conda on Windows, a folder of one."""
_ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
_BASE = frozenset({"base", "root"})
"""The names of conda's own environment, which many shells activate by themselves."""
_OF_PROJECT = (".venv", "venv")
_LARGEST = 10_000
"""Bytes of a ``.python-version``."""


class Chosen(NamedTuple):
    """An interpreter, and why it was chosen."""

    path: str
    reason: str
    is_own: bool = False
    """Whether it only runs rocmlint, and nothing says that it runs the job."""
    passed_over: tuple[str, ...] = ()
    """A line for each environment that is named and has no interpreter that works."""

    def __str__(self) -> str:
        """Write both, as in ``.venv/bin/python (VIRTUAL_ENV is active)``."""
        return f"{self.path} ({self.reason})"


def chosen_interpreter(given: str | None, project: str, environment: Mapping[str, str]) -> Chosen:
    """Return ``--python``, else the active environment, else the project's, else our own.

    Nothing is run. Raises ConfigError for a ``--python`` that is a folder without an interpreter.
    """
    if given is not None:
        path = interpreter_at(given)
        return Chosen(_behind_shim(path, project, environment) or path, "--python")
    passed_over: list[str] = []
    for folder, reason in _environments(project, environment):
        if path := _inside(folder):
            return Chosen(os.path.normpath(path), reason, passed_over=tuple(passed_over))
        if problem := _problem(folder, reason):
            passed_over.append(problem)
    if _is_first_on_path(environment):
        return Chosen(sys.executable, "first on PATH", passed_over=tuple(passed_over))
    reason = "runs rocmlint itself"
    return Chosen(sys.executable, reason, is_own=True, passed_over=tuple(passed_over))


def interpreter_at(path: str) -> str:
    """Return the interpreter of an environment that its folder names (``.venv``); else ``path``.

    Raises ConfigError for a folder without one.
    """
    if path and not os.path.isdir(path):
        return path
    if path and (found := _inside(path)):
        return found
    where = f"{path} is a directory without" if path else "the empty string does not name"
    message = f"--python: {where} an interpreter; name one, such as --python .venv/bin/python"
    raise ConfigError(message)


def _inside(folder: str) -> str:
    """Return the interpreter in the folder of an environment, "" for none that could run."""
    files = (os.path.join(folder, each) for each in _INSIDE)
    return next((each for each in files if os.path.isfile(each) and os.access(each, os.X_OK)), "")


def _problem(folder: str, reason: str) -> str:
    """Return why an environment that is named has no interpreter, "" where it is only absent."""
    for each in _INSIDE:
        path = os.path.join(folder, each)
        if os.path.islink(path) and not os.path.exists(path):
            return f"{path} links to {os.readlink(path)}, which does not exist ({reason})"
        if os.path.isfile(path):
            return f"{path} cannot be executed ({reason})"
    if os.path.isdir(folder):
        return f"{folder} has no interpreter ({reason})"
    return f"{folder} does not exist ({reason})" if reason.endswith("active") else ""


def _environments(project: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the folders of environments, the one that is meant most likely first."""
    active = {each: environment[each] for each in _ACTIVE if environment.get(each)}
    if environment.get("PRE_COMMIT") and _is_own(active.get("VIRTUAL_ENV", "")):
        del active["VIRTUAL_ENV"]  # pre-commit activates the environment of each hook
    base = active.pop("CONDA_PREFIX") if _is_base(active, environment) else ""
    for name in sorted(active, key=lambda each: _place_on_path(active[each], environment)):
        yield active[name], f"{name} is active"
    if named := environment.get("UV_PROJECT_ENVIRONMENT"):
        yield os.path.join(project, named), "UV_PROJECT_ENVIRONMENT of the project"
    for folder in _folders_of(project):
        for name in _OF_PROJECT:
            yield os.path.join(folder, name), f"{name} of the project"
    if base:
        yield base, "CONDA_PREFIX is active"
    if found := _of_pyenv(project, environment):
        yield found, "pyenv's version for the project"


def _is_base(active: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    return "CONDA_PREFIX" in active and environment.get("CONDA_DEFAULT_ENV") in _BASE


def _is_own(folder: str) -> bool:
    return bool(folder) and os.path.realpath(folder) == os.path.realpath(sys.prefix)


def _place_on_path(folder: str, environment: Mapping[str, str]) -> int:
    """Return how early the programs of an environment come on PATH: the last activated is first."""
    entries = environment.get("PATH", "").split(os.pathsep)
    own = {os.path.join(folder, each) for each in ("bin", "Scripts")} | {folder}
    return next((at for at, each in enumerate(entries) if each in own), len(entries))


def _folders_of(project: str) -> list[str]:
    """Return the folder of a project, and those above it up to its repository."""
    folder = os.path.abspath(project)
    above = [folder]
    while not os.path.exists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return [project]
        folder = os.path.dirname(folder)
        above.append(folder)
    return [project, *above[1:]]


def _is_first_on_path(environment: Mapping[str, str]) -> bool:
    """Return whether ``python`` on PATH is what runs rocmlint, as in an image with one Python."""
    own = os.path.dirname(os.path.abspath(sys.executable))
    found = (shutil.which(each, path=environment.get("PATH", "")) for each in ("python", "python3"))
    first = next((each for each in found if each), None)
    return first is not None and os.path.dirname(os.path.abspath(first)) == own


def _of_pyenv(project: str, environment: Mapping[str, str]) -> str:
    """Return the environment to which pyenv's shims on PATH lead in a project, "" for none."""
    shims = [each for each in environment.get("PATH", "").split(os.pathsep) if _is_of_shims(each)]
    name = environment.get("PYENV_VERSION") or _named_version(project)
    root = environment.get("PYENV_ROOT") or (os.path.dirname(shims[0]) if shims else "")
    if not (shims and name and root) or os.pardir in name.split("/"):
        return ""
    folder = os.path.join(root, "versions", name)
    return folder if os.path.isdir(folder) else ""


def _is_of_shims(folder: str) -> bool:
    return os.path.basename(folder.rstrip(os.sep)) == "shims"


def _named_version(project: str) -> str:
    """Return the first version that a ``.python-version`` names, "" for none."""
    for folder in _folders_of(project):
        try:
            text = read_small(os.path.join(folder, ".python-version"), _LARGEST)
        except OSError:
            continue
        words = text.decode(errors="replace").split()
        return words[0] if words else ""
    return ""


def _behind_shim(path: str, project: str, environment: Mapping[str, str]) -> str:
    """Return the interpreter that a shim of pyenv would start in a project, "" for other files."""
    found = shutil.which(path, path=environment.get("PATH", "")) or path
    if not _is_of_shims(os.path.dirname(found)):
        return ""
    folder = _of_pyenv(project, {"PATH": os.path.dirname(found), **_pyenv(environment)})
    return _inside(folder) if folder else ""


def _pyenv(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        each: environment[each] for each in ("PYENV_VERSION", "PYENV_ROOT") if each in environment
    }
