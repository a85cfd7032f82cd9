"""Which GPUs torch sees here, and the folders that packages are installed in."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
from contextlib import suppress
from typing import Any

from . import search
from .imports.importing import CheckoutError, search_installed

_BUILDS = (("ROCm", "hip"), ("CUDA", "cuda"), ("XPU", "xpu"))
"""Platforms of torch's builds, and the name in torch/version.py that says for which version."""


def answer(request: object) -> dict[str, Any]:
    """Return ``{"folders": [...]}`` for "folders"; for "targets" as :func:`torch_targets` does.

    For "torch", return the interpreter and :func:`torch_build`.
    """
    if request == "torch":
        version = ".".join(map(str, sys.version_info[:3]))
        return {"executable": sys.executable, "version": version, "torch": torch_build()}
    if request == "folders":
        return {"folders": package_folders()}
    return torch_targets()


def package_folders() -> list[str]:
    """Return the folders of sys.path that installed packages are in."""
    names = ("site-packages", "dist-packages")
    folders = [path for path in search.path() if os.path.basename(path) in names]
    return [path for path in dict.fromkeys(folders) if os.path.isdir(path)]


def is_built_for_cpu() -> bool:
    """Return whether torch is installed, and its version.py names nothing but a version."""
    with suppress(CheckoutError):
        found = search_installed("torch")
        version = _version_beside(found.origin) if found is not None and found.origin else {}
        return "cuda" in version and not any(version.get(key) for _, key in _BUILDS)
    return False


def torch_build() -> str:
    """Return the version of torch and what it is built for, or that it is not there."""
    try:
        found = search_installed("torch")
    except CheckoutError as error:
        return str(error)
    if found is None or not found.origin:
        return "torch is not installed"
    version = _version_beside(found.origin)
    kinds = (f"{name} {version[key]}" for name, key in _BUILDS if version.get(key))
    return f"torch {version.get('__version__', 'of unknown version')}, {next(kinds, 'CPU')} build"


def torch_targets() -> dict[str, list[str] | str]:
    """Ask torch, if it was built for ROCm, for the target of each GPU; else say why not.

    Gives ``{"targets": [...], "reason": "..."}``.
    """
    try:
        found = search_installed("torch")
    except CheckoutError as error:
        return {"targets": [], "reason": str(error).removeprefix("torch ")}
    if found is None or not found.origin:
        return {"targets": [], "reason": "is not installed"}
    version = _version_beside(found.origin)
    if not version.get("hip"):
        shown = version.get("__version__", "of unknown version")
        return {"targets": [], "reason": f"{shown} is not built for ROCm"}
    cuda = importlib.import_module("torch").cuda
    targets = [cuda.get_device_properties(each).gcnArchName for each in range(cuda.device_count())]
    return {"targets": targets, "reason": "" if targets else "sees no GPU"}


def _version_beside(origin: str) -> dict[str, Any]:
    """Run torch's version.py, which is quicker than to import torch and needs no GPU."""
    try:
        return runpy.run_path(os.path.join(os.path.dirname(origin), "version.py"))
    except OSError:
        return {}
