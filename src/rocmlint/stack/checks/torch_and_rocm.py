"""Whether the installed torch is a build for the ROCm and the GPUs that are here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.stack.advice.torch_command import (
    Surroundings,
    for_each,
    for_gpus,
    for_rocm,
    one_index,
)
from rocmlint.stack.installed.torch_build import UNREAD
from rocmlint.stack.verdicts import Verdict
from rocmlint.stack.versions import major_minor, rocm_named_in
from rocmlint.stack.wheels.amd_parts import is_build_of_amd
from rocmlint.stack.wheels.install import enumerated
from rocmlint.stack.wheels.wheel_sources import COMMAND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.devices import Devices
    from rocmlint.project.project import Evidence
    from rocmlint.stack.installed.rocm import Rocm
    from rocmlint.stack.installed.rocm_of_torch import RocmOfTorch
    from rocmlint.stack.installed.torch_build import TorchBuild


_ON_THE_CPU = "torch.cuda.is_available() is False and models run on the CPU"
_FOR_OTHER_GPUS = frozenset({"CUDA", "XPU"})


def torch_and_rocm(
    torch: TorchBuild | None,
    rocm: Rocm,
    devices: Devices,
    libraries: RocmOfTorch = "torch",
    here: Surroundings | None = None,
) -> Iterator[Verdict]:
    """Judge the build of torch; without a ROCm and without a GPU there is nothing to fit.

    ``rocm`` is what is installed besides torch, ``libraries`` where torch has ROCm's from, ``here``
    what another torch would be chosen for.
    """
    here = here or Surroundings(rocm=rocm.version, gpus=devices.architectures)
    if torch is None:
        yield _without_torch(rocm, here)
        return
    if torch.problem:
        yield _damaged(torch)
    if torch.kind == "HIP":
        yield from _hip(torch, rocm, libraries, here)
        if not is_build_of_amd(torch.version):  # that has the code for GPUs in other packages
            yield from _code_for(torch, devices, here)
    elif rocm.version or devices.names:
        yield _no_rocm_build(torch, rocm, devices, here)


def torch_and_project(
    torch: TorchBuild, evidence: Evidence | None, here: Surroundings
) -> Iterator[Verdict]:
    """Judge the build of torch by the project that it is for, where no ROCm and no GPU is here.

    ``evidence`` is what shows that the project is for ROCm. A build for the CPU may be meant: it
    runs the tests of a project for ROCm where no GPU is.
    """
    if evidence is not None and torch.kind in _FOR_OTHER_GPUS:
        rocm = rocm_named_in(evidence.line)
        yield replace(
            _verdict(torch, "this project", "", "a ROCm build"),
            judgement="conflict",
            reason=(
                f"{torch}, is not a ROCm build, but this project is for ROCm ({evidence.reason}): "
                f"on an AMD GPU {_ON_THE_CPU}"
            ),
            action=_install(replace(here, rocm=rocm)),
        )


def _verdict(torch: TorchBuild, on: str, found: str, requirement: str) -> Verdict:
    return Verdict(
        "torch",
        torch.version,
        on,
        found or None,
        requirement,
        "built",
        "fits",
        source=torch.source,
    )


def _without_torch(rocm: Rocm, here: Surroundings) -> Verdict:
    return Verdict(
        "torch",
        "",
        "ROCm",
        rocm.version or None,
        "a ROCm build",
        "built",
        "unknown",
        reason="torch is not installed in this interpreter",
        action=f"{_install(here)}; or use --python to name the interpreter of the job",
    )


def _damaged(torch: TorchBuild) -> Verdict:
    verdict = _verdict(torch, "", "", "one complete installation")
    if UNREAD in torch.problem:
        action = "run this as a user who can read it"
        return replace(verdict, judgement="unknown", reason=torch.problem, action=action)
    action = "repeat pip uninstall torch until it is gone, then install it again"
    return replace(verdict, judgement="conflict", reason=torch.problem, action=action)


def _no_rocm_build(torch: TorchBuild, rocm: Rocm, devices: Devices, here: Surroundings) -> Verdict:
    verdict = _verdict(torch, "ROCm", rocm.version, "a ROCm build")
    present = f"ROCm {rocm.version}" if rocm.version else ", ".join(devices.architectures)
    if torch.kind == "unknown":
        return replace(
            verdict,
            judgement="unknown",
            reason=(
                f"neither {torch.source or 'the metadata'} nor the version shows what it "
                "was built for"
            ),
            action="run this again with --smoke",
        )
    return replace(
        verdict,
        judgement="conflict",
        reason=f"{torch}, is not a ROCm build, but {present} is installed here: {_ON_THE_CPU}",
        action=_install(here),
    )


def _hip(
    torch: TorchBuild, rocm: Rocm, libraries: RocmOfTorch, here: Surroundings
) -> Iterator[Verdict]:
    built = torch.rocm_release
    wanted = f"ROCm {built or '(HIP ' + torch.hip + ')'}"
    verdict = _verdict(torch, "ROCm", rocm.version, wanted)
    if not rocm.version:
        yield replace(verdict, judgement="note", reason=_of_no_version(rocm, libraries))
    elif not built:
        reason = f"HIP {torch.hip} does not show which ROCm torch was built for"
        yield replace(verdict, judgement="note", reason=reason)
    elif built == rocm.release:
        yield verdict
    else:
        reason = _differs(built, rocm, libraries)
        yield replace(
            verdict, judgement="note", reason=reason, action=_action_for_same_rocm(rocm, here)
        )


_NO_ROCM: dict[RocmOfTorch, str] = {
    "torch": "no ROCm is installed here; torch's wheels include its libraries, but not the driver",
    "rocm packages": "no ROCm is installed here, and the packages with torch's ROCm libraries are "
    "missing",
    "host": "no ROCm was found here, and this torch does not include its libraries: it was "
    "compiled with an installed one",
}


def _of_no_version(rocm: Rocm, libraries: RocmOfTorch) -> str:
    """Return what is known where nothing names a version: AMD's packages may have none."""
    wheels = [each.source for each in rocm.readings if each.kind == "wheel" and not each.problem]
    if not wheels:
        return _NO_ROCM[libraries]
    return f"{wheels[0].removeprefix('wheel ')} is installed, but does not name its ROCm"


