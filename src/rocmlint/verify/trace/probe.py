"""Results of a small operation: which branch of attention, which operators, whose kernels."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rocmlint.verify.result import Evidence, Result
from rocmlint.verify.trace import attribution, trace_files
from rocmlint.verify.trace.attribution import BRANCH_OF, TraceQuestion, branches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.trace.attribution import Attribution
    from rocmlint.verify.trace.index import KernelIndex
    from rocmlint.verify.trace.trace_files import Trace

BRANCHES = ("flash", "efficient", "cudnn", "math")
"""How torch can compute attention; all but the last are one fused operator."""
_SHOWN = 15
_ATTENTION = (
    "aten::scaled_dot_product_attention",
    "aten::_native_multi_head_attention",
    "aten::_transformer_encoder_layer_fwd",
)
"""The operators that compute attention; the last two choose a branch by themselves."""
_EXPERIMENTAL = "TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL"


@dataclass(frozen=True)
class Operation:
    """An operation to run: ``sdpa``, ``linear`` or ``PKG.MOD:FUNC``; the rest is for the first two.

    ``shape`` is batch, heads, length, width of a head. ``backends`` are the branches of attention
    that are allowed, none for those that are enabled.
    """

    name: str
    dtype: str = "bfloat16"
    shape: tuple[int, ...] = (1, 4, 128, 64)
    device: str = "auto"
    backends: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probed:
    """The results of a run of the operation; ``facts`` are those of inside/probe.py."""

    operation: Operation
    facts: Mapping[str, Any]
    trace: Trace
    branches: Counter[str] = field(default_factory=Counter)

    @property
    def on_gpu(self) -> bool:
        """Return whether it ran on a GPU."""
        return bool(self.trace.kernels) or self.facts["device"] == "cuda"

    @property
    def place(self) -> str:
        """Return the device for a report."""
        return str(self.facts["device_name"] or self.facts["device"])

    @property
    def subject(self) -> str:
        """Return what ran, and where."""
        if ":" in self.operation.name:
            return self.operation.name
        shape = "x".join(map(str, self.operation.shape))
        return f"{self.operation.name} {self.operation.dtype} {shape} on {self.place}"


def probe(interpreter: Interpreter, operation: Operation) -> Probed:
    """Run an operation in a child process. Raises InterpreterError and TraceError."""
    return _probed(interpreter, operation)


def probe_on_gpu(interpreter: Interpreter, operation: Operation) -> Probed | None:
    """Run an operation if torch sees a GPU, and return None if it does not.

    Raises InterpreterError and TraceError.
    """
    found = _probed(interpreter, operation, only_on_gpu=True)
    return found if found.on_gpu else None


def _probed(interpreter: Interpreter, operation: Operation, *, only_on_gpu: bool = False) -> Probed:
    with tempfile.TemporaryDirectory(prefix="rocmlint-") as folder:
        path = os.path.join(folder, "trace.json")
        request = {
            "operation": operation.name,
            "dtype": operation.dtype,
            "shape": operation.shape,
            "device": operation.device,
            "backends": operation.backends,
            "trace": path,
            "only_on_gpu": only_on_gpu,
        }
        facts = interpreter.ask("probe", request)
        seen = trace_files.read(path) if facts["has_run"] else trace_files.Trace(path, "", ())
    return Probed(operation, facts, seen, branches(seen.operators))


def judge(
    probed: Probed, index: Callable[[], KernelIndex], expected: str | None = None
) -> list[Result]:
    """Judge what ran against a branch of attention, a library, or that it is not a fallback.

    ``index`` is only asked for where kernels ran.
    """
    if expected in BRANCHES:
        return [_attention(probed, expected)]
    if expected is not None:
        if not probed.trace.kernels:
            return [_no_kernels(probed, f"kernels of {expected} ran")]
        result = attribution.expectation(_attributed(probed, index()), expected)
        return [replace(result, evidence=(*result.evidence, *_facts(probed)))]
    results = []
    if probed.operation.name == "sdpa" or _attentions(probed):
        results.append(_attention(probed, None))
    if probed.trace.kernels:
        results += attribution.by_library(_attributed(probed, index()))
    elif not results or probed.on_gpu:
        results.append(_no_kernels(probed, "kernels of a GPU library ran"))
    return results


def _attributed(probed: Probed, index: KernelIndex) -> Attribution:
    command = f"rocmlint verify probe {probed.operation.name}"
    return attribution.attribute(
        probed.trace, index, TraceQuestion("probe", probed.subject, command)
    )


def _attention(probed: Probed, expected: str | None) -> Result:
    claim = f"attention runs on {expected}" if expected else "attention does not fall back to math"
    wrong = {branch for branch in probed.branches if _is_wrong(branch, expected)}
    seen = _seen(probed)

    def result(verdict: Any, strength: Any, reason: str = "", action: str = "") -> Result:
        return Result(
            "probe",
            claim,
            probed.subject,
            verdict,
            strength,
            seen,
            tuple(_evidence_of(probed)),
            reason,
            action,
        )

    if not probed.branches:
        return result("unproven", "executed", _NO_BRANCH, _NO_BRANCH_ACTION)
    if wrong:
        return result("contradicted", "executed", _why(probed, wrong, expected), _action(probed))
    if probed.facts["hip"] and not probed.on_gpu:
        reason = (
            f"It ran on the CPU, although torch {probed.facts['torch']} is built for ROCm: "
            "on the GPU torch chooses among other branches."
        )
        return result("unproven", "executed", reason, "Run this on a machine with a GPU.")
    return result("proven", "executed")


_NO_BRANCH = (
    "No known branch of scaled_dot_product_attention ran: something else computes "
    "attention here, or nothing does."
)
_NO_BRANCH_ACTION = (
    "Find what computed attention in the operators below; to check its kernels, name the "
    "library with --expect."
)


def _is_wrong(branch: str, expected: str | None) -> bool:
    return branch != expected if expected else branch == "math"


def _seen(probed: Probed) -> str:
    calls = ", ".join(
        f"{branch} {count:,} of {sum(probed.branches.values()):,} calls"
        for branch, count in probed.branches.most_common()
    )
    names = [name for name in BRANCH_OF if name in probed.trace.operators]
    if not calls:
        return ", ".join(_attentions(probed)) or "no attention of torch"
    return f"{calls} ({', '.join(names)})"


def _attentions(probed: Probed) -> list[str]:
    return [name for name in _ATTENTION if name in probed.trace.operators]


def _why(probed: Probed, wrong: set[str], expected: str | None) -> str:
    calls = sum(probed.branches[each] for each in wrong)
    what = f"{calls:,} of {sum(probed.branches.values()):,} attention calls ran on "
    parts = [f"{what}{' and '.join(sorted(wrong))}{'' if expected else ', which is not fused'}."]
    if probed.operation.backends:
        parts.append(f"Only {', '.join(probed.operation.backends)} was allowed (--backend).")
    enabled = probed.facts["enabled"]
    disabled = [name for name, is_on in enabled.items() if not is_on]
    if disabled and not probed.operation.backends:
        parts.append(f"Disabled in this program: {', '.join(disabled)}.")
    for name, why in probed.facts.get("refused", {}).items():
        parts.append(f"{name} reports: {why}")
    if probed.facts["hip"] and "math" in wrong and _EXPERIMENTAL not in probed.facts["environment"]:
        parts.append(
            f"{_EXPERIMENTAL} is not set: on GPUs that AOTriton considers experimental, "
            "torch then falls back to math without a warning."
        )
    return " ".join(parts)


def _action(probed: Probed) -> str:
    if probed.operation.backends:
        return "Run it without --backend, to see what torch chooses by itself."
    if probed.facts["hip"] and _EXPERIMENTAL not in probed.facts["environment"]:
        return f"Set {_EXPERIMENTAL}=1 before torch is imported, and run this again."
    return (
        "Change what the branch rejects (dtype, head dimension, mask, dropout), and try: "
        "rocmlint verify probe sdpa --backend flash --dtype DTYPE --shape B,H,L,D"
    )


def _no_kernels(probed: Probed, claim: str) -> Result:
    version = f"torch {probed.facts['torch']}"
    if probed.on_gpu:
        reason = (
            "It ran on the GPU, but the profiler saw no kernel, so nothing is known about them."
        )
        action = "Run it without another profiler (rocprofv3, ROCPROFILER_*, HSA_TOOLS_LIB)."
    else:
        reason = f"It ran on the CPU, which runs no kernels of a GPU library ({version})."
        action = "Run this on the machine with the GPU, with --python the interpreter of the job."
    seen = ", ".join(_products(probed)) or f"{len(probed.trace.operators):,} operators"
    return Result(
        "probe",
        claim,
        probed.subject,
        "unproven",
        "declared",
        f"{seen} on {probed.place}",
        tuple(_evidence_of(probed)),
        reason,
        action,
    )


def _products(probed: Probed) -> list[str]:
    """Return the operators that multiply matrices, which is what the library is asked for."""
    names = sorted(probed.trace.operators)
    return [each for each in names if each.endswith("mm") or "linear" in each or "conv" in each][:3]


def _evidence_of(probed: Probed) -> Iterator[Evidence]:
    for name, calls in (
        ("operators below autograd", Counter(probed.facts["operators"])),
        ("operators", Counter(probed.trace.operators)),
    ):
        if calls:
            top = calls.most_common(_SHOWN)
            yield Evidence(name, ", ".join(f"{each} {count:,}" for each, count in top))
    yield from _facts(probed)


def _facts(probed: Probed) -> Iterator[Evidence]:
    facts = probed.facts
    yield Evidence("torch", f"{facts['torch']} (HIP {facts['hip']}), {facts['torch_file']}")
    yield Evidence("device", probed.place)
    enabled = [name for name, is_on in facts["enabled"].items() if is_on]
    yield Evidence("enabled for attention", ", ".join(enabled) or "none")
    for name, value in facts["preferences"].items():
        yield Evidence(f"{name} (a request, not a proof)", value)
    for name, value in facts["environment"].items():
        yield Evidence(name, value)
    if facts["profiler"]:
        yield Evidence("the profiler reports", facts["profiler"])
