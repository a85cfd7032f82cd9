"""Packages of which only one can be installed, as all have the same module; and bitsandbytes.

onnxruntime and its builds for GPUs, triton and its builds: whichever was installed last has
overwritten the others. bitsandbytes has a library for each ROCm in one wheel.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published import amd_wheels
from rocmlint.stack.advice.keeping import NOTHING, place_of
from rocmlint.stack.advice.rocm_builds import places
from rocmlint.stack.checks.compiled import labelled
from rocmlint.stack.installed.bitsandbytes import (
    WITH_NEAREST,
    libraries_for_rocm,
    loaded,
    wanted,
)
from rocmlint.stack.installed.distributions import minor_of
from rocmlint.stack.verdicts import Verdict
from rocmlint.stack.versions import major_minor
from rocmlint.text.written import holds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.stack.installed.distributions import Distribution, Environment
    from rocmlint.stack.installed.rocm import Rocm
    from rocmlint.stack.installed.torch_build import TorchBuild

_TRITON = ("triton", "triton-rocm", "pytorch-triton-rocm", "pytorch-triton", "pytorch-triton-xpu")
_ONNX = ("onnxruntime", "onnxruntime-rocm", "onnxruntime-migraphx", "onnxruntime-gpu")
_FOR_ROCM = ("onnxruntime-migraphx", "onnxruntime-rocm")
_PLUGIN = "onnxruntime-ep-migraphx"
"""The package is installed next to onnxruntime, which loads it."""


def rivals(environment: Environment, torch: TorchBuild | None, rocm: Rocm) -> Iterator[Verdict]:
    """Judge packages that exclude each other, and what onnxruntime and bitsandbytes are for."""
    is_hip = torch is not None and torch.kind == "HIP"
    yield from _one_of(_TRITON, "triton", environment, _required(environment, _TRITON))
    onnx = [each for each in _FOR_ROCM if environment.get(each)]
    yield from _one_of(_ONNX, "onnxruntime", environment, onnx)
    if is_hip or rocm.version:
        yield from _onnxruntime(environment, rocm)
    if torch is not None and is_hip:
        yield from _bitsandbytes(environment, torch)


def has_onnxruntime(environment: Environment) -> bool:
    """Return whether an onnxruntime for ROCm is installed, which needs no torch."""
    return any(environment.get(each) for each in (*_FOR_ROCM, _PLUGIN))


def _required(environment: Environment, names: Sequence[str]) -> list[str]:
    """Return which of some packages torch requires on this system."""
    torch = environment.get("torch")
    markers = {**environment.markers, "extra": ""}
    found = [each.name for each in torch.requires if holds(each.marker, markers)] if torch else []
    required = set(map(canonicalize_name, found))
    return [each for each in names if each in required]


def _one_of(
    names: Sequence[str], module: str, environment: Environment, wanted: Sequence[str]
) -> Iterator[Verdict]:
    """Yield a conflict for each package that shares its module with the one that is wanted."""
    found = [each for each in map(environment.get, names) if each is not None]
    if len(found) < 2:
        return
    kept = next((each for each in found if each.name in wanted), found[-1])
    for each in found:
        if each is not kept:
            again = _again(kept, environment)
            yield Verdict(
                each.name,
                each.version,
                kept.name,
                kept.version,
                f"no other package with the module {module}",
                "built",
                "conflict",
                reason=f"both have the module {module}: one has overwritten files of the other",
                action=f"pip uninstall -y {each.name}, then {again}",
                source=each.place,
            )


def _again(package: Distribution, environment: Environment) -> str:
    """Return how a package is installed anew; triton is where torch came from."""
    torch, names = environment.get("torch"), (each.name for each in environment.distributions)
    place = place_of(torch.version, names) if torch and package.name in _TRITON else ()
    words = ("--force-reinstall", "--no-deps", f"{package.name}=={package.version}", *place)
    return (
        f"{shlex.join(('pip', 'install', *words))}{'' if place else ' from the index it came from'}"
    )


def _verdict(package: Distribution, found: str, requirement: str) -> Verdict:
    return Verdict(
        package.name,
        package.version,
        "ROCm",
        found or None,
        requirement,
        "built",
        "fits",
        source=package.place,
    )


def _onnxruntime(environment: Environment, rocm: Rocm) -> Iterator[Verdict]:
    gpu = environment.get("onnxruntime-gpu")
    if gpu is not None:
        where = f"pip uninstall -y onnxruntime-gpu, then pip install {_FOR_ROCM[0]}"
        if rocm.release and amd_wheels.elsewhere("onnxruntime", rocm.release):
            of = (rocm.release, minor_of(environment.python), "onnxruntime-gpu")
            where = "; ".join(places("onnxruntime", NOTHING, *of))
            if "pip " not in where:  # there is none for this Python
                where = f"pip uninstall -y onnxruntime-gpu; {where}"
        yield replace(
            _verdict(gpu, rocm.version, "a ROCm build"),
            judgement="conflict",
            reason="it is the CUDA build, and runs on the CPU here",
            action=where,
        )
    for package in filter(None, map(environment.get, (*_FOR_ROCM, _PLUGIN))):
        yield _built_for(package, rocm)


def _built_for(package: Distribution, rocm: Rocm) -> Verdict:
    label = labelled(package.version)
    wanted = f"ROCm {major_minor(label)}" if label else "ROCm's libraries"
    verdict = _verdict(package, rocm.version, wanted)
    if not rocm.version:
        reason = "it does not include ROCm's libraries, and no ROCm was found here"
    elif not label:
        reason = "its metadata does not tell which ROCm it was built for; at repo.radeon.com "
        reason += f"the directory does (rocm-rel-{rocm.release})"
    elif major_minor(label) == rocm.release:
        return verdict
    else:
        reason = f"it was built for ROCm {label}, but ROCm {rocm.version} is installed"
    return replace(verdict, judgement="note", reason=reason)


def _bitsandbytes(environment: Environment, torch: TorchBuild) -> Iterator[Verdict]:
    """Look for the library that it loads with torch's HIP."""
    package, module = environment.get("bitsandbytes"), environment.modules.get("bitsandbytes")
    if package is None or not module:
        return
    try:
        names = os.listdir(os.path.dirname(module))
    except OSError:
        return
    hip = major_minor(torch.hip)
    if not hip or not any(each.startswith("libbitsandbytes_") for each in names):
        return
    there = libraries_for_rocm(names)
    taken, first = loaded(package, hip, there), wanted(package, hip)
    verdict = _verdict(package, torch.rocm_release, f"its library for HIP {hip}")
    has = f"it has libraries for {' '.join(f'rocm{each}' for each in there)}"
    if taken == first:
        yield verdict
    elif taken:
        reason = f"{has}, not for rocm{first}: it takes that for rocm{taken}"
        yield replace(verdict, judgement="note", reason=reason)
    else:
        only = has if there else "it has libraries for CUDA only"
        newest = f"'bitsandbytes>={WITH_NEAREST}'"
        yield replace(
            verdict,
            judgement="conflict",
            reason=f"{only}, and looks for rocm{first} with HIP {hip}: it can load none",
            action=f"pip install --upgrade --no-deps {newest}{_where(package)}",
        )


def _where(package: Distribution) -> str:
    known = amd_wheels.elsewhere(package.name)
    return f" ({known[0].note})" if known else ""
