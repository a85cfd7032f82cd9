"""Whose kernels ran: each name of a trace looked up in the index of installed kernels."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rocmlint.text.words import counted, few
from rocmlint.verify.result import Evidence, Result
from rocmlint.verify.trace import origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocmlint.verify.result import Strength
    from rocmlint.verify.trace.index import KernelHolder, KernelIndex
    from rocmlint.verify.trace.origin import KernelOrigin
    from rocmlint.verify.trace.trace_files import RanKernel, Trace

_SHOWN = 30
"""Kernels, and files of one kernel, that are shown one by one."""
_AOTRITON = origin.KernelOrigin("aotriton")
_FUSED = re.compile(r"aten::_(scaled_dot_product_)?(flash|efficient)_attention")
"""The operators by which torch calls AOTriton.

Its kernels are compiled from functions of Triton, and flash-attn compiles functions of the same
names (``attn_fwd``) when it runs: without such an operator the name does not say which it was.
"""
BRANCH_OF = {
    "aten::_scaled_dot_product_flash_attention": "flash",
    "aten::_scaled_dot_product_flash_attention_for_cpu": "flash",
    "aten::_scaled_dot_product_efficient_attention": "efficient",
    "aten::_scaled_dot_product_cudnn_attention": "cudnn",
    "aten::_scaled_dot_product_attention_math": "math",
    "aten::_scaled_dot_product_attention_math_for_mps": "math",
}
"""The operator of each branch, of which the profiler writes one event for each call."""
_SMALLEST = 0.1
"""Per cent."""
_NOTHING = "nothing known"
_TARGETS_SHOWN = 6
_PROFILE = (
    "Profile on the GPU: torch.profiler.profile(activities=[ProfilerActivity.CPU, "
    "ProfilerActivity.CUDA]); the names are the same on ROCm."
)


@dataclass(frozen=True)
class KnownKernel:
    """A kernel that ran, the files that hold one of its name, and whose those are."""

    ran: RanKernel
    holders: tuple[KernelHolder, ...]
    origins: tuple[KernelOrigin, ...]

    @property
    def origin(self) -> KernelOrigin | None:
        """Whose it is; None if no file holds it, or files of several libraries do."""
        return self.origins[0] if len(self.origins) == 1 else None

    @property
    def owner(self) -> str:
        """Whose it is, or what is known of that, in words."""
        if self.origin:
            return str(self.origin)
        if self.origins:
            more = ", ..." * (len(self.origins) > 3)
            return f"one of {', '.join(map(str, self.origins[:3]))}{more}"
        return f"in no file, named like {' or '.join(origin.hints(self.ran.name)) or _NOTHING}"


@dataclass(frozen=True)
class TraceQuestion:
    """For results: the verb, what it is about, and the command to which folders can be added."""

    check: str
    subject: str
    command: str


@dataclass(frozen=True)
class Attribution:
    """The kernels of a trace, each with whose it is; ``files`` is how many were looked into."""

    asked: TraceQuestion
    trace: Trace
    kernels: tuple[KnownKernel, ...]
    files: int
    problems: tuple[tuple[str, str], ...]
    """The files that could not be read, and why."""

    def share(self, kernels: Iterable[KnownKernel]) -> str:
        """Return the part of all GPU time that these took."""
        return percent(time_of(kernels), self.trace.nanoseconds)


def time_of(kernels: Iterable[KnownKernel]) -> float:
    """Return the nanoseconds that kernels took together."""
    return sum(each.ran.nanoseconds for each in kernels)


def attribute(trace: Trace, index: KernelIndex, asked: TraceQuestion | None = None) -> Attribution:
    """Look each kernel up; without ``asked``, as ``rocmlint verify trace`` does."""
    if asked is None:
        asked = TraceQuestion(
            "trace", os.path.basename(trace.path), f"rocmlint verify trace {trace.path}"
        )
    known = []
    fused = any(map(_FUSED.match, trace.operators))
    for ran in trace.kernels:
        holders = index.holders(ran.name)
        origins = {origin.of_file(each.path, ran.name, each.made_of) for each in holders}
        if _AOTRITON in origins and not fused and not ran.name.startswith("aiter"):
            origins.add(origin.KernelOrigin("triton"))
        known.append(KnownKernel(ran, holders, tuple(sorted(origins))))
    return Attribution(asked, trace, tuple(known), len(index.files), tuple(index.problems.items()))


def branches(operators: Mapping[str, int]) -> Counter[str]:
    """Count the calls of torch's attention by the branch that they took."""
    taken = Counter[str]()
    for name, branch in BRANCH_OF.items():
        taken[branch] += operators.get(name, 0)
    return +taken


