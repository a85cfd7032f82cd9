"""The platform for which packages with compiled code were built, by the runtimes they load.

An extension for ROCm loads libamdhip64.so.7, one for CUDA libcudart.so.12: the name is in the file
as text. The metadata has it only in a label (vllm 0.31.0+rocm723), if at all: any build of torch
2.9.1 meets what torchvision 0.24.1 requires, whichever of the two is for the CPU.
"""

from __future__ import annotations

import csv
import mmap
import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.published import rocm_wheels
from rocmlint.stack.advice.keeping import NOTHING, KeptBuilds, index_of, takes_its_torch
from rocmlint.stack.advice.remedy import newest_taking
from rocmlint.stack.advice.rocm_builds import instead_of
from rocmlint.stack.advice.torch_command import Surroundings, one_index, surroundings_of
from rocmlint.stack.installed.distributions import BUILT_AGAINST_TORCH
from rocmlint.stack.verdicts import Verdict, is_met
from rocmlint.stack.versions import major_minor
from rocmlint.stack.wheels.install import COMPANIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.stack.installed.distributions import Distribution, Environment
    from rocmlint.stack.installed.rocm import Rocm
    from rocmlint.stack.installed.torch_build import TorchBuild

_PACKAGES = sorted(BUILT_AGAINST_TORCH - {"deepspeed", "aiter", "amd-aiter"})
"""Those that are compiled when they are installed; the others compile when they are used."""
_LIBRARY = re.compile(r"[^/].*\.(?:so|pyd)")
_HIP = {
    b"libamdhip64.so": re.compile(rb"libamdhip64\.so(?:\.(\d{1,3}))?\x00"),
    b"amdhip64_": re.compile(rb"amdhip64_(\d{1,3})\.dll"),
}
"""The names by which HIP is loaded, as they are looked for, and with the major version."""
_CUDA = (b"libcudart", b"libcuda.so.1", b"cudart64_")
_OTHER_LABEL = re.compile(r"(?:pt\d+)?(cpu|cu\d+)")
"""Of torch and its companions, and of PyG's libraries: 0.24.1+cpu, 2.1.2+pt28cu128."""
_LABEL = re.compile(r"rocm(\d+\.\d+(?:\.\d+)?|\d{2,4})(?!\d)")
_MOST_FILES, _LARGEST = 12, 1_000_000_000
_LARGEST_RECORD = 20_000_000


@dataclass(frozen=True)
class CompiledFor:
    """The platform of a compiled package: "ROCm", "CUDA" or "CPU", and where that was read.

    ``hip`` is the major version of the HIP that it loads, ``rocm`` the ROCm that its label names.
    """

    platform: str
    source: str
    hip: str = ""
    rocm: str = ""


def compiled(
    environment: Environment,
    torch: TorchBuild | None,
    rocm: Rocm,
    kept: KeptBuilds = NOTHING,
    here: Surroundings | None = None,
) -> Iterator[Verdict]:
    """Judge the packages with compiled code; on a machine without ROCm none is wrong.

    What to do leaves alone what is ``kept``. A companion of another torch is wrong by its metadata.
    """
    is_hip = torch is not None and torch.kind == "HIP"
    if not is_hip and not rocm.version:
        return
    here = here or surroundings_of(environment, rocm.version)
    for name in (*COMPANIONS * is_hip, *_PACKAGES):
        package = environment.get(name)
        is_other = name in COMPANIONS and package and not takes_its_torch(package, environment)
        built = built_for(package) if package and not is_other else None
        if package and built:
            of_torch = torch if is_hip else None
            release = of_torch.rocm_release if of_torch else rocm.release
            instead = _instead(package, of_torch, release, kept, here)
            yield _verdict_of(package, built, of_torch, release, instead)


def built_for(package: Distribution) -> CompiledFor | None:
    """Return what a package was compiled for; None if neither its files nor its label say."""
    rocm = labelled(package.version)
    for path in _libraries(package):
        platform, hip = _loaded(path)
        if platform:
            return CompiledFor(platform, path, hip, rocm if platform == "ROCm" else "")
    if rocm:
        return CompiledFor("ROCm", package.place, rocm=rocm)
    other = _OTHER_LABEL.fullmatch(package.version.partition("+")[2])
    return CompiledFor("CPU" if other[1] == "cpu" else "CUDA", package.place) if other else None


def labelled(version: str) -> str:
    """Return the ROCm that a label names, also without dots: 7.2.3 for 0.31.0+rocm723."""
    match = _LABEL.search(version.partition("+")[2])
    if match is None or "." in match[1]:
        return match[1] if match else ""
    major = match[1][:2] if match[1].startswith("1") else match[1][:1]
    return ".".join((major, *match[1][len(major) :]))


