"""Results of imports: each package of the stack is imported in a child process of its own."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.stack.advice.remedy import reinstall
from rocmlint.stack.advice.torch_command import NOWHERE, Surroundings
from rocmlint.stack.installed.distributions import PACKAGES, import_name
from rocmlint.stack.installed.rocm_folders import names_in
from rocmlint.stack.installed.torch_build import read_torch
from rocmlint.stack.verdicts import Judgement, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.gpus.devices import Devices
    from rocmlint.stack.installed.distributions import Distribution, Environment

_NOT_IMPORTED = frozenset({"pytorch-triton-rocm", "triton-rocm", "rocm", "rocm-sdk-core"})
_NOT_IMPORTED |= {"onnxruntime-ep-migraphx"}
SWITCH = "FLASH_ATTENTION_TRITON_AMD_ENABLE"
_COMPILED = "flash_attn_2_cuda"
"""The name of the compiled part of flash-attn, which is not in its folder."""
_TORCH = {"hip": str, "error": str, "architectures": [str], "devices": [str]}
_TOLD = {"error": str, "has_torch": (bool, type(None)), "torch": {str: _TORCH}}
"""The shape of an interpreter's answer; ``torch`` has one entry, ``torch``, for torch itself."""
_SAID = 20
"""Lines of what an import prints that are looked at, the last ones."""


@dataclass(frozen=True)
class Observed:
    """Results of the imports, and what torch reported of itself: None if it did not.

    ``devices`` are gcnArchName of each GPU that torch sees, ``architectures`` what it has code for.
    """

    verdicts: tuple[Verdict, ...]
    architectures: tuple[str, ...] | None = None
    devices: tuple[str, ...] | None = None
    hip: str = ""


def smoke(
    interpreter: Interpreter,
    environment: Environment,
    devices: Devices,
    here: Surroundings = NOWHERE,
) -> Observed:
    """Import each installed package of the stack; one that fails or crashes is a conflict."""
    verdicts: list[Verdict] = []
    architectures = seen = None
    hip = ""
    for package in environment.packages:
        if package.name in _NOT_IMPORTED or package.name not in PACKAGES:
            continue
        started = time.monotonic()
        try:
            request = {"module": import_name(package.name)}
            facts, printed = interpreter.ask_quietly("packages.smoke", request, shape=_TOLD)
        except InterpreterError as error:
            slow = time.monotonic() - started >= interpreter.timeout
            why = str(error).splitlines()[0]
            verdicts.append(_slow(package, why) if slow else _failed(package, why, here=here))
            continue
        said = [each for each in printed.splitlines() if each.strip()][-_SAID:]
        if facts["error"]:
            failed = _failed(package, facts["error"], said, here)
            switch = missing_switch(package, environment)
            verdicts.append(replace(failed, action=switch) if switch else failed)
            continue
        verdicts.append(_fits(package, "can be imported"))
        verdicts += _on_torch(package, environment, facts["has_torch"], said)
        torch = facts["torch"].get("torch")
        if torch and torch["error"]:
            verdicts.append(_silent(package, torch["error"]))
        elif torch:
            hip = torch["hip"]
            architectures, seen = tuple(torch["architectures"]), tuple(torch["devices"])
            verdicts += _on_gpu(package, hip, seen, architectures, devices)
    return Observed(tuple(verdicts), architectures, seen, hip)


def _fits(package: Distribution, requirement: str, on: str = "", found: str = "") -> Verdict:
    return Verdict(
        package.name,
        package.version,
        on,
        found or None,
        requirement,
        "observed",
        "fits",
        source=f"import {import_name(package.name)}",
    )


def _but(verdict: Verdict, reason: str, action: str, judgement: Judgement = "conflict") -> Verdict:
    return replace(verdict, judgement=judgement, reason=reason, action=action)


def _failed(
    package: Distribution, error: str, said: Sequence[str] = (), here: Surroundings = NOWHERE
) -> Verdict:
    first = error.splitlines()[0] if error else "no reason given"
    reason = f"import {import_name(package.name)} fails: {first}"
    if said and said[-1] not in reason:
        reason += f" ({said[-1].strip()})"
    action = f"fix the conflicts above, if any; otherwise {reinstall(package, here)}"
    return _but(_fits(package, "can be imported"), reason, action)


def missing_switch(package: Distribution, environment: Environment) -> str:
    """Return the command that has flash-attn take its Triton code, where it has none for ROCm.

    Its build without the compiled part imports it all the same, unless this variable is set.
    """
    module, torch = environment.modules.get("flash_attn"), read_torch(environment)
    if package.name != "flash-attn" or not module or torch is None or torch.kind != "HIP":
        return ""
    folder = os.path.dirname(module)
    if any(each.startswith(_COMPILED) for each in names_in(os.path.dirname(folder))):
        return ""
    files = (os.path.join(folder, each) for each in names_in(folder) if each.endswith(".py"))
    return f"export {SWITCH}=TRUE" if any(map(_reads_switch, files)) else ""


def _reads_switch(path: str) -> bool:
    try:
        return SWITCH.encode() in read_small(path)
    except OSError:
        return False


def _slow(package: Distribution, error: str) -> Verdict:
    """Leave open what took too long: it may hang, or compile something for the first time."""
    reason = f"import {import_name(package.name)} did not finish: {error}"
    action = "give it more time with --timeout; py-spy dump shows where it is"
    return _but(_fits(package, "can be imported"), reason, action, "unknown")


def _silent(package: Distribution, error: str) -> Verdict:
    """Leave open which GPUs a torch sees that fails when it is asked."""
    reason = f"torch cannot list its GPUs: {error.splitlines()[0]}"
    action = "run rocminfo in the same shell: it shows whether this user can access the GPUs"
    return _but(_fits(package, "sees the GPU", "GPU"), reason, action, "unknown")


def _on_torch(
    package: Distribution, environment: Environment, has_torch: bool | None, said: Sequence[str]
) -> Iterator[Verdict]:
    """Judge what a package says of torch, where torch is installed."""
    torch = environment.get("torch")
    if torch is None or has_torch is None:
        return
    verdict = _fits(package, "is_torch_available()", "torch", torch.version)
    if has_torch:
        yield verdict
        return
    reason = f"after import {import_name(package.name)}, is_torch_available() is False"
    about = [each.strip() for each in said if "torch" in each.lower()]
    if about:
        reason += f': it prints "{next((e for e in about if " >= " in e), about[-1])}"'
    action = (
        f"run rocmlint stack compatible {package.name} to see which of its versions are "
        "compatible with this torch"
    )
    yield _but(verdict, reason, action)


def _on_gpu(
    package: Distribution,
    hip: str,
    seen: tuple[str, ...],
    architectures: tuple[str, ...],
    devices: Devices,
) -> Iterator[Verdict]:
    """Judge whether torch sees the GPUs, and has code for each."""
    if not hip:
        return
    if devices.names and not seen:
        reason = f"{devices.source} lists {', '.join(devices.architectures)}, but torch sees no GPU"
        action = "check HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES: rocmlint verify variables"
        yield _but(_fits(package, "sees the GPU", "GPU"), reason, action)
        return
    built = {each.partition(":")[0] for each in architectures}
    for device in dict.fromkeys(each.partition(":")[0] for each in seen):
        verdict = _fits(package, "has code for this GPU", device, device)
        if device in built:
            yield verdict
        elif architectures:
            reason = f"torch {package.version} has code for {' '.join(architectures)} only"
            action = "run rocmlint verify kernels torch: a generic target may cover it"
            yield _but(verdict, reason, action, "note")
