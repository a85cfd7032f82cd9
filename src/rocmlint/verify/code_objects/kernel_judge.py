"""Whether HIP finds code for a device in a file: the order of its choice, and what it needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from rocmlint.gpus.target import (
    SPIRV,
    Target,
    is_generic_for,
    is_native,
    settings,
)
from rocmlint.verify.code_objects import kpack
from rocmlint.verify.code_objects.file_errors import MissingExtraError, UnreadableError
from rocmlint.verify.code_objects.mapped import map_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rocmlint.verify.code_objects.bundle import BundleEntry
    from rocmlint.verify.code_objects.file_report import FileReport
    from rocmlint.verify.result import Verdict

How = Literal["native", "generic", "SPIR-V"]
_ALONE = ("ELF", "kpack")
_FROM_BAD_TO_GOOD: tuple[Verdict, ...] = ("contradicted", "unproven", "proven")
_FIRST_GENERIC_VERSION = 1
_GENERIC_NEEDS = 6
"""The code-object version that generic code came with."""


Problem = Literal[
    "",
    "no code",
    "no device code",
    "in part",
    "depends on a setting",
    "switched off",
    "kpack missing",
    "CUDA only",
    "unreadable",
    "broken",
]


@dataclass(frozen=True)
class KernelVerdict:
    """The verdict on a file and a device."""

    verdict: Verdict
    seen: str
    """The kind of code: ``native``, ``generic``, ``kpack present``, or the problem."""
    problem: Problem = ""
    reason: str = ""


def _bad(verdict: Verdict, problem: Problem, reason: str) -> KernelVerdict:
    return KernelVerdict(verdict, problem, problem, reason)


class KernelJudge:
    """Judges files for devices, under the environment variables that HIP reads."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Take the variables of the job."""
        self._environment = environment
        self._only_spirv = _is_on(environment.get("HIP_FORCE_SPIRV_CODEOBJECT", ""))
        self._archives: dict[str, kpack.Archive] = {}

    def library(self, report: FileReport, device: Target) -> KernelVerdict:
        """Judge a library: each of its bundles is needed, since each has kernels of its own."""
        try:
            return self._library(report, device)
        except MissingExtraError:
            raise
        except Exception as error:  # noqa: BLE001 - no file may hide what is known of the others
            return _bad("unproven", "broken", f"cannot be read: {type(error).__name__}: {error}")

    def _library(self, report: FileReport, device: Target) -> KernelVerdict:
        if report.error:
            return _bad("unproven", "unreadable" if report.refused else "broken", report.error)
        if report.kpack:
            return self._archived(report, report.kpack, device)
        if report.is_for_cuda:
            reason = "its kernels are for NVIDIA GPUs; none can run on an AMD GPU"
            return _bad("contradicted", "CUDA only", reason)
        if not report.entries:
            reason = "it contains no device code: what it launches is in another file, if anything"
            return _bad("unproven", "no device code", reason)
        parts = [
            partial(self._choose, list(entries))
            for _, entries in groupby(report.entries, lambda each: each.bundle)
        ]
        codes = [each.target for each in report.entries]
        return self._all_settings(device, codes, parts)

    def one_of(self, reports: Sequence[FileReport], device: Target) -> KernelVerdict:
        """Judge files of which one for the device is enough: loose ones, or libraries."""
        if reports[0].is_loose:
            return self.loose(reports, device)
        judgements = (self.library(each, device) for each in reports)
        best = max(judgements, key=lambda each: _FROM_BAD_TO_GOOD.index(each.verdict))
        if best.problem == "no code":
            return replace(best, reason=self.none_for(device))
        return best

    def none_for(self, device: Target) -> str:
        """Return why files of which one is enough do not run."""
        return f"none of them is for {device}: what loads them finds no kernels"

    def loose(self, reports: Sequence[FileReport], device: Target) -> KernelVerdict:
        """Judge loose code objects, of which one for the device is enough."""
        entries = [entry for each in reports for entry in each.entries]
        part = partial(self._choose, entries)
        judgement = self._all_settings(device, [each.target for each in entries], [part])
        if judgement.problem == "no code":
            return replace(judgement, reason=self.none_for(device))
        return judgement

    def has_code(self, report: FileReport, device: Target) -> bool:
        """Return whether a file has code that the device could take, under some setting."""
        codes = [each.target for each in report.entries]
        return any(self._choose(report.entries, each) for each in settings(device, codes))

    def _choose(self, entries: Iterable[BundleEntry], device: Target) -> How | None:
        """Choose as HIP does: the processor's own code, its family's, then SPIR-V."""
        entries = list(entries)
        # Only in a bundle is there anything to choose from.
        ready = [each for each in entries if not self._only_spirv or each.form in _ALONE]
        if any(is_native(each.target, device) for each in ready):
            return "native"
        if any(_is_generic(each, device) for each in ready):
            return "generic"
        return "SPIR-V" if any(each.target.processor == SPIRV for each in entries) else None

    def _all_settings(
        self,
        device: Target,
        codes: Iterable[Target],
        parts: Sequence[Callable[[Target], How | None]],
    ) -> KernelVerdict:
        """Judge for each setting (xnack, sramecc) that the device was not said to have."""
        chosen = {each: [part(each) for part in parts] for each in settings(device, codes)}
        hows = {how for row in chosen.values() for how in row}
        if None not in hows and hows:
            kinds = [_KINDS[how] for how in _KINDS if how in hows]
            return KernelVerdict("proven", " and ".join(kinds))
        if hows <= {None}:
            return self._no_code(device)
        whole = [str(each) for each, row in chosen.items() if None not in row]
        if whole:
            reason = (
                f"it runs as {' or '.join(whole)} only, and {device} does not specify this setting"
            )
            return _bad("unproven", "depends on a setting", reason)
        missing = min(row.count(None) for row in chosen.values())
        reason = (
            f"{missing} of its {len(parts)} bundles have no code for {device}: kernels in "
            "them fail with hipErrorNoBinaryForGpu, the others run"
        )
        return _bad("unproven", "in part", reason)

    def _no_code(self, device: Target) -> KernelVerdict:
        if self._only_spirv:
            reason = "HIP_FORCE_SPIRV_CODEOBJECT requires SPIR-V, but the file contains none"
            return _bad("contradicted", "switched off", reason)
        reason = f"it has no code for {device}: its kernels fail with hipErrorNoBinaryForGpu"
        return _bad("contradicted", "no code", reason)

    def _archived(
        self, report: FileReport, reference: kpack.KpackReference, device: Target
    ) -> KernelVerdict:
        if kpack.is_disabled(self._environment):
            reason = "its kernels are in kpack archives, which ROCM_KPACK_DISABLE disables"
            return _bad("contradicted", "switched off", reason)
        problems: list[str] = []
        paths = kpack.archive_paths(reference, report.path, device, self._environment)
        archives = [each for each in map(partial(self._open, problems), paths) if each]
        targets = [str(each) for each in kpack.candidates(device)]
        missing = [
            key for key in reference.names() if not _is_stored(key, targets, archives, problems)
        ]
        if problems:
            return _bad("unproven", "broken", "; ".join(problems))
        if archives and not missing:
            return KernelVerdict("proven", "kpack present")
        if archives:
            reason = f"its archives have no code for {device} under {', '.join(missing)}"
        else:
            reason = f"its kernels are in archives that do not exist: {', '.join(paths)}"
        return _bad("contradicted", "kpack missing", reason)

    def _open(self, problems: list[str], path: str) -> kpack.Archive | None:
        """Read an archive once; one that is not there is None, as for the loader."""
        if path not in self._archives:
            try:
                self._archives[path] = kpack.read_archive(memoryview(map_file(path)))
            except FileNotFoundError:
                return None
            except (UnreadableError, OSError) as error:
                problems.append(f"{path}: {error}")
                return None
        return self._archives[path]


_KINDS: dict[How | None, str] = {
    "native": "native",
    "generic": "generic",
    "SPIR-V": "SPIR-V, compiled when loaded",
}


def _is_stored(
    key: str, targets: list[str], archives: list[kpack.Archive], problems: list[str]
) -> bool:
    """Return whether the first archive that has the code, in the loader's order, has it whole."""
    for target in targets:
        for archive in archives:
            if (key, target) in archive.places:
                try:
                    archive.code_object(key, target)
                except UnreadableError as error:
                    problems.append(str(error))
                return True
    return False


def _is_generic(entry: BundleEntry, device: Target) -> bool:
    return (
        is_generic_for(entry.target, device)
        and entry.version == _GENERIC_NEEDS
        and entry.generic_version >= _FIRST_GENERIC_VERSION
    )


def _is_on(value: str) -> bool:
    """Read a variable as HIP reads its flags: "true", or a number other than 0."""
    return value == "true" or value.lstrip("+-").lstrip("0")[:1].isdigit()