def _verdict_of(
    package: Distribution, built: CompiledFor, torch: TorchBuild | None, release: str, instead: str
) -> Verdict:
    verdict = Verdict(
        package.name,
        package.version,
        "ROCm",
        release or None,
        "a ROCm build",
        "built",
        "fits",
        source=built.source,
    )
    if built.platform != "ROCm":
        return _for_another_platform(verdict, built, instead)
    hip = torch.hip.partition(".")[0] if torch else ""
    if built.hip and hip.isdecimal() and built.hip != hip:
        why = f"it was compiled for HIP {built.hip} and loads libamdhip64.so.{built.hip}, but torch"
        why += f" {torch.version if torch else ''} has HIP {hip}: the two cannot be loaded together"
        return replace(verdict, judgement="conflict", reason=why, action=instead)
    label = major_minor(built.rocm)
    if label and release and label != release:
        other = f"torch for {release}" if torch else f"but ROCm {release} is installed"
        why = f"it was compiled for ROCm {built.rocm}, {other}"
        return replace(verdict, judgement="note", reason=why, action=instead)
    return verdict


def _for_another_platform(verdict: Verdict, built: CompiledFor, instead: str) -> Verdict:
    """Judge a build for CUDA or the CPU; little of torchaudio is compiled."""
    name = os.path.basename(built.source)
    is_read = _LIBRARY.fullmatch(name)
    how = f": {name} needs CUDA's libraries" if is_read else ", according to its label"
    why = f"it is a {built.platform} build{how}"
    if built.platform != "CPU":
        return replace(verdict, judgement="conflict", reason=why, action=instead)
    why += "; its compiled code does not run on a GPU"
    is_small = verdict.package == "torchaudio"
    return replace(
        verdict, judgement="note" if is_small else "conflict", reason=why, action=instead
    )


def _instead(
    package: Distribution, torch: TorchBuild | None, rocm: str, kept: KeptBuilds, here: Surroundings
) -> str:
    """Return where the ROCm build of a package is, as far as that is known."""
    if torch and package.name in COMPANIONS:
        return _beside(torch, package, here)
    release = _for_torch(package, here) if torch else ""
    release = release or package.version.partition("+")[0]
    return instead_of(package.name, release, kept, rocm, here.python)


def _for_torch(package: Distribution, here: Surroundings) -> str:
    """Return the newest release that takes the torch here, where the one that is there does not.

    It is the one that is advised where their metadata is compared.
    """
    torch = here.get("torch")
    asked = [each.specifier for each in package.requires if each.name == "torch"]
    if torch is None or torch.parsed is None or all(is_met(e, torch.parsed) for e in asked):
        return ""
    return str(newest_taking(package.name, "torch", torch.parsed, "", here.python) or "")


def _beside(torch: TorchBuild, companion: Distribution, here: Surroundings) -> str:
    """Return the command for the build of a companion that is in the index of torch.

    AMD's have the code for a GPU in an extra, and nightly builds one release a day.
    """
    index, label = index_of(torch.version), torch.version.partition("+")[2]
    if not index.startswith(rocm_wheels.SERVER) or ".dev" in torch.version:
        return one_index(here)
    exact = f"{companion.name}=={companion.version.partition('+')[0]}+{label}"
    return f"pip install --no-deps {exact} --index-url {index}"


def _libraries(package: Distribution) -> list[str]:
    """Return the libraries of a package that RECORD lists, but not more than a few."""
    found: list[str] = []
    try:
        record = read_small(os.path.join(package.place, "RECORD"), _LARGEST_RECORD)
    except OSError:
        return found
    root = os.path.dirname(package.place)
    lines = record.decode(errors="replace").splitlines()
    try:
        # Before Python 3.11 a null character ends the reading; no file has one in its name.
        for row in csv.reader(each for each in lines if "\0" not in each):
            if row and _is_library(row[0]) and len(found) < _MOST_FILES:
                found.append(os.path.join(root, row[0]))
    except csv.Error:
        pass
    return found


def _is_library(path: str) -> bool:
    """Return whether a row of a RECORD is a library of the package: ``a/../../x.so`` is not."""
    parts = path.replace("\\", "/").split("/")
    return ".." not in parts and not os.path.isabs(path) and bool(_LIBRARY.fullmatch(path))


def _loaded(path: str) -> tuple[str, str]:
    """Return the platform whose runtime a library names, and the major version of HIP."""
    try:
        if not os.path.isfile(path) or not 0 < os.path.getsize(path) < _LARGEST:
            return "", ""
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for name, pattern in _HIP.items():
                at = data.find(name)
                match = pattern.search(data, at) if at >= 0 else None
                if match:
                    return "ROCm", (match[1] or b"").decode()
            is_cuda = any(data.find(name) >= 0 for name in _CUDA)
            return ("CUDA" if is_cuda else ""), ""
    except (OSError, ValueError):
        return "", ""
