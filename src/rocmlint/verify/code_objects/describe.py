"""Saying in short what a file holds, and what to do where that does not run."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from rocmlint.text.words import counted
from rocmlint.verify.code_objects.packages import package_of
from rocmlint.verify.result import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.verify.code_objects.bundle import BundleEntry
    from rocmlint.verify.code_objects.file_report import FileReport
    from rocmlint.verify.code_objects.kernel_judge import Problem

_ACTIONS: Mapping[Problem, str] = {
    "no code": "install a build of {package} for {processor}, or compile it with "
    "--offload-arch={processor} (PYTORCH_ROCM_ARCH={processor} for extensions of torch)",
    "no device code": "name the files with its kernels, or see which files the job loads kernels "
    "from: rocmlint verify trace TRACE.json",
    "in part": "compile {package} with --offload-arch={processor} if the run needs those kernels",
    "depends on a setting": "name the setting: rocmlint verify kernels --arch "
    "{processor}:xnack- (rocminfo shows the settings of the device)",
    "switched off": "unset the variable",
    "kpack missing": "install the device package of {package} for {processor}",
    "CUDA only": "install the ROCm build of {package}",
    "unreadable": "check that it exists and is readable: ls -l {path}",
    "broken": "{again}",
}


def action(problem: Problem, path: str, processor: str) -> str:
    """Return what to do."""
    package = package_of(path)
    again = f"get {path} again, or omit it"
    if package:
        again = f"reinstall {package}: pip install --force-reinstall --no-deps {package}"
    return _ACTIONS[problem].format(
        package=package or f"the package that installed {os.path.basename(path)}",
        again=again,
        path=path,
        processor=processor,
    )


def summary(entries: Sequence[BundleEntry]) -> str:
    """Return in which form code lies, of which versions, for how many targets."""
    if not entries:
        return ""
    forms = ", ".join(sorted({each.form for each in entries}))
    versions = sorted({each.version for each in entries if each.version})
    spread = " to ".join(f"v{each}" for each in dict.fromkeys(versions[:1] + versions[-1:]))
    targets = counted({each.target for each in entries}, "target")
    return ", ".join(filter(None, (forms, spread, targets)))


def evidence(report: FileReport, missing: Sequence[str]) -> Iterator[Evidence]:
    """Yield what was found in a file, and the libraries that were not."""
    yield Evidence("file", report.path)
    if report.entries:
        yield Evidence("targets", "\n".join(target_lines(report.entries)))
    if report.sections:
        yield Evidence("sections", " ".join(report.sections))
    if report.kpack:
        yield Evidence("kpack", f"{report.kpack.name} in {', '.join(report.kpack.paths)}")
    if missing:
        yield Evidence("libraries not found", " ".join(missing))


def target_lines(entries: Sequence[BundleEntry]) -> Iterator[str]:
    """Yield a line for each form and version: its targets, with how many bundles lack them."""
    kinds = sorted({(each.form, each.version or 0) for each in entries})
    bundles = len({each.bundle for each in entries})
    for form, version in kinds:
        counts = Counter(
            each.target for each in entries if (each.form, each.version or 0) == (form, version)
        )
        names = (
            str(target) + (f" (in {count} of {bundles} bundles)" if count < bundles else "")
            for target, count in sorted(counts.items())
        )
        yield f"{form}{f', v{version}' if version else ''}: {' '.join(names)}"
