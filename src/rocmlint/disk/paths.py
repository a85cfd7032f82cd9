"""How paths are shown to people."""

from __future__ import annotations

import os


def shown(path: str) -> str:
    """Return a path relative to the working folder if it lies in it, else as it is."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # on Windows, on another drive
        return path
    return path if relative.startswith(os.pardir) else relative
