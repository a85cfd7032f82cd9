"""The report of one process: its witness, checked before anything of it is used."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.interpreter.inside.job.process import host
from rocmlint.interpreter.inside.job.process_exit import ENDS, EXEC, EXIT
from rocmlint.interpreter.inside.job.witness import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class WitnessReport:
    """The report of one process; ``facts`` as :mod:`.inside.job.witness` writes them."""

    file: str
    facts: Mapping[str, Any]
    question: str = ""
    """The last question to it; an answer to it means that the facts are current."""

    @property
    def pid(self) -> int:
        """The process."""
        return int(self.facts["pid"])

    @property
    def host(self) -> str:
        """The machine."""
        return str(self.facts["host"])

    @property
    def rank(self) -> int | None:
        """The rank that its environment says; a rank's children have it too."""
        return self.facts.get("rank")

    @property
    def start(self) -> str:
        """How it began: "program", or a start method or helper of multiprocessing."""
        return str(self.facts.get("start", "program"))

    @property
    def asked(self) -> str:
        """The last question that it has answered."""
        return str(self.facts.get("asked", ""))

    @property
    def may_run(self) -> bool:
        """Whether the process has not ended, as far as can be known from here."""
        return not self.has_ended and self._may_be_there

    @property
    def has_ended(self) -> bool:
        """Return whether its end was seen: the last look was right before it."""
        return self.facts.get("moment") in ENDS

    @property
    def is_known(self) -> bool:
        """Return whether nothing that happened in it later can be missing here."""
        answers = bool(self.question) and self.question in self.asked  # it is quoted there
        return self.has_ended or answers or self.facts.get("moment") == "asked"

    @property
    def came_to_its_end(self) -> bool:
        """Return whether it ended by itself, and not by an error or a signal."""
        return self.facts.get("moment") in (EXIT, EXEC) and not self.facts.get("failure")

    @property
    def last_look(self) -> str:
        """Report when it was seen for the last time."""
        began, written = self.facts.get("began"), self.facts.get("written")
        if not isinstance(began, float) or not isinstance(written, float):
            return "at an unknown time"
        return f"{max(written - began, 0.0):.1f} s after its start"

    @property
    def _may_be_there(self) -> bool:
        return self.host != host() or os.path.exists(f"/proc/{self.pid}")

    @property
    def restart(self) -> int:
        """How often torchrun had started the job again."""
        return int(self.facts.get("restart") or 0)

    @property
    def command(self) -> tuple[str, ...]:
        """The command line, as far as it is known."""
        return tuple(self.facts.get("command", ()))

    @property
    def modules(self) -> Mapping[str, Mapping[str, Any]]:
        """The observations of each watched module that it loaded."""
        found: Mapping[str, Mapping[str, Any]] = self.facts.get("modules", {})
        return found

    @property
    def subject(self) -> str:
        """The name by which a person knows the process."""
        process = f"pid {self.pid}" + ("" if self.start == "program" else f", {self.start}")
        return f"({process})" if self.rank is None else f"rank {self.rank} ({process})"


def parsed(
    name: str, text: str, loads: Callable[[str], object] = json.loads
) -> WitnessReport | str:
    """Read one witness; what is wrong with it is one line that begins with its name."""
    try:
        document = loads(text)
    except (ValueError, RecursionError) as error:
        return f"{name}: {error}"
    problem = _problem(document)
    if problem is not None or not isinstance(document, dict):
        return f"{name}: {problem}"
    return WitnessReport(name, document)


_SHAPE: Mapping[str, type | tuple[type, ...]] = {
    "host": str,
    "pid": int,
    "rank": (int, type(None)),
    "world_size": (int, type(None)),
    "restart": (int, type(None)),
    "failure": (str, type(None)),
    "parent": int,
    "start": str,
    "moment": str,
    "python": str,
    "executable": str,
    "binary": str,
    "prefix": str,
    "implementation": str,
    "began": float,
    "written": float,
    "command": list,
    "errors": list,
    "watched": list,
    "libraries": list,
    "path": list,
    "flags": dict,
    "environment": dict,
    "environment_at_start": dict,
    "versions": dict,
    "modules": dict,
    "files": dict,
    "functions": dict,
    "program": str,
    "torch": (dict, type(None)),
}
_REQUIRED = ("host", "pid", "errors")
_INNER = {
    "modules": dict,
    "files": dict,
    "functions": dict,
    "libraries": dict,
    "command": str,
    "errors": str,
}


def _problem(document: object) -> str | None:
    """Return why something is not a witness that can be used."""
    if not isinstance(document, dict) or "witness" not in document:
        return "is not a witness"
    if document["witness"] != VERSION:
        return (
            f"is a witness of version {document['witness']!r}, but this version of "
            f"rocmlint reads version {VERSION}"
        )
    for name, kind in _SHAPE.items():
        if name not in document and name not in _REQUIRED:
            continue
        value = document.get(name)
        if not isinstance(value, kind):
            return f"is damaged: {name} is {value!r:.60}"
        inner: Any = value.values() if isinstance(value, dict) else value
        if name in _INNER and not all(isinstance(each, _INNER[name]) for each in inner):
            return f"is damaged: {name} is {value!r:.60}"
    return None
