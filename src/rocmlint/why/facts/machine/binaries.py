"""Facts about installed libraries: ``missing_targets()``, ``library('libamdhip64.so.6')``."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.stack.installed.bitsandbytes import libraries_for_rocm
from rocmlint.why.facts.machine.gpus import amd_gpu, gpus, main_gpu
from rocmlint.why.facts.machine.system import rocm
from rocmlint.why.facts.packages.installed import torch_build, torch_rocm
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.facts.context import Context

_OF_AMD = re.compile(r"\bROCm\b|\+rocm|\bgfx\d{3}|\bRadeon\b|\bAMD\b|/opt/rocm|\bHIP\b")
_TARGET = re.compile(r"gfx[0-9a-f]{3,4}(?![0-9a-f])")
_ROCBLAS = ("torch/lib/rocblas/library", "_rocm_sdk_libraries*/lib/rocblas/library")
"""Where the wheels of PyTorch, and those of AMD, have rocBLAS's kernels: a file for each GPU."""
_OF_WHEELS = ("torch/lib", "_rocm_sdk_core/lib", "_rocm_sdk_libraries*/lib")
_OF_SYSTEM = (
    "/opt/rocm/lib",
    "/opt/rocm/lib64",
    "/opt/rocm/core/lib",
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
)
_MISSING = re.compile(r"(lib\S+\.so[.\d]*): cannot open shared object file")
_BLANK = re.compile(
    r"['\"](/[^'\"]*[^ '\"] [^ /'\"-][^'\"]*?)/"
    r"(?:lib(?:64)?/python3\.\d+/(?:site|dist)-packages|bin/python)"
)
"""A quoted path of an interpreter or its packages, with a blank in it."""
_UNREAD = UnreadFact(
    "the GPUs that torch has code for",
    'python -c "import torch; print(torch.cuda.get_arch_list())"',
)


def torch_targets(context: Context) -> tuple[str, ...] | UnreadFact | None:
    """Return the GPUs that the installed torch has code for; None without a ROCm build.

    The table of PyTorch's wheels knows those of releases; else the files of rocBLAS in the wheel
    do, which has kernels for each GPU that the wheel is for.
    """
    kind = torch_build(context)
    if kind != "rocm":
        return kind if isinstance(kind, UnreadFact) else None
    found = _of_table(context) or _of_files(context)
    if not found:
        return _UNREAD
    return found


def _of_table(context: Context) -> tuple[str, ...]:
    from rocmlint.published.rocm_wheels import architectures, as_of  # noqa: PLC0415 - large

    torch = context.packages.get("torch")
    label = re.fullmatch(r"rocm(\d+\.\d+(?:\.\d+)?)", torch.version.local or "") if torch else None
    found = architectures(str(torch.version), label[1]) if torch and label else ()
    if found:
        context.saw("torch has code for", ", ".join(found), f"PyTorch's wheels, {as_of()}")
    return found


def _of_files(context: Context) -> tuple[str, ...]:
    for folder in _folders(context, _ROCBLAS):
        names = _TARGET.findall(" ".join(_names(folder)))
        if names:
            found = tuple(sorted(set(names)))
            context.saw("torch's rocBLAS has code for", ", ".join(found), folder)
            return found
    return ()


def on_amd(context: Context) -> bool:
    """Return whether an AMD GPU is certain: it was found, or the log or torch mentions ROCm.

    Unlike ``amd_gpu()`` it says no without evidence: for messages that are common on NVIDIA.
    """
    if amd_gpu(context) is True or torch_build(context) == "rocm":
        return True
    return any(_OF_AMD.search(line) for line in context.log.lines)


def missing_targets(context: Context) -> tuple[str, ...] | UnreadFact | None:
    """Return the GPUs that the installed torch has no code for; None without a ROCm build."""
    targets = torch_targets(context)
    if targets is None or isinstance(targets, UnreadFact):
        return targets
    found = gpus(context)
    if isinstance(found, UnreadFact):
        return found
    return tuple(each for each in found if each not in targets)


