"""The context of every check of a claim: where to ask, and what is known to be right."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rocmlint.gpus.devices import find_devices
from rocmlint.interpreter.ask import InterpreterError
from rocmlint.verify.result import Evidence, Judgement, evidence_of
from rocmlint.verify.trace.probe import Operation, probe_on_gpu

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocmlint.findings import Claim
    from rocmlint.gpus.devices import Devices
    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.manifest.read import Manifest
    from rocmlint.verify.trace.probe import Probed

Checked = tuple[Judgement, tuple[Evidence, ...]]
"""The judgement on a claim, and its evidence."""

NOT_INSTALLED, DOES_NOT_LOAD = "not installed", "does not load"
MISSING = frozenset({NOT_INSTALLED, DOES_NOT_LOAD})
"""Observations of a package that cannot be used: the cause of every claim on it."""

_SHOWN = 5
"""How many places or files are named of many."""


@dataclass(frozen=True)
class PinnedVersion:
    """The one version of a package that a project runs with, and where it says so."""

    version: str
    said: str


@dataclass(frozen=True)
class ClaimContext:
    """The interpreter in which claims are checked, and the manifests that say what is right."""

    interpreter: Interpreter
    manifests: tuple[Manifest, ...] = ()
    targets: tuple[tuple[str, str], ...] = ()
    """Each module and name whose definition will be asked for: one question covers all."""
    places: Mapping[Claim, Sequence[str]] = field(default_factory=dict)
    """Where each claim is made, as ``FILE:LINE``."""
    pin: Callable[[str, str], PinnedVersion | None] = lambda _package, _file: None
    """Return what the project of a file pins a package to."""

    def files_with(self, claim: Claim) -> list[str]:
        """Return the files that claim the same of the same subject, each once."""
        same = (
            place
            for each, places in self.places.items()
            if (each.kind, each.subject, each.given) == (claim.kind, claim.subject, claim.given)
            for place in places
        )
        return list(dict.fromkeys(each.rpartition(":")[0] for each in same if each != ":0"))

    @cached_property
    def devices(self) -> Devices:
        """The GPUs that are found here."""
        return find_devices(interpreter=self.interpreter)

    def defined(self, module: str, name: str) -> Mapping[str, Any]:
        """Return where a name of a module is defined. Raises InterpreterError."""
        return self._definitions.get((module, name)) or self._defined([(module, name)])[0]

    @cached_property
    def _definitions(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        if not self.targets:
            return {}
        try:
            return dict(zip(self.targets, self._defined(self.targets), strict=True))
        except InterpreterError:
            return {}  # then each is asked for alone, so that one bad file hides no other

    def _defined(self, targets: Sequence[tuple[str, str]]) -> list[Mapping[str, Any]]:
        definitions: list[Mapping[str, Any]] = self.interpreter.ask(
            "imports.defined", {"targets": targets}
        )
        return definitions

    def loads(self, package: str) -> Mapping[str, Any]:
        """Import a package there, once however often it is claimed. Raises InterpreterError."""
        if package not in self._loaded:
            self._loaded[package] = self.interpreter.ask("job.loads", {"module": package})
        return self._loaded[package]

    @cached_property
    def _loaded(self) -> dict[str, Mapping[str, Any]]:
        return {}

    def probed(self, operation: str) -> Probed | None:
        """Run an operation on a GPU, once however many switches it shows; None without a GPU.

        Raises InterpreterError and TraceError.
        """
        if operation not in self._probed:
            self._probed[operation] = probe_on_gpu(self.interpreter, Operation(operation))
        return self._probed[operation]

    @cached_property
    def _probed(self) -> dict[str, Probed | None]:
        return {}


def as_evidence(name: str, values: Sequence[str]) -> tuple[Evidence, ...]:
    """Name the first of many, as a claim shows them."""
    return evidence_of(name, values, _SHOWN)