def by_library(ran: Attribution) -> list[Result]:
    """Judge without an expectation: a result for each library, the longest first."""
    if not ran.kernels:
        return [_nothing_ran(ran, "kernels ran")]
    groups: defaultdict[KernelOrigin, list[KnownKernel]] = defaultdict(list)
    unclear: list[KnownKernel] = []
    unknown: list[KnownKernel] = []
    for each in ran.kernels:
        if each.origin:
            groups[each.origin].append(each)
        else:
            (unclear if each.origins else unknown).append(each)
    results = [_of_library(ran, whose, kernels) for whose, kernels in groups.items()]
    if unclear:
        results.append(_unclear(ran, unclear))
    if unknown:
        results.append(_unknown(ran, unknown))
    return results


def expectation(ran: Attribution, library: str, least: float | None = None) -> Result:
    """Judge whether kernels of a library ran, as ``--expect`` asks.

    With ``least``, whether they took at least so many per cent of the time of all kernels.
    """
    claim = f"kernels of {library} ran"
    if least is not None:
        claim = f"kernels of {library} took at least {least:g} % of GPU kernel time"
    if not ran.kernels:
        return _nothing_ran(ran, claim)
    result = partial(Result, ran.asked.check, claim, ran.asked.subject)
    expected = [each for each in ran.kernels if each.origin and each.origin.is_of(library)]
    possible = [each for each in ran.kernels if _may_be_of(each, library)]
    seen = _seen(ran, expected) if expected else f"none of {library}; {_instead(ran)}"
    is_whole = least is None or not ran.trace.cut
    if expected and is_whole and _is_enough(ran, expected, least):
        evidence = (*_evidence_of(ran, expected), *_shares_told(ran))
        return result("proven", "executed", seen, evidence)
    evidence = (*_shares_told(ran), *_evidence_of(ran, possible or ran.kernels), *_unread(ran))
    if ran.trace.cut or (possible and _is_enough(ran, [*expected, *possible], least)):
        return result("unproven", "declared", seen, evidence, *_why_open(ran, possible))
    if not ran.trace.nanoseconds and least is not None:
        reason = "No kernel of the trace has a duration, so there are no shares."
        return result("unproven", "declared", seen, evidence, reason, _PROFILE)
    # What no file holds is only by its name another library's.
    strength: Strength = "executed" if all(each.origins for each in ran.kernels) else "declared"
    reason = f"No kernel of {library} ran. What ran instead: {_instead(ran)}."
    if expected:
        reason = f"They took {ran.share(expected)}. Of the GPU kernel time: {_instead(ran)}."
    if strength == "declared":
        reason += " Kernels in no file are recognized by name alone."
    action = (
        f"{_ACTIONS.get(library, f'Find out why {library} was not chosen')}, then profile "
        "again. rocmlint verify variables shows which variables choose kernels here."
    )
    return result("contradicted", strength, seen, evidence, reason, action)


def _is_enough(ran: Attribution, kernels: Iterable[KnownKernel], least: float | None) -> bool:
    """Return whether kernels took so many per cent of the time of all; any do if none is asked."""
    total = ran.trace.nanoseconds
    return least is None or (total > 0 and 100 * time_of(kernels) >= least * total)


_ACTIONS = {
    "aiter": "Make sure that aiter is imported and its attention or GEMM is enabled before "
    "the model is built (rocmlint verify src/)",
    "ck": "Make sure that torch was built with CK and that "
    'torch.backends.cuda.preferred_rocm_fa_library("ck") is called before the first '
    "attention",
    "aotriton": "Run rocmlint verify probe sdpa, which shows why attention does not run on it",
    "hipblaslt": "Set TORCH_BLAS_PREFER_HIPBLASLT=1 before torch is imported",
}


