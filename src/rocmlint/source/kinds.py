"""What the path of a file says about it: its kind, and the package it belongs to."""

from __future__ import annotations

import functools
import os
import re
from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily
from rocmlint.paths import is_inside

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.disk.disk import Disk

ARCHIVE = (
    r"_?(?:legacy|archived?|archives|attic|backups?|bak|deprecated|graveyard|obsolete|old|outdated"
    r"|retired(?:[-_]\w+)?|trash|unused"
    r"|(?:old(?:er)?|previous|deprecated|archived?|unused)[-_]?(?:code|files|scripts|versions?)"
    r"|(?:abandoned|discarded|failed|rejected)[-_]?(?:attempts?|code|experiments?|tries)?)"
)
"""How folders are called, in any case, of what a project keeps, but no longer runs."""
_KINDS = {
    "test": compile_lazily(
        r"(^|/)(tests?|testing|unittests?)/"
        r"|(^|/)((test|smoke)_[^/]*|[^/]*_(tests?|smoke)|conftest)\.pyi?$"
        r"|(^|/)((test|smoke)[-_][^/]*|[^/]*[-_](tests?|smoke))"
        r"\.(ipynb|sh|bash|sbatch|slurm|ps1|bat|cmd)$"
        r"|(^|/)(requirements|constraints|environment|conda)([^/]*[-_.])?tests?\.[a-z]+$"
        r"|(^|/)((Docker|Container)file[-_.]tests?|tests?\.[Dd]ockerfile)$"
    ),
    "benchmark": compile_lazily(
        r"(^|/)(bench|benchmarks?)/|(^|/|_)bench(mark(s|ing)?)?(_[^/]*)?\.pyi?$"
        r"|(^|/|[-_])bench(mark(s|ing)?)?([-_][^/]*)?\.(ipynb|sh|bash|sbatch|slurm|ps1|bat|cmd)$"
    ),
    "example": compile_lazily(r"(^|/)(examples?|tutorials?|demos?|samples?)/"),
    "script": compile_lazily(r"(^|/)(scripts?|tools?|bin)/"),
    "docs": compile_lazily(r"(^|/)docs?/"),
    "archive": compile_lazily(rf"(^|/){ARCHIVE}/", re.IGNORECASE),
    "setup": compile_lazily(r"(^|/)setup\.py$"),
}

_PROJECT_MARKS = (
    *(".git", "pyproject.toml", "rocmlint.toml", ".rocmlint.toml"),
    *("setup.py", "setup.cfg"),
)


@functools.lru_cache(maxsize=65536)
def kinds(path: str) -> frozenset[str]:
    """Return what kinds of file a path names.

    They are test, benchmark, example, script, docs, setup and archive: a folder of what a project
    keeps, but no longer runs. The path is relative to the project, with ``/``: what lies above says
    nothing about the file.
    """
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(path))


def package_of(path: str, exists: Callable[[str], bool]) -> tuple[str, str] | None:
    """Return the top-level package of a file and the folder that holds it, or None for a script.

    ``/w/site-packages/torch/cuda/graphs.py`` gives ``("torch", "/w/site-packages")``.
    """
    folder = os.path.dirname(os.path.abspath(path))
    top = None
    while exists(os.path.join(folder, "__init__.py")):
        top = os.path.basename(folder)
        folder = os.path.dirname(folder)
    return None if top is None else (top, folder)


def place_of(path: str, disk: Disk) -> str:
    """Return the path of a file inside its project, with ``/``.

    The project is the nearest folder above with a mark of one, else the one that holds the
    file's package, else the working folder. What lies above says nothing about the file: a
    checkout below a folder named ``tests`` holds more than tests.
    """
    path = os.path.abspath(path)
    package = package_of(path, disk.exists)
    root = _project(os.path.dirname(path), disk) or (package[1] if package else os.getcwd())
    inside = is_inside(path, root)
    return (os.path.relpath(path, root) if inside else os.path.basename(path)).replace(os.sep, "/")


@functools.lru_cache(maxsize=65536)
def _project(folder: str, disk: Disk) -> str | None:
    if any(disk.exists(os.path.join(folder, mark)) for mark in _PROJECT_MARKS):
        return folder
    parent = os.path.dirname(folder)
    return None if parent == folder else _project(parent, disk)
