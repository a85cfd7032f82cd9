"""Whether a package can be imported here, and which libraries that maps into the process."""

from __future__ import annotations

from typing import Any

from ..imports.importing import CheckoutError, import_installed
from .process import libraries


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Import ``module``; give its file, version and libraries, or why it cannot be imported."""
    try:
        module = import_installed(request["module"])
    except CheckoutError as error:
        return {"error": str(error), "checkout": error.place}
    except Exception as error:  # noqa: BLE001 - what a package does when it is imported is its own
        return {"error": f"{type(error).__name__}: {error}", "checkout": None}
    version = getattr(module, "__version__", None)
    return {
        "error": None,
        "checkout": None,
        "file": getattr(module, "__file__", None),
        "version": version if isinstance(version, str) else None,
        "libraries": [each["path"] for each in libraries()],
    }
