"""Whether a package can be imported here, and which libraries that maps into the process."""

from __future__ import annotations

import importlib
from typing import Any

from .process import libraries


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Import ``module``; give its file, version and libraries, or why it cannot be imported."""
    try:
        module = importlib.import_module(request["module"])
    except Exception as error:  # noqa: BLE001 - what a package does when it is imported is its own
        return {"error": f"{type(error).__name__}: {error}"}
    version = getattr(module, "__version__", None)
    return {
        "error": None,
        "file": getattr(module, "__file__", None),
        "version": version if isinstance(version, str) else None,
        "libraries": [each["path"] for each in libraries()],
    }
