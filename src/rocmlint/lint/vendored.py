"""Checkouts and releases of packages inside another project: nobody there would act on findings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.disk.state import data_of, names_in
from rocmlint.lazy import compile_lazily
from rocmlint.project.copies import DISTRIBUTIONS, normalized

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_RELEASE = compile_lazily(r".*-v?\d+(?:-\d+)+\Z")
"""How a folder is called, normalized, that a release was unpacked into: torch-geometric-2.8.0."""
_SETUP = "setup.py"
_PYPROJECT = "pyproject.toml"
_NAMED = compile_lazily(r"\bname\s*=\s*[\"']([\w.-]+)[\"']")
_TABLE = compile_lazily(r"(?:\A|\n)\[(?:project|tool\.poetry)\][ \t]*\n((?:(?!\[).*\n)*)")
_OF_PROJECT = compile_lazily(r"(?i:readme)\b|setup\.(?:py|cfg)\Z|requirements|.*\.(?:py|toml)\Z")
"""What shows that the folders above are those of a project, and no mere heap of checkouts."""


def vendored(folder: str, names: Collection[str], root: str) -> str | None:
    """Return the package that a folder is a checkout of; None for all others.

    ``names`` are those in the folder, ``root`` is the folder above that is linted. A repository of
    its own is none, nor is a package that the project above is about itself.
    """
    if _SETUP not in names and _PYPROJECT not in names:
        return None
    called = normalized(os.path.basename(folder))
    is_release = _RELEASE.match(called) is not None
    package = next((each for each in _names(folder) if is_release or each in DISTRIBUTIONS), None)
    if package is None or package not in called or _is_repository(folder):
        return None
    above = list(_above(folder, root))
    own = any(package in {normalized(os.path.basename(each)), *_names(each)} for each in above)
    inside = any(_OF_PROJECT.match(name) for each in above for name in names_in(each))
    return package if inside and not own else None


def _is_repository(folder: str) -> bool:
    """Return whether a folder is a clone of its own: a submodule has a file of this name."""
    return os.path.isdir(os.path.join(folder, ".git"))


def _above(folder: str, root: str) -> Iterator[str]:
    """Yield the folders above one, up to the root: what lies above that is not asked for."""
    while folder != root and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        yield folder


def _names(folder: str) -> Iterator[str]:
    """Yield what the project files of a folder call the distribution."""
    for match in _NAMED.finditer(_text(folder, _SETUP)):
        yield normalized(match[1])
    table = _TABLE.search(_text(folder, _PYPROJECT))
    named = None if table is None else _NAMED.search(table[1])
    if named is not None:
        yield normalized(named[1])


def _text(folder: str, name: str) -> str:
    return (data_of(os.path.join(folder, name)) or b"").decode("utf-8", "replace")
