"""Whose file a frame is: the project's, a package's, remote code of the hub, Python's own."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rocmlint.why.facts.metadata import Packages
    from rocmlint.why.log.log_data import LogFrame

Kind = Literal["project", "package", "hub", "python", "other"]
_SITE = re.compile(r"^(?P<site>.*?[/\\](?:site|dist)-packages)[/\\](?P<rest>.+)$")
_HUB = re.compile(r"[/\\]transformers_modules[/\\](?P<rest>.+)$")
_PYTHON = re.compile(r"[/\\](?:lib[/\\]python3(?:\.\d+)?|Lib)[/\\](?!site-packages)")


@dataclass(frozen=True)
class Owner:
    """Whose a file is. ``name`` is the distribution, or the repository of remote code."""

    kind: Kind
    name: str = ""
    version: str = ""
    site: str = ""
    """The ``site-packages`` that it lies in, as the log says."""

    def __str__(self) -> str:
        """Return it for people."""
        if self.kind == "package":
            return f"{self.name} {self.version}".rstrip()
        words = {"project": "this project", "python": "Python", "other": "another file"}
        return f"remote code of {self.name}" if self.kind == "hub" else words[self.kind]


def owner_of(frame: LogFrame, packages: Packages, project: str) -> Owner:
    """Return whose file a frame is, from its path."""
    found = _HUB.search(frame.file)
    if found is not None:
        parts = re.split(r"[/\\]", found["rest"])
        return Owner("hub", "/".join(parts[:2]).replace("_hyphen_", "-") or "a model")
    found = _SITE.match(frame.file)
    if found is not None:
        top = re.split(r"[/\\]", found["rest"])[0].partition(".")[0]
        installed = packages.owner(top)
        if installed is None:
            return Owner("package", top, "", found["site"])
        return Owner("package", installed.name, str(installed.version), found["site"])
    if frame.file.startswith("<frozen") or _PYTHON.search(frame.file):
        return Owner("python")
    path = os.path.join(project, frame.file)
    inside = os.path.abspath(path).startswith(os.path.abspath(project).rstrip(os.sep) + os.sep)
    return Owner("project" if inside or not os.path.isabs(frame.file) else "other")


def site_of(frames: tuple[LogFrame, ...]) -> str:
    """Return the innermost ``site-packages`` of some frames; empty without one."""
    for frame in reversed(frames):
        found = _SITE.match(frame.file)
        if found is not None:
            return found["site"]
    return ""
