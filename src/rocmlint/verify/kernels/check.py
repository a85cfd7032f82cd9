"""``verify kernels``: which files have code for the GPU, judged file by file."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.text.words import few
from rocmlint.verify.code_objects.describe import action, evidence, summary
from rocmlint.verify.code_objects.file_report import FileReport, read_file, refused
from rocmlint.verify.code_objects.find import find_files
from rocmlint.verify.code_objects.kernel_judge import KernelJudge
from rocmlint.verify.code_objects.libraries import Libraries
from rocmlint.verify.code_objects.packages import package_of
from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocmlint.gpus.devices import Devices
    from rocmlint.gpus.target import Target
    from rocmlint.verify.code_objects.find import FoundFile
    from rocmlint.verify.code_objects.kernel_judge import KernelVerdict, Problem
    from rocmlint.verify.kernels.compiled.places import KernelCache

CHECK = "kernels"
_FOR_ONE_GPU = re.compile(r"gfx[0-9a-f]{3,}")
_THREADS = min(4, os.cpu_count() or 1)
"""Decoding and hashing leave Python's lock; each thread may hold one decoded bundle."""
_NAME_THE_GPU = "rocmlint verify kernels --arch gfx942:sramecc+:xnack-"


@dataclass(frozen=True)
class ReadFile:
    """A file and what was read of it."""

    found: FoundFile
    report: FileReport

    @property
    def is_named(self) -> bool:
        """Return whether the path was given, not found below one."""
        return self.found.path == self.found.root

    @property
    def company(self) -> str:
        """Return what the file came with: its package, else its folder."""
        return package_of(self.found.path) or os.path.dirname(self.found.path)

    @property
    def owner(self) -> str:
        """Return the package that installed it, else the path below which it was found."""
        return package_of(self.found.path) or self.found.root

    @property
    def is_of_family(self) -> bool:
        """Return whether it is a file that another can replace on another GPU.

        That is a loose one, or a library with the name of a GPU in its own.
        """
        is_one_of_many = self.report.is_loose or bool(
            self.report.entries and _FOR_ONE_GPU.search(os.path.basename(self.found.path))
        )
        return is_one_of_many and not self.report.error and not self.is_named

    @property
    def family(self) -> str:
        """Return the folder whose loose files replace each other.

        Libraries such as rocBLAS and aiter have one file for each GPU, in one folder or in folders
        named for the GPU, and load those for the device.
        """
        if not self.report.is_loose:
            return os.path.join(self.found.root, _FOR_ONE_GPU.sub("gfx*", self.found.name))
        folders = os.path.dirname(self.found.name).split(os.sep)
        named = (at for at, each in enumerate(folders) if _FOR_ONE_GPU.search(each))
        return os.path.join(self.found.root, *folders[: next(named, len(folders))])


@dataclass(frozen=True)
class Scan:
    """The files below some paths."""

    files: tuple[ReadFile, ...]
    """Those with device code, those that cannot be read, and those that were named."""
    names: frozenset[str]
    """Of all files looked at, without folders."""
    looked_at: int
    without_code: int
    for_cuda: int
    """Libraries for CUDA left out, since their package has others for AMD GPUs."""

    def without(self, caches: Sequence[KernelCache]) -> Scan:
        """Return it without what is in a cache: that is judged by how the cache finds it."""
        files = (
            each
            for each in self.files
            if each.is_named or not any(it.contains(each.found.path) for it in caches)
        )
        return replace(self, files=tuple(files))


def scan(roots: Sequence[str]) -> Scan:
    """Read every file below the paths. Raises MissingExtraError."""
    every = list(find_files(roots))
    with ThreadPoolExecutor(_THREADS) as pool:
        reports = list(pool.map(_read, every))
    pairs = (ReadFile(*each) for each in zip(every, reports, strict=True))
    files = [each for each in pairs if each.is_named or _claims(each.report)]
    for_amd = {each.company for each in files if each.report.is_for_amd}
    kept = [
        each
        for each in files
        if each.is_named or not each.report.is_for_cuda or each.company not in for_amd
    ]
    return Scan(
        tuple(kept),
        frozenset(os.path.basename(each.path) for each in every),
        looked_at=len(every),
        without_code=len(every) - len(files),
        for_cuda=len(files) - len(kept),
    )


def _claims(report: FileReport) -> bool:
    return bool(report.error) or report.is_for_amd or report.is_for_cuda


def _read(found: FoundFile) -> FileReport:
    return refused(found.path, found.error) if found.error else read_file(found.path)


def check(
    found: Scan, devices: Devices, roots: Sequence[str], environment: Mapping[str, str]
) -> Iterator[Result]:
    """Yield a result for each file, or family of loose files, and each device."""
    libraries = Libraries(roots, found.names, environment)
    judge = KernelJudge(environment)
    for file in found.files:
        if file.is_of_family:
            continue
        host = file.report.host
        missing = libraries.missing(file.report.path, host) if host else ()
        for device in devices.targets:
            yield _of_file(file, device, judge, missing)
        if not devices.targets:
            yield _without_device(file.found.name, [file.report], devices.reason, missing)
    for family, files in _families(found.files).items():
        reports = [each.report for each in files]
        subject = _pattern(os.path.relpath(family, files[0].found.root), reports)
        for device in devices.targets:
            result = _of_family(subject, family, reports, device, judge)
            yield _unless_elsewhere(result, files, found.files, device, judge)
        if not devices.targets:
            folder = family if reports[0].is_loose else os.path.dirname(family)
            yield _without_device(subject, reports, devices.reason, folder=folder)


