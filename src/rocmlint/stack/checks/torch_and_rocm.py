"""Whether the installed torch is a build for the ROCm and the GPUs that are here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.published import amd_wheels, rocm_wheels
from rocmlint.stack.installed.torch_build import UNREAD
from rocmlint.stack.verdicts import Verdict
from rocmlint.stack.versions import major_minor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.devices import Devices
    from rocmlint.stack.installed.rocm import Rocm
    from rocmlint.stack.installed.rocm_of_torch import RocmOfTorch
    from rocmlint.stack.installed.torch_build import TorchBuild


def torch_and_rocm(
    torch: TorchBuild | None, rocm: Rocm, devices: Devices, libraries: RocmOfTorch = "torch"
) -> Iterator[Verdict]:
    """Judge the build of torch; without a ROCm and without a GPU there is nothing to fit.

    ``rocm`` is what is installed beside torch, ``libraries`` where torch has ROCm's from.
    """
    if torch is None:
        yield _without_torch(rocm)
        return
    if torch.problem:
        yield _damaged(torch)
    if torch.kind == "HIP":
        yield from _hip(torch, rocm, libraries)
        if rocm.chosen is None or rocm.chosen.kind != "wheel":  # AMD's torch has other code
            yield from _code_for(torch, devices)
    elif rocm.version or devices.names:
        yield _no_rocm_build(torch, rocm, devices)


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


def _without_torch(rocm: Rocm) -> Verdict:
    return Verdict(
        "torch",
        "",
        "ROCm",
        rocm.version or None,
        "a ROCm build",
        "built",
        "unknown",
        reason="torch is not installed in this interpreter",
        action=f"{_install(rocm)}; or use --python to name the interpreter of the job",
    )


def _damaged(torch: TorchBuild) -> Verdict:
    verdict = _verdict(torch, "", "", "one complete installation")
    if UNREAD in torch.problem:
        action = "run this as a user who can read it"
        return replace(verdict, judgement="unknown", reason=torch.problem, action=action)
    action = "repeat pip uninstall torch until it is gone, then install it again"
    return replace(verdict, judgement="conflict", reason=torch.problem, action=action)


def _no_rocm_build(torch: TorchBuild, rocm: Rocm, devices: Devices) -> Verdict:
    verdict = _verdict(torch, "ROCm", rocm.version, "a ROCm build")
    here = f"ROCm {rocm.version}" if rocm.version else ", ".join(devices.architectures)
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
    effect = "torch.cuda.is_available() is False and models run on the CPU"
    return replace(
        verdict,
        judgement="conflict",
        reason=f"{torch}, is not a ROCm build, but {here} is installed here: {effect}",
        action=_install(rocm, devices.architectures),
    )


def _hip(torch: TorchBuild, rocm: Rocm, libraries: RocmOfTorch) -> Iterator[Verdict]:
    built = torch.rocm_release
    wanted = f"ROCm {built or '(HIP ' + torch.hip + ')'}"
    verdict = _verdict(torch, "ROCm", rocm.version, wanted)
    if not rocm.version:
        yield replace(verdict, judgement="note", reason=_NO_ROCM[libraries])
    elif not built:
        reason = f"HIP {torch.hip} does not show which ROCm torch was built for"
        yield replace(verdict, judgement="note", reason=reason)
    elif built == rocm.release:
        yield verdict
    else:
        yield replace(
            verdict, judgement="note", reason=_differs(built, rocm, libraries), action=_same(rocm)
        )


_NO_ROCM: dict[RocmOfTorch, str] = {
    "torch": "no ROCm is installed here; torch's wheels include its libraries, but not the driver",
    "rocm packages": "no ROCm is installed here, and the packages with torch's ROCm libraries are "
    "missing",
    "host": "no ROCm was found here, and this torch does not include its libraries: it was "
    "compiled with an installed one",
}


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


def _same(rocm: Rocm) -> str:
    if _has_wheels(rocm):
        return f"to use the installed ROCm: rocmlint stack install-command --rocm {rocm.version}"
    return f"torch has no wheels for ROCm {rocm.release}: compile extensions with torch's own ROCm"


def _has_wheels(rocm: Rocm) -> bool:
    """Return whether PyTorch or AMD has a torch for some patch release of this ROCm."""
    known = (*rocm_wheels.rocm_versions(), *amd_wheels.rocm_versions())
    return rocm.release in map(major_minor, known)


def _code_for(torch: TorchBuild, devices: Devices) -> Iterator[Verdict]:
    """Compare the GPUs with those that PyTorch's wheels were built for; the file knows better.

    A GPU beside one that torch has code for, such as the one in the processor, may be left alone.
    """
    _, _, label = torch.version.partition("+")
    built = label.removeprefix("rocm")
    known = rocm_wheels.architectures(torch.version, built) if built != label else ()
    if not known:
        return
    all_missing = not any(each in known for each in devices.architectures)
    for device in devices.architectures:
        if device in known:
            yield _verdict(torch, device, device, f"code for {device}")
            continue
        yield replace(
            _verdict(torch, device, "", f"code for {device}"),
            judgement="conflict" if all_missing else "note",
            reason=(
                f"PyTorch's wheels of torch {torch.release} for ROCm {built} have no code for "
                f"{device}: kernels fail with hipErrorNoBinaryForGpu. The wheels have code for "
                f"{' '.join(known)}"
            ),
            action=_wheels_for(device, built),
        )


def _wheels_for(device: str, rocm: str) -> str:
    """Return where there are wheels with code for a GPU, best for the same ROCm."""
    having = rocm_wheels.built_for(device)
    same = [each for each in having if each[1] == rocm]
    if not having and any(device in each.devices for each in amd_wheels.builds()):
        return f"AMD's own wheels have code for it: rocmlint stack install-command --gpu {device}"
    if not having:
        return "run rocmlint verify kernels torch: it reads which GPUs the file has code for"
    torch, rocm = (same or having)[-1]
    return f"rocmlint stack install-command --rocm {rocm} --torch {torch}"


def _install(rocm: Rocm, gpus: tuple[str, ...] = ()) -> str:
    """Return how a ROCm build is installed; GPUs alone are enough to choose one."""
    if not rocm.release:
        return f"rocmlint stack install-command{'' if gpus else ' --rocm VERSION'}"
    if _has_wheels(rocm):
        return f"rocmlint stack install-command --rocm {rocm.version}"
    return (
        f"rocmlint stack index-url --rocm {rocm.version} (it names the nearest version with wheels)"
    )
