"""Relative paths on every system: Windows has no way from one drive to another."""

from __future__ import annotations

import os


def relative(path: str, start: str | None = None) -> str:
    """Return a path as it is written in a folder, by default the working folder.

    On another drive of Windows that is the absolute path.
    """
    try:
        return os.path.relpath(path, start or os.curdir)
    except ValueError:
        return os.path.abspath(path)


def shown(path: str) -> str:
    """Return a path as it is shown to people: relative to the working folder if it lies in it."""
    found = relative(path)
    return path if found.startswith(os.pardir) else found


def is_inside(path: str, folder: str) -> bool:
    """Return whether an absolute path is a folder, or below it."""
    try:
        common = os.path.commonpath([path, folder])
    except ValueError:  # another drive
        return False
    return os.path.normcase(common) == os.path.normcase(os.path.normpath(folder))