def _may_be_of(each: KnownKernel, library: str) -> bool:
    """Return whether the kernel could be of the library after all."""
    if each.origin:
        return False
    if each.origins:
        return any(whose.is_of(library) for whose in each.origins)
    hinted = set(origin.hints(each.ran.name))
    return not hinted or library in hinted or bool(hinted & origin.TEMPLATES)


def _why_open(ran: Attribution, possible: Sequence[KnownKernel]) -> tuple[str, str]:
    if ran.trace.cut:
        reason = (
            f"The trace is incomplete ({ran.trace.cut}): the missing part may contain such kernels."
        )
        return reason, "Let the profiler finish before the job ends, and use the complete trace."
    reason = (
        f"{counted(possible, 'kernel')} ({ran.share(possible)} of GPU time) may or may not "
        f"be: no file, or files of several libraries, contain such names. {ran.files:,} "
        "files were searched."
    )
    return reason, _look_further(ran)


def _look_further(ran: Attribution) -> str:
    return (
        "Run this in the environment of the job, or name the directories that it loaded "
        f"kernels from, including its JIT caches: {ran.asked.command} SITE-PACKAGES "
        "~/.triton/cache ~/.aiter"
    )


def _nothing_ran(ran: Attribution, claim: str) -> Result:
    trace = ran.trace
    if trace.launches:
        reason = (
            f"The trace contains {trace.launches:,} kernel launches but no kernel: the "
            "profiler saw only the CPU side, so nothing is known about the kernels."
        )
        action = f"{_PROFILE} Only one profiler can be active at a time: run without rocprofv3."
    elif trace.operators:
        reason = "The trace contains CPU operators and no GPU kernel."
        action = _PROFILE
    else:
        reason = "The trace contains neither kernels nor operators."
        action = f"{_PROFILE} Or: rocprofv3 --kernel-trace --output-format json -- python TRAIN.py"
    if trace.cut:
        reason += f" It is incomplete: {trace.cut}."
    top = Counter(trace.operators).most_common(_SHOWN)
    evidence = (Evidence("operators", ", ".join(f"{name} {calls:,}" for name, calls in top)),)
    seen = f"no kernel, {len(trace.operators):,} operators"
    result = partial(Result, ran.asked.check, claim, ran.asked.subject)
    return result("unproven", "declared", seen, evidence, reason, action)


def _of_library(ran: Attribution, whose: KernelOrigin, kernels: list[KnownKernel]) -> Result:
    evidence = _evidence_of(ran, kernels)
    return Result(
        ran.asked.check,
        f"ran in {ran.asked.subject}",
        str(whose),
        "proven",
        "executed",
        _seen(ran, kernels),
        tuple(evidence),
    )


def _unclear(ran: Attribution, kernels: list[KnownKernel]) -> Result:
    names = sorted({str(whose) for each in kernels for whose in each.origins})
    reason = (
        f"Kernels of these names are in files of {', '.join(names)}, so the name does "
        "not decide which."
    )
    if any(_AOTRITON in each.origins for each in kernels):
        reason += " Those of AOTriton need a torch operator that calls them; there is none."
    return Result(
        ran.asked.check,
        f"ran in {ran.asked.subject}",
        "one of several libraries",
        "unproven",
        "located",
        _seen(ran, kernels),
        tuple(_evidence_of(ran, kernels)),
        reason,
        f"Name only the directories that the job loads kernels from: {ran.asked.command} PATH ...",
    )


def _unknown(ran: Attribution, kernels: list[KnownKernel]) -> Result:
    hinted: Counter[str] = Counter()
    for each in kernels:
        hinted[" or ".join(origin.hints(each.ran.name)) or _NOTHING] += 1
    guess = ", ".join(f"{name} ({count})" for name, count in hinted.most_common())
    return Result(
        ran.asked.check,
        f"ran in {ran.asked.subject}",
        "in no installed file",
        "unproven",
        "declared",
        _seen(ran, kernels),
        (*_evidence_of(ran, kernels), *_unread(ran)),
        f"None of {ran.files:,} files contains a kernel of these names: they were compiled "
        "at run time, or belong to a package that is not installed here. By name alone "
        f"they look like {guess}.",
        _look_further(ran),
    )


