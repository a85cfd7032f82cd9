"""Which environment variables choose devices, kernels or communication, and where readers lie."""

from __future__ import annotations

import os
import sys

from . import search

PREFIXES = (
    "AITER_",
    "AMD_",
    "BNB_ROCM",
    "CK_",
    "FLASH_ATTENTION_",
    "GPU_",
    "HCC_",
    "HIP_",
    "HIPBLASLT_",
    "HSA_",
    "MIOPEN_",
    "NCCL_",
    "PYTORCH_",
    "RCCL_",
    "ROCBLAS_",
    "ROCM_",
    "ROCR_",
    "TENSILE_",
    "TORCH_",
    "TRITON_",
    "VLLM_ROCM_",
)
NAMES = ("CUDA_VISIBLE_DEVICES", "ENABLE_HIP_GRAPHS")


def relevant(name: str) -> bool:
    """Return whether a variable belongs to the ROCm stack or to what runs on it."""
    return name.startswith(PREFIXES) or name in NAMES


def relevant_environment() -> dict[str, str]:
    """Return the variables of this process that choose devices, kernels or communication."""
    return {name: value for name, value in sorted(os.environ.items()) if relevant(name)}


def answer(request: dict[str, list[str]]) -> dict[str, object]:
    """Return what this interpreter sees: the variables, and the folders that hold their readers.

    ``names`` of the request are further variables to report. ``environment`` are the variables,
    ``packages`` the folders that imports search (without the standard library and the working
    folder), ``libraries`` those where the dynamic linker is sent, ``rocm`` the installed ROCm.
    """
    asked = {name: os.environ[name] for name in request["names"] if name in os.environ}
    return {
        "executable": sys.executable,
        "environment": {**relevant_environment(), **asked},
        "packages": _package_folders(),
        "libraries": _folders(os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)),
        "rocm": _folders([os.environ.get(name, "") for name in ("ROCM_PATH", "HIP_PATH")]),
    }


def _package_folders() -> list[str]:
    import sysconfig  # noqa: PLC0415 - a witness, in each process of a job, needs the names only

    paths = sysconfig.get_paths()
    own = {os.path.realpath(paths[name]) for name in ("stdlib", "platstdlib")}
    own |= {os.path.join(each, "lib-dynload") for each in own}
    own.add(os.path.realpath(os.getcwd()))
    return [each for each in _folders(search.path()) if each not in own]


def _folders(paths: list[str]) -> list[str]:
    """Return the folders among the paths, each once, by their real names."""
    real = dict.fromkeys(os.path.realpath(path) for path in paths if path)
    return [path for path in real if os.path.isdir(path)]