def _differs(built: str, rocm: Rocm, libraries: RocmOfTorch) -> str:
    if libraries == "host":
        return (
            f"torch was built for ROCm {built}, but it loads the libraries of the installed ROCm "
            f"{rocm.version}, because it does not include its own"
        )
    return (
        f"torch was built for ROCm {built}, but {rocm.version} is installed here. Its "
        "wheels include their own libraries and run anyway unless the driver is too old "
        "for them; code that is compiled here for torch (flash-attn, aiter, extensions) "
        f"uses ROCm {rocm.release} and may not load"
    )


def _action_for_same_rocm(rocm: Rocm, here: Surroundings) -> str:
    command = for_rocm(here)
    if command:
        return f"to use the installed ROCm: {command}"
    which = f"ROCm {rocm.release}{' and this GPU' if _has_wheels(rocm) else ''}"
    return f"torch has no wheels for {which}: compile extensions with torch's own ROCm"


def _has_wheels(rocm: Rocm) -> bool:
    """Return whether PyTorch or AMD has a torch for some patch release of this ROCm."""
    known = (*rocm_wheels.rocm_versions(), *amd_wheels.rocm_versions())
    return rocm.release in map(major_minor, known)


def _code_for(torch: TorchBuild, devices: Devices, here: Surroundings) -> Iterator[Verdict]:
    """Compare the GPUs with those that PyTorch's wheels were built for; the file knows better.

    A GPU next to one that torch has code for, such as the one in the processor, may be left alone.
    """
    _, _, label = torch.version.partition("+")
    built = label.removeprefix("rocm")
    known = rocm_wheels.architectures(torch.version, built) if built != label else ()
    if not known:
        return
    gpus = devices.architectures
    served = [each for each in gpus if each in known]
    beside = f"; of the GPUs here they serve {enumerated(served)}" if served else ""
    for device in gpus:
        if device in known:
            yield _verdict(torch, device, device, f"code for {device}")
            continue
        yield replace(
            _verdict(torch, device, "", f"code for {device}"),
            judgement="note" if served else "conflict",
            reason=(
                f"PyTorch's wheels of torch {torch.release} for ROCm {built} have no code for "
                f"{device}: kernels fail with hipErrorNoBinaryForGpu. The wheels have code for "
                f"{' '.join(known)}{beside}"
            ),
            action=_for_all(gpus, here) if served else _wheels_for(device, built, here),
        )


def _for_all(gpus: tuple[str, ...], here: Surroundings) -> str:
    """Return the one build for all GPUs, where there is one: none is given up for another."""
    command = for_gpus(here, gpus)
    return f"one build has code for all of them: {command}" if command else ""


def _wheels_for(device: str, rocm: str, here: Surroundings) -> str:
    """Return where there are wheels with code for a GPU, best for the same ROCm."""
    having = rocm_wheels.built_for(device)[::-1]
    same = [each for each in having if each[1] == rocm]
    command = for_each(here, (*same, *having))
    if command:
        return command
    command = for_gpus(here, here.gpus or (device,))
    if command:
        return f"AMD's own wheels have code for it: {command}"
    return "run rocmlint verify kernels torch: it reads which GPUs the file has code for"


def _install(here: Surroundings) -> str:
    """Return how a ROCm build is installed; GPUs alone are enough to choose one."""
    return one_index(here) if here.rocm or here.gpus else f"{COMMAND} --rocm VERSION"