def _seen(ran: Attribution, kernels: Sequence[KnownKernel]) -> str:
    calls = sum(each.ran.calls for each in kernels)
    targets = sorted({name for each in kernels for one in each.holders for name in one.targets})
    shown = f", {', '.join(targets)}" if 0 < len(targets) <= 3 else ""
    cut = "; the trace is incomplete" if ran.trace.cut else ""
    what = f"{counted(kernels, 'kernel')}, {counted(calls, 'call')}"
    return f"{ran.share(kernels)} of {duration(ran.trace.nanoseconds)} in {what}{shown}{cut}"


def _evidence_of(ran: Attribution, kernels: Sequence[KnownKernel]) -> list[Evidence]:
    """Return each kernel: its part of the time, its name, and the files that hold it."""
    evidence = []
    for each in kernels[:_SHOWN]:
        lines = [each.ran.name, *(_place(holder) for holder in each.holders[:_SHOWN])]
        if len(each.holders) > _SHOWN:
            lines.append(f"and {len(each.holders) - _SHOWN:,} more files")
        evidence.append(
            Evidence(f"{ran.share([each])}, {counted(each.ran.calls, 'call')}", "\n".join(lines))
        )
    if len(kernels) > _SHOWN:
        rest = kernels[_SHOWN:]
        evidence.append(Evidence(ran.share(rest), f"{counted(rest, 'more kernel')}"))
    return evidence


def _place(holder: KernelHolder) -> str:
    made_of = f", made of {holder.made_of}" if holder.made_of else ""
    return f"{holder.path} ({few(holder.targets, _TARGETS_SHOWN)}){made_of}"


def _shares(ran: Attribution) -> list[tuple[str, str]]:
    groups: defaultdict[str, list[KnownKernel]] = defaultdict(list)
    for each in ran.kernels:
        groups[each.owner].append(each)
    ordered = sorted(groups.items(), key=lambda one: -sum(each.ran.nanoseconds for each in one[1]))
    return [(name, ran.share(kernels)) for name, kernels in ordered]


def _shares_told(ran: Attribution) -> list[Evidence]:
    evidence = [Evidence("share of GPU time", f"{name}: {share}") for name, share in _shares(ran)]
    taken = branches(ran.trace.operators).most_common()
    if taken:
        calls = ", ".join(f"{branch} {counted(number, 'call')}" for branch, number in taken)
        evidence.append(Evidence("attention of torch", calls))
    return evidence


def _instead(ran: Attribution) -> str:
    return ", ".join(f"{name} {share}" for name, share in _shares(ran)[:2])


def _unread(ran: Attribution) -> list[Evidence]:
    evidence = [
        Evidence("could not be read", f"{path}: {why}") for path, why in ran.problems[:_SHOWN]
    ]
    if len(ran.problems) > _SHOWN:
        evidence.append(Evidence("could not be read", f"{len(ran.problems) - _SHOWN:,} more files"))
    return evidence


def percent(part: float, whole: float) -> str:
    """Return a part in per cent; one that is small, or nearly all, is not rounded to 0 or 100."""
    share = 100 * part / whole if whole else 0.0
    if 0 < share < _SMALLEST:
        return f"less than {_SMALLEST} %"
    if share > 100 - _SMALLEST and part < whole:
        return f"more than {100 - _SMALLEST} %"
    return f"{share:.1f} %" if whole else "0 %"


def duration(nanoseconds: float) -> str:
    """Return a time with three digits, in the unit that fits."""
    units = (("s", 1e10, 1e9), ("ms", 1e6, 1e6), ("µs", 1e3, 1e3), ("ns", 0, 1))
    unit, size = next((unit, size) for unit, least, size in units if nanoseconds >= least)
    value = nanoseconds / size
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
