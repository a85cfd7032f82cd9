"""Checkouts and releases of packages inside another project: nobody there would act on findings."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.repository import repositories
from rocmlint.disk.state import data_of, names_in
from rocmlint.lazy import compile_lazily
from rocmlint.lint.discovery.unpacked import is_unpacked
from rocmlint.project.copies import DISTRIBUTIONS, PACKAGES, UNPACKED, normalized

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rocmlint.disk.files import Files

_RELEASE = compile_lazily(r".*-v?\d+(?:-\d+)+\Z")
"""How a folder is called, normalized, that a release was unpacked into: torch-geometric-2.8.0."""
_SETUP = "setup.py"
_PYPROJECT = "pyproject.toml"
_INIT = "__init__.py"
_INSTALLED = (".dist-info", ".egg-info")
_VERSION = compile_lazily(
    r"^(?:__)?version(?:__)?\b[^=\n]*=(?:[ \t]*\w+[ \t]*=)*[ \t]*[\"']v?\d+\.\d", re.MULTILINE
)
_LISTS = compile_lazily(
    r"(?i:setup\.(?:py|cfg)|pyproject\.toml|pkg-info|pipfile|.*require.*\.(?:txt|in)"
    r"|.*env\w*\.ya?ml)\Z"
)
_README = compile_lazily(r"(?i:readme)\b")
_TITLE = compile_lazily(r"^[ \t]*(?:#+[ \t]|<h1).*|^.+\n(?:===|---)", re.MULTILINE)
"""The first heading of a document."""
_NAMED = compile_lazily(r"\bname\s*=\s*[\"']([\w.-]+)[\"']")
_TABLE = compile_lazily(r"(?:\A|\n)\[(?:project|tool\.poetry)\][ \t]*\n((?:(?!\[).*\n)*)")
_OF_PROJECT = compile_lazily(r"(?i:readme)\b|setup\.(?:py|cfg)\Z|requirements|.*\.(?:py|toml)\Z")
"""What shows that the folders above are those of a project, and no mere heap of checkouts."""


def vendored(folder: str, names: Collection[str], root: str, files: Files) -> str | None:
    """Return what of others a folder is a checkout, a copy or an archive of; None for all others.

    ``names`` are those in the folder, ``root`` is the folder above that is linted.
    """
    archived = _archived(folder, root, files)
    if archived is not None:
        return f"an unpacked archive of {archived}"
    if _SETUP in names or _PYPROJECT in names:
        package, kind = _checkout(folder, root, files), "checkout"
    else:
        package, kind = _copy(folder, names, root, files), "copy"
    return None if package is None else f"a {kind} of {package}"


def _checkout(folder: str, root: str, files: Files) -> str | None:
    """Return the package that a folder is a checkout of.

    A repository of its own is none, nor is a package that the project above is about itself.
    """
    called = normalized(os.path.basename(folder))
    is_release = _RELEASE.match(called) is not None
    package = next(
        (each for each in _names(folder, files) if is_release or each in DISTRIBUTIONS), None
    )
    if package is None or package not in called or _is_repository(folder, files):
        return None
    above = list(_above(folder, root))
    own = any(
        package in {normalized(os.path.basename(each)), *_names(each, files)} for each in above
    )
    inside = any(_OF_PROJECT.match(name) for each in above for name in names_in(each, files))
    return package if inside and not own else None


def _copy(folder: str, names: Collection[str], root: str, files: Files) -> str | None:
    """Return the package that a folder holds alone, with its version, in a project of others.

    What the project requires is not what the copy needs: it is for an environment of its own. A
    part of another package is not a copy, nor is what the project ships, requires or is about.
    """
    called = os.path.basename(folder)
    package = PACKAGES.get(called)
    if (
        package is None
        or _INIT not in names
        or not any(map(_says_version, _version_texts(folder, files)))
    ):
        return None
    beside = names_in(os.path.dirname(folder), files)
    if _INIT in beside or any(each.endswith(_INSTALLED) for each in beside):
        return None
    if not any(
        _OF_PROJECT.match(name) for each in _above(folder, root) for name in names_in(each, files)
    ):
        return None
    words = {called, package, called.replace("_", "-")}
    told = "\n".join(_told_above(folder, root, files))
    return None if any(each in told for each in words) else package


def _archived(folder: str, root: str, files: Files) -> str | None:
    """Return the repository that an archive was unpacked of: none that the project is about."""
    unpacked = UNPACKED.match(os.path.basename(folder))
    if unpacked is None or _is_repository(folder, files):
        return None
    name, above = unpacked[1], list(_above(folder, _repository(root, files)))
    titles = (title for each in above for title in (*_titles(each, files), *_names(each, files)))
    is_own = any(_letters(name) in _letters(title) for title in titles)
    return name if not is_own and is_unpacked(folder, above[-1], files) else None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _version_texts(folder: str, files: Files) -> Iterator[str]:
    """Yield the texts of the modules in which a package says its version."""
    for name in ("_version.py", "version.py", _INIT):
        yield _text(folder, name, files)


def _says_version(text: str) -> bool:
    return _VERSION.search(text) is not None


def _told_above(folder: str, root: str, files: Files) -> Iterator[str]:
    """Yield in lower case what is told of the projects above: names, titles, requirements.

    Whichever folder is linted, all of the repository counts.
    """
    for above in _above(folder, _repository(root, files)):
        yield from _titles(above, files)
        for name in names_in(above, files):
            if _LISTS.match(name):
                yield _text(above, name, files).lower()


def _titles(folder: str, files: Files) -> Iterator[str]:
    """Yield in lower case how a folder is called, and the first headings of what documents it."""
    yield os.path.basename(folder).lower()
    for name in names_in(folder, files):
        title = _TITLE.search(_text(folder, name, files)) if _README.match(name) else None
        yield title[0].lower() if title else ""


def _repository(folder: str, files: Files) -> str:
    """Return the nearest folder, from one upwards, that is a repository; else the folder."""
    return next(repositories(folder, files), folder)


def _is_repository(folder: str, files: Files) -> bool:
    """Return whether a folder is a clone of its own: a submodule has a file of this name."""
    return files.is_folder(os.path.join(folder, ".git"))


def _above(folder: str, root: str) -> Iterator[str]:
    """Yield the folders above one, up to the root: what lies above that is not asked for."""
    while folder != root and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        yield folder


def _names(folder: str, files: Files) -> Iterator[str]:
    """Yield what the project files of a folder call the distribution."""
    for match in _NAMED.finditer(_text(folder, _SETUP, files)):
        yield normalized(match[1])
    table = _TABLE.search(_text(folder, _PYPROJECT, files))
    named = None if table is None else _NAMED.search(table[1])
    if named is not None:
        yield normalized(named[1])


def _text(folder: str, name: str, files: Files) -> str:
    return (data_of(os.path.join(folder, name), files) or b"").decode("utf-8", "replace")
