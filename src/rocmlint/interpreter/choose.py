"""Which interpreter is meant where ``--python`` does not say: that of the active environment."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_INSIDE = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")


class Chosen(NamedTuple):
    """An interpreter, and why it was chosen."""

    path: str
    reason: str
    is_own: bool = False
    """Whether it is the one that runs rocmlint, for want of any other."""


def chosen_interpreter(given: str | None, project: str, environment: Mapping[str, str]) -> Chosen:
    """Return ``--python``, else the active environment, else the project's ``.venv``, else our own.

    Nothing is run.
    """
    if given:
        return Chosen(given, "--python")
    for folder, reason in _environments(project, environment):
        for each in _INSIDE:
            path = os.path.join(folder, each)
            if os.path.isfile(path):
                return Chosen(path, reason)
    return Chosen(sys.executable, "runs rocmlint itself", is_own=True)


def _environments(project: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environment.get(name):
            yield environment[name], f"{name} is active"
    for name in (".venv", "venv"):
        yield os.path.join(project, name), f"{name} of the project"
