"""Claims about kernels: a package of them loads, a fast path is taken."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.rule.claims import PATH, package_of_attention
from rocmlint.rule.claims import fast_path as claim_of
from rocmlint.verify.claims.context import DOES_NOT_LOAD, NOT_INSTALLED, as_evidence
from rocmlint.verify.code_objects.packages import folders_beside
from rocmlint.verify.kernels.check import check, scan
from rocmlint.verify.kernels.compiled.places import caches_of
from rocmlint.verify.result import Evidence, Judgement, overall
from rocmlint.verify.trace.index import build, cache_folder, default_roots
from rocmlint.verify.trace.probe import judge

if TYPE_CHECKING:
    from rocmlint.findings import Claim
    from rocmlint.verify.claims.context import Checked, ClaimContext
    from rocmlint.verify.trace.index import KernelIndex

_PROBES = {
    "attn_implementation=sdpa": ("sdpa", None),
    "enable_cudnn_sdp": ("sdpa", "cudnn"),
    "enable_flash_sdp": ("sdpa", "flash"),
    "enable_mem_efficient_sdp": ("sdpa", "efficient"),
    "preferred_blas_library=ck": ("linear", "ck"),
    "preferred_blas_library=cublaslt": ("linear", "hipblaslt"),
    "preferred_blas_library=hipblaslt": ("linear", "hipblaslt"),
    "preferred_rocm_fa_library=aotriton": ("sdpa", "aotriton"),
    "preferred_rocm_fa_library=ck": ("sdpa", "ck"),
}
"""Operations that show whether a switch of torch is followed, and what should run them."""


def kernel_package(claim: Claim, context: ClaimContext) -> Checked:
    """Import the package, and look for code for the GPUs of this machine in it."""
    return _loads(claim.subject, context, optional=claim.optional)


def fast_path(claim: Claim, context: ClaimContext) -> Checked:
    """Run what the switch is about, where it is torch's own; else see whether it is there."""
    name, _, value = claim.subject.partition("=")
    if claim.subject.lower() in _PROBES:
        return _probed(claim.subject.lower(), context)
    package = package_of_attention(value or name)
    if package is not None:
        judgement, evidence = _loads(package, context)
        if claim.optional and judgement.verdict == "contradicted":
            reason = f"{judgement.reason}; only a run shows whether it is requested"
            judgement = judgement._replace(verdict="unproven", reason=reason)
        return (_wish(name, value) if judgement.verdict == "proven" else judgement), evidence
    if value or "." in name:
        return _wish(name, value), ()
    places = context.interpreter.ask("imports.defined", {"function": name})
    if places:
        return _wish(name, value), as_evidence("defined at", places)
    reason = f"no installed package defines {name}: the patched files are not installed"
    action = "install the patched files that define it, and restore what calls it"
    return Judgement("contradicted", "located", "not defined", reason, action), ()


def _loads(package: str, context: ClaimContext, *, optional: bool = False) -> Checked:
    """Import a package in the interpreter, and return what that maps."""
    loaded = context.loads(package)
    if loaded["error"] is None:
        own = [each for each in loaded["libraries"] if f"/{package}" in each]
        seen = f"version {loaded['version'] or 'unknown'}, {len(own)} libraries"
        evidence = (Evidence("file", str(loaded["file"])), *as_evidence("library", own))
        wrong = _without_code(package, loaded["file"], context)
        return wrong or Judgement("proven", "mapped", seen), evidence
    if loaded["checkout"]:
        return _of_checkout(package, loaded["checkout"]), ()
    is_absent = loaded["error"].startswith(f"ModuleNotFoundError: No module named {package!r}")
    seen = NOT_INSTALLED if is_absent else DOES_NOT_LOAD
    install = f"install {package} for ROCm in this interpreter, or name the right one (--python)"
    if optional:
        reason = f"it does not load ({loaded['error']}), so the code takes its fallback"
        return Judgement("unproven", "located", seen, reason, install), ()
    reason = f"the import fails: {loaded['error']}"
    return Judgement("contradicted", "located", seen, reason, install), ()


def _of_checkout(package: str, place: str) -> Judgement:
    """Return that only the checked folder has a package, which proves nothing installed."""
    reason = f"only the current directory has {package} ({place}), and code there is not run"
    action = (
        f"install {package} in this interpreter, or check the job that uses that directory: "
        f"rocmlint verify run --module {package} -- python PROGRAM"
    )
    return Judgement("unproven", "located", NOT_INSTALLED, reason, action)


def _without_code(package: str, file: str | None, context: ClaimContext) -> Judgement | None:
    """Return that a package which loads has code for other GPUs than those of this machine.

    Packages have files for several GPUs, so one file that fits is enough.
    """
    devices = context.devices
    if not devices.targets or file is None:
        return None
    roots = folders_beside(os.path.dirname(file))
    scanned = scan(roots)
    scanned = scanned.without(list(caches_of(each.found.path for each in scanned.files)))
    found = list(check(scanned, devices, roots, os.environ))
    if not found or any(each.verdict == "proven" for each in found):
        return None
    first = min(found, key=lambda each: each.verdict)  # contradicted before unproven
    if all(each.report.is_loose for each in scanned.files) and first.verdict == "contradicted":
        reason = f"{first.reason}, unless {package} compiles its kernels when it runs"
        todo = "profile the job, then rocmlint verify trace TRACE.json"
        return Judgement("unproven", first.strength, first.seen, reason, todo)
    return Judgement(first.verdict, first.strength, first.seen, first.reason, first.action)


def _probed(subject: str, context: ClaimContext) -> Checked:
    """Run the operation; on the CPU it would show nothing of what the GPU runs."""
    operation, expected = _PROBES[subject]
    probed = context.probed(operation)
    if probed is None:
        reason = "there is no GPU here, and a run on the CPU says nothing about it"
        action = f"on the machine with the GPU: rocmlint verify probe {operation}"
        action += f" --expect {expected}" if expected else ""
        return Judgement("unproven", "declared", "no GPU", reason, action), ()
    results = judge(probed, lambda: _index(context), expected)
    verdict = overall(results)
    first = next(each for each in results if each.verdict == verdict)
    parts = (first.strength, first.seen, first.reason, first.action)
    return Judgement(verdict, *parts), first.evidence


def _index(context: ClaimContext) -> KernelIndex:
    return build(default_roots(context.interpreter), cache_folder())


def _wish(name: str, value: str) -> Judgement:
    """Judge a switch that can be set: it does not show what runs."""
    reason = "an option is only a request: which kernel runs, only a run on the GPU shows"
    action = claim_of(name, value).command
    if PATH in action:
        action = "profile a step with torch.profiler, then rocmlint verify trace TRACE.json"
    return Judgement("unproven", "located", "can be taken", reason, action)
