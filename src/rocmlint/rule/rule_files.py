"""Where the rules are, without loading any of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def built_in_folder() -> str:
    """Find the built-in rules in a wheel, in an editable install, and in a plain checkout."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(here, "rules")
    outside = os.path.join(os.path.dirname(os.path.dirname(here)), "rules")
    return inside if os.path.isdir(inside) else outside


def python_files(folder: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield each Python file below a folder and its dotted name, in a fixed order."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir() and not entry.name.startswith((".", "__")):
            yield from python_files(entry.path, f"{prefix}{entry.name}.")
        elif entry.name.endswith(".py"):
            yield entry.path, prefix + entry.name.removesuffix(".py")


def rule_files(folders: tuple[str, ...] = ()) -> list[str]:
    """List the files that decide what the rules do."""
    return [path for folder in (built_in_folder(), *folders) for path, _ in python_files(folder)]