def lacks_code(context: Context) -> bool:
    """Return whether the installed torch is known to have no code for a GPU here."""
    found = missing_targets(context)
    return isinstance(found, tuple) and bool(found)


def missing_target(context: Context) -> str | UnreadFact | None:
    """Return the GPU to install a torch for: one that it has no code for, if not integrated."""
    found, main = missing_targets(context), main_gpu(context)
    if found is None or isinstance(found, UnreadFact):
        return found
    return str(main) if main in found else next(iter(found), "")


def main_lacks_code(context: Context) -> bool:
    """Return whether torch is known to have no code for the GPU that is not integrated."""
    found = missing_targets(context)
    return isinstance(found, tuple) and main_gpu(context) in found


def library(context: Context, name: str) -> str:
    """Return where a shared library of exactly this name is; empty where it was not found.

    The folders of torch, of AMD's wheels and of the system are looked at.
    """
    found = next(_libraries(context, name), "")
    context.saw(name, found or "is not in torch/lib, AMD's packages or /opt/rocm", "files")
    return found


def wheel_library(context: Context) -> str:
    """Return where AMD's packages for Python have the library that the loader does not find."""
    missing = (_MISSING.search(each) for each in context.log.lines)
    name = next((each[1] for each in missing if each is not None), "")
    for folder in _folders(context, _OF_WHEELS[1:]) if name else ():
        if name in _names(folder):
            context.saw(name, "is there", folder)
            return os.path.join(folder, name)
    return ""


def wheel_folders(context: Context) -> str:
    """Return the folders of libraries in AMD's packages for Python, for LD_LIBRARY_PATH."""
    return ":".join(each for each in _folders(context, _OF_WHEELS[1:]) if _names(each))


def rocm_in_torch(context: Context) -> bool:
    """Return whether torch loads ROCm from AMD's packages first: it has ``_rocm_init.py``."""
    return any("_rocm_init.py" in _names(each) for each in _folders(context, ("torch",)))


def other_library(context: Context, stem: str) -> str:
    """Return another version of a library that is there: ``libamdhip64.so`` finds ".so.7"."""
    found = next(_libraries(context, f"{stem}.*"), "")
    if found:
        context.saw(os.path.basename(found), "is there", os.path.dirname(found))
    return os.path.basename(found)


def bundled_hsa(context: Context) -> str:
    """Return the HSA runtime that is in torch's own folder, before the system's; else nothing."""
    for folder in _folders(context, ("torch/lib",)):
        for name in _names(folder):
            if name.startswith("libhsa-runtime64.so"):
                context.saw(name, "is there", folder)
                return os.path.join(folder, name)
    return ""


def blank_in_path(context: Context) -> str:
    """Return the folder of the environment, where its path has a blank; else nothing."""
    lines = (each for each in context.log.lines if " " in each)
    named = next((found[1] for found in map(_BLANK.search, lines) if found is not None), "")
    found = named or next((each for each in context.packages.folders if " " in each), "")
    if found:
        context.saw("the environment", found, "the log" if named else "files")
    return found


def _libraries(context: Context, pattern: str) -> Iterator[str]:
    system = (context.host.machine.path(each) for each in _OF_SYSTEM)
    for folder in (*_folders(context, _OF_WHEELS), *system):
        for name in _names(folder):
            if fnmatch(name, pattern):
                yield os.path.join(folder, name)


def _folders(context: Context, patterns: tuple[str, ...]) -> Iterator[str]:
    """Yield folders below the packages whose first part may have a star."""
    for site in context.packages.folders:
        for pattern in patterns:
            first, _, rest = pattern.partition("/")
            names = [each for each in _names(site) if fnmatch(each, first)] if "*" in first else []
            yield from (os.path.join(site, each, rest) for each in names or [first])


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def has_module(context: Context, name: str) -> bool | UnreadFact:
    """Return whether a top-level module is among the packages, compiled ones included."""
    if not context.packages.folders or context.is_elsewhere:
        return UnreadFact(f"whether {name} is installed", f'python -c "import {name}"')
    found = any(
        each == name or each.startswith(f"{name}.")
        for folder in context.packages.folders
        for each in _names(folder)
    )
    context.saw(name, "is there" if found else "is not there", context.packages.folders[0])
    return found


