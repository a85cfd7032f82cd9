"""``verify kernels``: which files have code for the GPU, judged file by file."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.verify.code_objects.describe import action, evidence, shortened, summary
from rocmlint.verify.code_objects.file import FileReport, read_file
from rocmlint.verify.code_objects.find import find_files
from rocmlint.verify.code_objects.judge import Judge
from rocmlint.verify.code_objects.libraries import Libraries
from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocmlint.verify.code_objects.find import Found
    from rocmlint.verify.code_objects.judge import Judgement
    from rocmlint.verify.code_objects.target import Target
    from rocmlint.verify.devices import Devices

CHECK = "kernels"
_FOR_ONE_GPU = re.compile(r"gfx[0-9a-f]{3,}")
_THREADS = min(4, os.cpu_count() or 1)
"""Decoding and hashing leave Python's lock; each thread may hold one decoded bundle."""
_NAME_THE_GPU = "name it: rocmlint verify kernels --arch gfx942:sramecc+:xnack-"


@dataclass(frozen=True)
class File:
    """A file and what was read of it."""

    found: Found
    report: FileReport

    @property
    def package(self) -> str:
        """Give the first folder below the root, which says with what the file was installed."""
        return self.found.name.split(os.sep)[0]

    @property
    def family(self) -> str:
        """Give the folder whose loose files stand in for each other; "" for a file by itself.

        Libraries such as rocBLAS and aiter bring one file for each GPU, in one folder or in folders
        named for the GPU, and load those for the device.
        """
        if not self.report.is_loose or self.report.error or self.found.path == self.found.root:
            return ""
        folders = os.path.dirname(self.found.name).split(os.sep)
        named = (at for at, each in enumerate(folders) if _FOR_ONE_GPU.search(each))
        return os.path.join(self.found.root, *folders[: next(named, len(folders))])


@dataclass(frozen=True)
class Scan:
    """What was found below some paths."""

    files: tuple[File, ...]
    """Those with device code, those that cannot be read, and those that were named."""
    names: frozenset[str]
    """Of all files looked at, without folders."""
    looked_at: int
    without_code: int
    for_cuda: int
    """Libraries for CUDA left out, since their package brings others for AMD GPUs."""


def scan(roots: Sequence[str]) -> Scan:
    """Read every file below the paths. Raises MissingExtraError."""
    every = list(find_files(roots))
    with ThreadPoolExecutor(_THREADS) as pool:
        reports = list(pool.map(_read, every))
    files = []
    for found, report in zip(every, reports, strict=True):
        if report.error or report.is_for_amd or report.is_for_cuda or found.path == found.root:
            files.append(File(found, report))
    for_amd = {(each.found.root, each.package) for each in files if each.report.is_for_amd}
    kept = [
        each
        for each in files
        if not (each.report.is_for_cuda and (each.found.root, each.package) in for_amd)
    ]
    return Scan(
        tuple(kept),
        frozenset(os.path.basename(each.path) for each in every),
        looked_at=len(every),
        without_code=len(every) - len(files),
        for_cuda=len(files) - len(kept),
    )


def _read(found: Found) -> FileReport:
    return FileReport(found.path, error=found.error) if found.error else read_file(found.path)


def check(
    found: Scan, devices: Devices, roots: Sequence[str], environment: Mapping[str, str]
) -> Iterator[Result]:
    """Yield a result for each file, or family of loose files, and each device."""
    libraries = Libraries(roots, found.names, environment)
    judge = Judge(environment)
    families: dict[str, list[File]] = defaultdict(list)
    for file in found.files:
        if file.family:
            families[file.family].append(file)
            continue
        host = file.report.host
        missing = libraries.missing(file.report.path, host) if host else ()
        for device in devices.targets:
            yield _of_file(file, device, judge, missing)
        if not devices.targets:
            yield _without_device(file.found.name, [file.report], devices.reason, missing)
    for family, files in families.items():
        reports = [each.report for each in files]
        for device in devices.targets:
            yield _of_family(family, files, device, judge)
        if not devices.targets:
            yield _without_device(_pattern(family, reports), reports, devices.reason)


def _of_file(file: File, device: Target, judge: Judge, missing: Sequence[str]) -> Result:
    judgement = judge.library(file.report, device)
    seen = [judgement.seen, summary(file.report.entries)]
    if missing:
        seen.append(f"{shortened(missing)} not found")
    return Result(
        CHECK,
        _claim(device),
        file.found.name,
        judgement.verdict,
        "located",
        "; ".join(filter(None, seen)),
        tuple(evidence(file.report, missing)),
        judgement.reason,
        _action(judgement, file.package, device),
    )


def _of_family(family: str, files: Sequence[File], device: Target, judge: Judge) -> Result:
    reports = [each.report for each in files]
    judgement = judge.loose(reports, device)
    usable = sum(judge.has_code(each, device) for each in reports)
    entries = [entry for each in reports for entry in each.entries]
    return Result(
        CHECK,
        _claim(device),
        _pattern(family, reports),
        judgement.verdict,
        "located",
        f"{judgement.seen} in {usable:,} of {len(reports):,} files; {summary(entries)}",
        tuple(_evidence_of_family(family, reports)),
        judgement.reason,
        _action(judgement, files[0].package, device),
    )


def _without_device(
    subject: str, reports: Sequence[FileReport], why: str, missing: Sequence[str] = ()
) -> Result:
    """Say what there is where no GPU is known."""
    entries = [entry for each in reports for entry in each.entries]
    errors = [each.error for each in reports if each.error]
    seen = summary(entries) or ("CUDA only" if reports[0].is_for_cuda else "no code")
    (family,) = {os.path.dirname(reports[0].path)}
    found = (
        evidence(reports[0], missing) if len(reports) == 1 else _evidence_of_family(family, reports)
    )
    return Result(
        CHECK,
        "has code that runs on the GPU",
        subject,
        "unproven",
        "located",
        "unreadable" if errors else seen,
        tuple(found),
        errors[0] if errors else f"no GPU is known: {why}",
        _NAME_THE_GPU,
    )


def _evidence_of_family(family: str, reports: Sequence[FileReport]) -> Iterator[Evidence]:
    counts = Counter(str(target) for each in reports for target in _targets(each))
    yield Evidence("folder", family)
    yield Evidence(
        "targets", "\n".join(f"{name}: {count:,} files" for name, count in sorted(counts.items()))
    )


def _targets(report: FileReport) -> Iterable[Target]:
    return {each.target for each in report.entries}


def _pattern(family: str, reports: Sequence[FileReport]) -> str:
    """Give the folder of a family with the endings of its files, below the current folder."""
    endings = sorted({os.path.splitext(each.path)[1] for each in reports})
    return f"{family}/**/*{{{','.join(endings)}}}"


def _claim(device: Target) -> str:
    return f"has code that runs on {device}"


def _action(judgement: Judgement, package: str, device: Target) -> str:
    return action(judgement.problem, package, device) if judgement.problem else ""
