"""Import a package and say what came of it, and what torch is once it is imported."""

from __future__ import annotations

import importlib
from typing import Any

from ..imports.importing import import_installed


def answer(request: dict[str, str]) -> dict[str, Any]:
    """Import ``module``; return its version, its error, and what it says of torch.

    ``has_torch`` is what its ``is_torch_available`` gives; None where it has no such function.
    """
    name = request["module"]
    facts: dict[str, Any] = {"error": "", "version": "", "has_torch": None, "torch": {}}
    try:
        module = import_installed(name)
        facts["version"] = str(getattr(module, "__version__", ""))
        facts["has_torch"] = _has_torch(name)
        if name == "torch":
            facts["torch"] = {"torch": _torch(module)}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an import may raise anything
        facts["error"] = f"{type(error).__name__}: {error}"
    return facts


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
    facts: dict[str, Any] = {
        "hip": str(getattr(version, "hip", None) or ""),
        "architectures": [],
        "devices": [],
        "error": "",
    }
    try:
        facts["architectures"] = list(map(str, torch.cuda.get_arch_list()))
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            facts["devices"].append(str(getattr(properties, "gcnArchName", properties.name)))
    except Exception as error:  # noqa: BLE001 - no driver, no device
        facts["error"] = f"{type(error).__name__}: {error}"
    return facts
