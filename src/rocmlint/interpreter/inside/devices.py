"""Which GPUs torch sees here, and the folders that packages are installed in."""

from __future__ import annotations

import importlib
import os
import runpy
from typing import Any

from . import search
from .imports import CheckoutError, search_installed


def answer(request: object) -> dict[str, list[str] | str]:
    """Return ``{"folders": [...]}`` for "folders"; for "targets" as :func:`torch_targets` does."""
    if request == "folders":
        return {"folders": package_folders()}
    return torch_targets()


def package_folders() -> list[str]:
    """Return the folders of sys.path that installed packages are in."""
    names = ("site-packages", "dist-packages")
    folders = [path for path in search.path() if os.path.basename(path) in names]
    return [path for path in dict.fromkeys(folders) if os.path.isdir(path)]


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
    version = _version(os.path.join(os.path.dirname(found.origin), "version.py"))
    if not version.get("hip"):
        shown = version.get("__version__", "of unknown version")
        return {"targets": [], "reason": f"{shown} is not built for ROCm"}
    cuda = importlib.import_module("torch").cuda
    targets = [cuda.get_device_properties(each).gcnArchName for each in range(cuda.device_count())]
    return {"targets": targets, "reason": "" if targets else "sees no GPU"}


def _version(path: str) -> dict[str, Any]:
    """Run torch's version.py, which is quicker than to import torch and needs no GPU."""
    try:
        return runpy.run_path(path)
    except OSError:
        return {}