def _unless_elsewhere(
    result: Result,
    family: Sequence[ReadFile],
    every: Iterable[ReadFile],
    device: Target,
    judge: KernelJudge,
) -> Result:
    """Return that a family is not for a device as a question, if its package has other code.

    A package may include compiled kernels for the GPUs that gain from them, and compile or
    choose others elsewhere, as aiter does with its ``aot`` directories.
    """
    if result.verdict != "contradicted" or result.reason != judge.none_for(device):
        return result
    owner = family[0].owner
    other = next(
        (each for each in every if each.owner == owner and judge.has_code(each.report, device)),
        None,
    )
    if other is None:
        return result
    reason = (
        f"none of them is for {device}, but other files of {owner} are, such as "
        f"{other.found.name}: whether the job needs these, only a run shows"
    )
    todo = "profile the job, then rocmlint verify trace TRACE.json: it names the files that ran"
    found = (*result.evidence, Evidence(f"has code for {device}", other.found.path))
    return replace(result, verdict="unproven", reason=reason, action=todo, evidence=found)


def _families(files: Iterable[ReadFile]) -> Mapping[str, Sequence[ReadFile]]:
    """Return the families; one that would have a single file belongs to the folder around it."""
    by_folder: dict[str, list[ReadFile]] = defaultdict(list)
    for file in files:
        if file.is_of_family:
            by_folder[file.family].append(file)
    families: dict[str, list[ReadFile]] = defaultdict(list)
    for folder, members in by_folder.items():
        is_alone = len(members) == 1 and members[0].report.is_loose
        is_alone = is_alone and folder != members[0].found.root
        families[os.path.dirname(folder) if is_alone else folder].extend(members)
    return families


def _of_file(file: ReadFile, device: Target, judge: KernelJudge, missing: Sequence[str]) -> Result:
    judgement = judge.library(file.report, device)
    seen = [judgement.seen, summary(file.report.entries)]
    if missing:
        seen.append(f"{few(missing, 1)} not found")
    return Result(
        CHECK,
        _claim(device),
        file.found.name,
        judgement.verdict,
        "located",
        "; ".join(filter(None, seen)),
        tuple(evidence(file.report, missing)),
        judgement.reason,
        _action(judgement, file.found.path, device),
    )


def _of_family(
    subject: str, family: str, reports: Sequence[FileReport], device: Target, judge: KernelJudge
) -> Result:
    judgement = judge.one_of(reports, device)
    usable = sum(judge.has_code(each, device) for each in reports)
    entries = [entry for each in reports for entry in each.entries]
    share = f"{usable:,} of {len(reports):,}" if usable else f"{len(reports):,}"
    return Result(
        CHECK,
        _claim(device),
        subject,
        judgement.verdict,
        "located",
        f"{judgement.seen} in {share} files; {summary(entries)}",
        tuple(_evidence_of_family(family, reports)),
        judgement.reason,
        _action(judgement, reports[0].path, device),
    )


def _without_device(
    subject: str,
    reports: Sequence[FileReport],
    why: str,
    missing: Sequence[str] = (),
    folder: str = "",
) -> Result:
    """Return what there is where no GPU is known; a family of files has a folder."""
    first = reports[0]
    entries = [entry for each in reports for entry in each.entries]
    seen = summary(entries) or ("CUDA only" if first.is_for_cuda else "no code")
    reason = f"no GPU is known: {why}"
    todo = f"{_NAME_THE_GPU} {shlex.quote(folder or first.path)} (or with the target of your GPU)"
    if first.error:
        problem: Problem = "unreadable" if first.refused else "broken"
        seen, reason, todo = problem, first.error, action(problem, first.path, "")
    found = _evidence_of_family(folder, reports) if folder else evidence(first, missing)
    claim = "has code that runs on the GPU"
    return Result(CHECK, claim, subject, "unproven", "located", seen, tuple(found), reason, todo)


def _evidence_of_family(family: str, reports: Sequence[FileReport]) -> Iterator[Evidence]:
    counts = Counter(str(target) for each in reports for target in _targets(each))
    yield Evidence("folder" if reports[0].is_loose else "files", family)
    yield Evidence(
        "targets", "\n".join(f"{name}: {count:,} files" for name, count in sorted(counts.items()))
    )


def _targets(report: FileReport) -> Iterable[Target]:
    return {each.target for each in report.entries}


def _pattern(folder: str, reports: Sequence[FileReport]) -> str:
    """Return a folder with the endings of the files in it; libraries come with their pattern."""
    if not reports[0].is_loose:
        return folder
    endings = sorted({os.path.splitext(each.path)[1] for each in reports})
    ending = endings[0] if len(endings) == 1 else f"{{{','.join(endings)}}}"
    return os.path.normpath(os.path.join(folder, "**", f"*{ending}"))


def _claim(device: Target) -> str:
    return f"has code that runs on {device}"


def _action(judgement: KernelVerdict, path: str, device: Target) -> str:
    return action(judgement.problem, path, device.processor) if judgement.problem else ""
