"""Whether a cache of kernels gives a GPU what was compiled for it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.gpus.target import DEVICES
from rocmlint.text.words import counted, few
from rocmlint.verify.code_objects.packages import is_recorded
from rocmlint.verify.kernels.compiled.contents import MOST_KERNELS, databases_in, kernels_in
from rocmlint.verify.result import Evidence, Judgement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from rocmlint.gpus.devices import Devices
    from rocmlint.gpus.target import Target
    from rocmlint.verify.code_objects.kernel_judge import KernelJudge
    from rocmlint.verify.kernels.compiled.contents import Database, Kernel
    from rocmlint.verify.kernels.compiled.places import KernelCache
    from rocmlint.verify.result import Result

CHECK = "kernels"
_NAMED = 2
"""How many files a reason names."""
_VERSION = re.compile(r"""^__version__\s*=\s*['"]([^'"]+)['"]""", re.MULTILINE)
_OVERRIDE = "TRITON_KERNEL_OVERRIDE"
_MANAGER = "TRITON_CACHE_MANAGER"
_NO_GPU_DO = "rocmlint verify kernels --arch gfx942:sramecc+:xnack- (or the target of your GPU)"


@dataclass(frozen=True)
class Builders:
    """The installed packages that compile kernels, by name: their folders."""

    folders: Mapping[str, str]

    def version(self, package: str) -> str:
        """Return the version that the source of a package states; "" for none."""
        try:
            with open(self._file(package), encoding="utf-8", errors="replace") as file:
                found = _VERSION.search(file.read())
        except OSError:
            return ""
        return found[1] if found else ""

    def newer_than(self, path: str, packages: Sequence[str]) -> list[str]:
        """Return which of the packages, and hipcc, came after a file was written."""
        files = {each: self._file(each) for each in packages if each in self.folders}
        hipcc = shutil.which("hipcc") or "/opt/rocm/bin/hipcc"
        written = _time(path)
        newer = (name for name, file in {**files, "hipcc": hipcc}.items() if _time(file) > written)
        return list(newer)

    def _file(self, package: str) -> str:
        return os.path.join(self.folders.get(package, ""), "__init__.py")


def _time(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def check(
    caches: Iterable[KernelCache],
    devices: Devices,
    judge: KernelJudge,
    builders: Builders,
    environment: Mapping[str, str],
) -> Iterator[Result]:
    """Yield a result for each cache and device; none for one that is empty and not named."""
    for cache in caches:
        databases = list(databases_in(cache)) if cache.kind == "MIOpen" else []
        kernels = list(kernels_in(cache)) if cache.kind != "MIOpen" else []
        if not (kernels or databases or cache.variable):
            continue
        subject = f"{cache.kind}'s cache {cache.folder}"
        evidence = tuple(_evidence(cache, kernels, databases, builders))
        if os.path.exists(cache.folder) and not os.path.isdir(cache.folder):
            reason = f"{cache.folder} is not a directory, so nothing can be kept in it"
            todo = f"set {cache.variable} to a directory"
            judgement = Judgement("unproven", "located", "not a directory", reason, todo)
            yield judgement.on(CHECK, "keeps kernels", subject, evidence)
            continue
        if not devices.targets:
            reason = f"no GPU is known: {devices.reason}"
            seen = _amount(kernels, databases)
            judgement = Judgement("unproven", "located", seen, reason, _NO_GPU_DO)
            yield judgement.on(CHECK, "gives only kernels for the GPU", subject, evidence)
        for device in devices.targets:
            if cache.kind == "MIOpen":
                judgement = _of_databases(databases, device)
            elif cache.kind == "aiter":
                judgement = _of_modules(cache, kernels, device, judge, builders)
            else:
                judgement = _of_keyed(kernels, device, judge, environment)
            yield judgement.on(CHECK, f"gives only kernels for {device}", subject, evidence)


def _of_keyed(
    kernels: Sequence[Kernel],
    device: Target,
    judge: KernelJudge,
    environment: Mapping[str, str],
) -> Judgement:
    """Judge a cache that finds kernels by a hash of source, compiler, options and GPU.

    So those for another GPU, or of another Triton, are never found, and their age says nothing.
    """
    for variable, why in (
        (_OVERRIDE, "kernels are taken from TRITON_OVERRIDE_DIR, whatever the cache has"),
        (_MANAGER, "another cache decides what is loaded"),
    ):
        if environment.get(variable, "0").lower() not in {"", "0", "false", "off", "no"}:
            reason = f"{variable}={environment[variable]} is set: {why}"
            seen = counted(kernels, "kernel")
            return Judgement("unproven", "located", seen, reason, f"unset {variable}")
    own = [each for each in kernels if device.processor in _kept_for(each)]
    wrong = [each for each in own if not _runs(each, device, judge)]
    others = len(kernels) - len(own)
    seen = f"{counted(own, 'kernel')} for {device.processor}"
    seen += f", {others:,} for others, which it never gets" if others else ""
    if wrong:
        reason = f"{_names(wrong)}: {_problem(wrong[0], device)}"
        todo = f"make {wrong[0].path} readable for this user"
        if not wrong[0].report.refused:
            folders = dict.fromkeys(os.path.dirname(each.path) for each in wrong)
            more = f" (and {len(folders) - _NAMED:,} more)" if len(folders) > _NAMED else ""
            todo = f"{_rm(*list(folders)[:_NAMED])}{more}; they are compiled again"
        return Judgement("unproven", "located", seen, reason, todo)
    return Judgement("proven", "located", seen)


def _kept_for(kernel: Kernel) -> Collection[str]:
    """Return the processors that a kernel is looked up for; without its metadata, what it is for.

    Where neither can be read it may be any.
    """
    return {kernel.kept_for or each.target.processor for each in kernel.report.entries} or (
        {kernel.kept_for} if kernel.kept_for else DEVICES
    )


def _runs(kernel: Kernel, device: Target, judge: KernelJudge) -> bool:
    return not kernel.report.error and judge.loose([kernel.report], device).verdict == "proven"


def _problem(kernel: Kernel, device: Target) -> str:
    if kernel.report.error:
        return kernel.report.error
    targets = sorted({str(each.target) for each in kernel.report.entries})
    kept = f"kept for {kernel.kept_for}" if kernel.kept_for else "without a word of its GPU"
    return f"{kept}, but its code is for {few(targets, _NAMED)}, not for {device}"


def _of_modules(
    cache: KernelCache,
    kernels: Sequence[Kernel],
    device: Target,
    judge: KernelJudge,
    builders: Builders,
) -> Judgement:
    """Judge modules that aiter has compiled, and loads by their names.

    Its versions differ: later ones build a module again that lacks the GPU, earlier ones load it.
    """
    with_code = [each for each in kernels if each.report.entries or each.report.error]
    wrong = [
        each
        for each in with_code
        if each.report.error or judge.library(each.report, device).verdict != "proven"
    ]
    seen = f"{counted(kernels, 'module')}, {len(with_code):,} with device code"
    again = f"(AITER_REBUILD=1 for one run builds all of {cache.folder} again)"
    if wrong:
        lack = f"{len(wrong):,} of {counted(kernels, 'module')}"
        why = wrong[0].report.error or judge.library(wrong[0].report, device).reason
        reason = f"{lack}: {_names(wrong)}: {why}, unless aiter builds it again"
        todo = f"{_rm(*(each.path for each in wrong[:_NAMED]))} {again}"
        return Judgement("unproven", "located", seen, reason, todo)
    old = {
        each.path: newer
        for each in kernels
        if not is_recorded(each.path)
        and (newer := builders.newer_than(each.path, ("aiter", "torch")))
    }
    if old:
        newer = sorted({name for names in old.values() for name in names})
        reason = (
            f"{len(old):,} of {counted(kernels, 'module')} are older than the installed "
            f"{few(newer, len(newer))}: aiter loads them by name, whatever they were built for"
        )
        todo = f"{_rm(*list(old)[:_NAMED])} {again}"
        return Judgement("unproven", "located", seen, reason, todo)
    return Judgement("proven", "located", seen)


def _of_databases(databases: Sequence[Database], device: Target) -> Judgement:
    """Judge what MIOpen has compiled: a database for each kind of GPU, in a folder a version."""
    own = [each for each in databases if each.processor == device.processor]
    seen = f"{_kernels(*own)} for {device.processor}"
    others = len(databases) - len(own)
    seen += f", {counted(others, 'database')} for others" if others else ""
    for each in own:
        strange = sorted(str(it) for it in each.targets if it.processor != device.processor)
        why = each.error or (f"has code for {few(strange, _NAMED)}" if strange else "")
        if why:
            todo = f"{_rm(each.path)}; MIOpen compiles its kernels again"
            return Judgement("unproven", "located", seen, f"{each.path}: {why}", todo)
    return Judgement("proven", "located", seen)


def _kernels(*databases: Database) -> str:
    """Return how many kernels were seen in databases, of which only the first are."""
    most = any(len(each.targets) == MOST_KERNELS for each in databases)
    count = counted(sum(len(each.targets) for each in databases), "kernel")
    return f"at least {count}" if most else count


def _evidence(
    cache: KernelCache, kernels: Sequence[Kernel], databases: Sequence[Database], builders: Builders
) -> Iterator[Evidence]:
    yield Evidence("named by", cache.variable or "nothing: its default place")
    counts = Counter(
        each.kept_for or ", ".join(sorted({str(it.target) for it in each.report.entries}))
        for each in kernels
    )
    lines = [f"{name or 'no GPU'}: {number:,}" for name, number in sorted(counts.items())]
    lines += [f"{each.path}: {each.error or _kernels(each)}" for each in databases]
    if lines:
        yield Evidence("kernels", "\n".join(lines))
    installed = builders.version("triton")
    compilers = Counter(each.compiler for each in kernels if each.compiler)
    for version, number in sorted(compilers.items()):
        other = installed and version != installed
        note = f": not found by {installed}, which is installed, and may go" if other else ""
        yield Evidence("compiled by", f"Triton {version}, {counted(number, 'kernel')}{note}")
    if cache.kind == "MIOpen" and cache.variable:
        yield Evidence("not known", "which MIOpen compiled them: the directory is for all versions")


def _amount(kernels: Sequence[Kernel], databases: Sequence[Database]) -> str:
    return counted(databases, "database") if databases else counted(kernels, "kernel")


def _names(kernels: Sequence[Kernel]) -> str:
    return few([each.path for each in kernels], _NAMED)


def _rm(*paths: str) -> str:
    return shlex.join(["rm", "-r", *paths])