def bitsandbytes_libraries(context: Context) -> tuple[str, ...] | UnreadFact:
    """Return the numbers of bitsandbytes' libraries for ROCm that are there: "63", "72"."""
    if not context.packages.folders or context.is_elsewhere:
        return UnreadFact("bitsandbytes' libraries", "python -m bitsandbytes")
    folders = [os.path.join(each, "bitsandbytes") for each in context.packages.folders]
    found = tuple(libraries_for_rocm(name for folder in folders for name in _names(folder)))
    named = ", ".join(f"libbitsandbytes_rocm{each}" for each in found)
    context.saw("bitsandbytes has", named or "no library for ROCm", "files")
    return found


def torch_rocm_number(context: Context) -> str | UnreadFact | None:
    """Return torch's ROCm as bitsandbytes writes it: "63" for 6.3."""
    found = torch_rocm(context)
    if found is None or isinstance(found, UnreadFact):
        return found
    return f"{found.major}{found.minor}"


def torch_rocm_major(context: Context) -> int | UnreadFact | None:
    """Return the major version of the ROCm that torch was built for; None for another build."""
    found = torch_rocm(context)
    return found if found is None or isinstance(found, UnreadFact) else found.major


def rocm_major(context: Context) -> int | None:
    """Return the major version of the host's ROCm; None without one."""
    found = rocm(context)
    return None if found is None else found.major


def rocm_minor(context: Context) -> Version | None:
    """Return the ROCm of this host (major.minor), to compare with that of torch; None without."""
    found = rocm(context)
    return None if found is None else Version(f"{found.major}.{found.minor}")


def linker(context: Context) -> str:
    """Return where ROCm's linker is, in AMD's packages for Python or in /opt/rocm; else nothing."""
    wheels = _folders(context, ("_rocm_sdk_devel", "_rocm_sdk_core"))
    roots = (*wheels, context.host.machine.path("/opt/rocm"))
    paths = (
        os.path.join(root.rstrip("/"), folder, "bin/ld.lld")
        for root in roots
        for folder in ("llvm", "lib/llvm")
    )
    found = next((each for each in paths if os.path.isfile(each)), "")
    context.saw("ld.lld", found or "is not in AMD's packages or /opt/rocm", "files")
    return found


def loaded_by(context: Context) -> str:
    """Return whose frame loads what torch then fails to load: a package, "this project" or ""."""
    for frame in reversed(context.frames):
        owner = context.owner(frame)
        if owner.kind in {"project", "hub"} or (owner.kind == "package" and owner.name != "torch"):
            context.saw(f"{frame.file}:{frame.line}", str(owner), "the traceback")
            return owner.name or str(owner)
    return ""


FACTS = {
    "on_amd": on_amd,
    "lacks_code": lacks_code,
    "missing_target": missing_target,
    "main_lacks_code": main_lacks_code,
    "bundled_hsa": bundled_hsa,
    "blank_in_path": blank_in_path,
    "torch_rocm_major": torch_rocm_major,
    "rocm_major": rocm_major,
    "loaded_by": loaded_by,
    "rocm_minor": rocm_minor,
    "linker": linker,
    "torch_targets": torch_targets,
    "missing_targets": missing_targets,
    "library": library,
    "other_library": other_library,
    "rocm_in_torch": rocm_in_torch,
    "wheel_library": wheel_library,
    "wheel_folders": wheel_folders,
    "has_module": has_module,
    "bitsandbytes_libraries": bitsandbytes_libraries,
    "torch_rocm_number": torch_rocm_number,
}
