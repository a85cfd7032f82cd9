"""Where the rules are, without loading any of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAXIMUM_FOLDERS = 500
"""More are no rules, but a disk or a whole project."""
FIXTURES = "fixtures"
"""The folder with what rules are tested with: in that of local rules, beside the built-in ones."""


def built_in_folder() -> str:
    """Find the built-in rules in a wheel, in an editable install, and in a plain checkout."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(here, "rules")
    outside = os.path.join(os.path.dirname(os.path.dirname(here)), "rules")
    return inside if os.path.isdir(inside) else outside


def python_files(folder: str) -> Iterator[tuple[str, str]]:
    """Yield each Python file below a folder and its dotted name, in a fixed order; no fixtures.

    Raises ConfigError where there are too many folders, as in all of a disk, or a link leads to
    one again; OSError where one cannot be read.
    """
    yield from _files_below(folder, "", set())


def fixtures_folder(folder: str) -> str:
    """Return where the fixtures of the rules in a folder are."""
    is_built_in = os.path.realpath(folder) == os.path.realpath(built_in_folder())
    return os.path.join(os.path.dirname(folder) if is_built_in else folder, FIXTURES)


def _files_below(folder: str, prefix: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    place = os.path.realpath(folder)
    if place in seen or len(seen) == MAXIMUM_FOLDERS:
        again = f"{folder} leads to {place} again"
        many = f"more than {MAXIMUM_FOLDERS} directories: name the one that contains the rules"
        message = f"rules: {again if place in seen else many}"
        raise ConfigError(message)
    seen.add(place)
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir() and not entry.name.startswith((".", "__")):
            if not prefix and entry.name == FIXTURES:
                continue
            yield from _files_below(entry.path, f"{prefix}{entry.name}.", seen)
        elif entry.name.endswith(".py") and entry.is_file():
            yield entry.path, prefix + entry.name.removesuffix(".py")


def rule_files(folders: tuple[str, ...] = ()) -> list[str]:
    """List the files that decide what the rules do."""
    return [path for folder in (built_in_folder(), *folders) for path, _ in python_files(folder)]
