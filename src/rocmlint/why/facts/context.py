"""The sources that an answer may read, and those that it has read."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.gpus.machine import Machine
from rocmlint.why.facts.files import ProjectFiles
from rocmlint.why.facts.frames import Owner, owner_of, site_of
from rocmlint.why.facts.metadata import Packages
from rocmlint.why.facts.value import FactEvidence, UnreadFact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.gpus.devices import Devices
    from rocmlint.why.host.host import Host
    from rocmlint.why.log.log_data import Log, LogFrame, Raised

_WINDOWS = re.compile(
    r"(?<![\w/])[A-Za-z]:\\+\w|\w\.dll\b|\bWinError\b|\.pyd\b|\bWindows(?:,| 1[01]\b|-1[01]\b)"
)


@dataclass
class Context:
    """The log, this machine, a project and an environment; what was read is kept for all entries.

    ``raised`` is the exception that is being explained. ``evidence`` collects what functions read,
    in order.
    """

    log: Log
    project: str = os.curdir
    python: str = ""
    """The interpreter that was chosen; its packages are read from files."""
    folders: tuple[str, ...] = ()
    """Where a job that was watched searched for its packages; empty where that is not known."""
    is_given: bool = False
    """Whether ``--python`` chose it."""
    is_assumed: bool = False
    """Whether it is only the one that runs rocmlint: its packages need not be the job's."""
    machine: Machine = field(default_factory=Machine)
    examination: Host | None = None
    """A machine that a report describes, which goes before this one."""
    raised: Raised | None = None
    evidence: dict[FactEvidence, None] = field(default_factory=dict)
    doubts: dict[UnreadFact, None] = field(default_factory=dict)
    """Reasons why the evidence is doubtful; such an answer is likely at most."""

    def saw(self, fact: str, value: object, source: str = "") -> None:
        """Note a fact that was read."""
        self.evidence[FactEvidence(fact, str(value), source)] = None

    def saw_package(self, name: str, version: object) -> None:
        """Note the version of a package, and a doubt where it need not be the job's."""
        folders = self.packages.folders
        self.saw(name, version, folders[0] if folders else "")
        if not self.is_of_job:
            doubt = UnreadFact("the interpreter of the job", "rocmlint why ... --python PYTHON")
            self.doubts[doubt] = None

    @property
    def is_of_job(self) -> bool:
        """Whether the packages may count as the job's: rocmlint's own only if torch is there."""
        return not self.is_assumed or self.packages.get("torch") is not None

    @property
    def frames(self) -> tuple[LogFrame, ...]:
        """The frames of the exception, the innermost last."""
        return self.raised.frames if self.raised is not None else ()

    @cached_property
    def packages(self) -> Packages:
        """The packages of the interpreter that the log is of, else of the one that was chosen.

        The frames name it where their ``site-packages`` is on this machine.
        """
        if self.folders:
            return Packages(self.folders, self.python)
        chains = [each for chain in self.log.chains for each in chain.raised]
        sites = [site_of(each.frames) for each in chains]
        site = next((each for each in sites if each and os.path.isdir(each)), "")
        if site and not self.is_given:
            return Packages((site,))
        return Packages.installed_in(self.python) if self.python else Packages(())

    @cached_property
    def is_elsewhere(self) -> bool:
        """Whether the log names packages of an interpreter that is not on this machine."""
        chains = [each for chain in self.log.chains for each in chain.raised]
        sites = {site_of(each.frames) for each in chains} - {""}
        return bool(sites) and not self.is_given and not any(map(os.path.isdir, sites))

    @cached_property
    def files(self) -> ProjectFiles:
        """The files of the project, found when a fact needs one."""
        return ProjectFiles(self.project)

    def owner(self, frame: LogFrame) -> Owner:
        """Return whose file a frame is."""
        return owner_of(frame, Packages(()) if self.is_elsewhere else self.packages, self.project)

    @cached_property
    def devices(self) -> Devices:
        """The GPUs of this machine; no program that could import the project's code is run."""
        from rocmlint.gpus.devices import find_devices  # noqa: PLC0415 - runs rocminfo

        return find_devices(self.machine)

    @cached_property
    def line_of_windows(self) -> str:
        """The first line of the log that only a job in Windows writes; empty for none."""
        return next((each for each in self.log.lines if _WINDOWS.search(each)), "")

    @cached_property
    def host(self) -> Host:
        """The machine of the job: as ``--examination`` describes it, else this one.

        Of a job in Windows nothing can be read on Linux.
        """
        from rocmlint.why.host.host import Host  # noqa: PLC0415 - many messages need none of it

        here = self.examination or Host(self.machine)
        if self.line_of_windows and not here.is_windows and not here.is_wsl:
            from rocmlint.why.host.examined import ExaminedHost  # noqa: PLC0415 - seldom needed

            return ExaminedHost({"os_family": "windows"}, self.machine)
        return here

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment variables of this shell."""
        return self.machine.environment
