"""Import a package and say what came of it, and what torch is once it is imported."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .imports import import_installed

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAID = 20
"""Lines of what an import prints that are kept, the last ones."""


def answer(request: dict[str, str]) -> dict[str, Any]:
    """Import ``module``; tell its version, its error, what it printed, and what it says of torch.

    ``has_torch`` is what its ``is_torch_available`` gives; None where it has no such function.
    """
    name = request["module"]
    told: dict[str, Any] = {"error": "", "version": "", "has_torch": None, "torch": None}
    with _captured() as said:
        try:
            module = import_installed(name)
            told["version"] = str(getattr(module, "__version__", ""))
            told["has_torch"] = _has_torch(name)
            if name == "torch":
                told["torch"] = _torch(module)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an import may raise anything
            told["error"] = f"{type(error).__name__}: {error}"
    return {**told, "said": said}


def _has_torch(name: str) -> bool | None:
    for place in (f"{name}.utils.import_utils", f"{name}.utils"):
        try:
            found: Any = getattr(importlib.import_module(place), "is_torch_available", None)
        except ImportError:
            continue
        if found is not None:
            return bool(found())
    return None


def _torch(torch: Any) -> dict[str, Any]:
    version = getattr(torch, "version", None)
    told: dict[str, Any] = {
        "hip": getattr(version, "hip", None),
        "cuda": getattr(version, "cuda", None),
        "architectures": [],
        "devices": [],
        "error": "",
    }
    try:
        told["architectures"] = list(torch.cuda.get_arch_list())
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            told["devices"].append(str(getattr(properties, "gcnArchName", properties.name)))
    except Exception as error:  # noqa: BLE001 - no driver, no device
        told["error"] = f"{type(error).__name__}: {error}"
    return told


@contextmanager
def _captured() -> Iterator[list[str]]:
    """Keep what is printed, by libraries in C too, in place of showing it."""
    said: list[str] = []
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1), os.dup(2)
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        try:
            yield said
        finally:
            for flushed in (sys.stdout, sys.stderr):
                flushed.flush()
            for stream, old in zip((1, 2), kept):  # noqa: B905 - Python 3.9
                os.dup2(old, stream)
                os.close(old)
            file.seek(0)
            lines = file.read().decode(errors="backslashreplace").splitlines()
            said += [each for each in lines if each.strip()][-_SAID:]
