"""Where a stack is looked for: this machine, or in tests a folder that plays one."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.gpus.programs import FOLDERS, Printed, ask_program

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS = 15.0
"""Rocminfo takes a second or two on a node with many GPUs; one that hangs never ends."""


def _variables() -> Mapping[str, str]:
    return dict(os.environ)


@dataclass(frozen=True)
class Machine:
    """A file system below ``root``, variables, and how long a program of ROCm may take."""

    root: str = "/"
    environment: Mapping[str, str] = field(default_factory=_variables)
    seconds: float = _SECONDS

    def path(self, path: str) -> str:
        """Return where an absolute path of that machine is on this one."""
        return os.path.join(self.root, path.lstrip("/"))

    def ask(self, *command: str) -> Printed:
        """Run a program of ROCm."""
        folders = [self.path(each) for each in FOLDERS]
        chosen = self.environment.get("ROCM_PATH")
        if chosen:
            folders.insert(0, os.path.join(self.path(chosen), "bin"))
        return ask_program(
            command, folders=folders, environment=self.environment, seconds=self.seconds
        )
