"""Projects of others that a repository holds copies of, by the licenses that lie in them."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.questions import question
from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from rocmlint.disk.disk import DiskView
    from rocmlint.source.file import File

_LICENSE = compile_lazily(r"(?i:(?:un)?licen[cs]e|copying)(?:[-_.]\w+)*\Z")
_OF_PROJECT = compile_lazily(r"(?i:readme)\b|setup\.(?:py|cfg)\Z|pyproject\.toml\Z")
_KIND = compile_lazily(r"Apache License|MIT License|GNU \w+|Mozilla Public|BSD", re.IGNORECASE)
_HOLDER = compile_lazily(
    r"copyright\s+(?:\(c\)|\u00a9)?[\s\d,()-]*([^\n.,()]*[a-z][^\n.,()]*)", re.IGNORECASE
)
_NOBODY = compile_lazily(
    r"\[|\bowner\b|\bnotice\b|\blicense|\bholders?\b|\bstatement", re.IGNORECASE
)
"""What stands behind the word where the text of a license speaks of copyright."""


def is_copied(file: File) -> bool:
    """Return whether a file lies in a copy of another project: a folder below the repository's."""
    return copied_project(file) != ""


def copied_project(file: File) -> str:
    """Return the folder of the copy of another project that a file lies in, "" for none."""
    return copied_project_around(os.path.dirname(os.path.abspath(file.path)), file)


def copied_project_around(place: str, file: File) -> str:
    """Return the copy of another project that a folder of the repository is, or lies in."""
    return _copy_around(place, file.project.folders[-1], file)


@question
def _copy_around(place: str, root: str, view: DiskView) -> str:
    """Return the copy of another project that a folder of the repository is, or lies in.

    The copy has a license and says what it is. That license names other holders than that of the
    repository, or is of another kind where it names nobody. Where the repository has none, it is
    the only one around: parts of a project have the license of the whole, or each the same.
    """
    if not view.exists(os.path.join(root, ".git")):
        return ""  # it may be a heap of checkouts
    own = _licenses(root, view)
    folder = place
    while folder.startswith(os.path.join(root, "")):
        names = view.names_in(folder)
        if any(_OF_PROJECT.match(each) for each in names):
            found = _licenses(folder, view)
            if found and (_is_of_others(found, own) if own else _is_alone(folder, found, view)):
                return folder
        folder = os.path.dirname(folder)
    return ""


def _licenses(folder: str, view: DiskView) -> str:
    """Return the text of the licenses in a folder, "" for none."""
    names = sorted(each for each in view.names_in(folder) if _LICENSE.match(each))
    paths = (os.path.join(folder, each) for each in names)
    return "\n".join(view.read(each) for each in paths if view.is_file(each)).strip()


def _is_alone(folder: str, found: str, view: DiskView) -> bool:
    """Return whether no folder beside has the same license."""
    above, own = os.path.split(folder)
    others = (os.path.join(above, each) for each in view.names_in(above) if each != own)
    return all(_licenses(each, view) != found for each in others)


def _is_of_others(found: str, own: str) -> bool:
    """Return whether a license is not that of the same people."""
    holders = _holders(found)
    if found == own or holders:
        return bool(holders - _holders(own))
    kinds = [{each.lower() for each in _KIND.findall(text)} for text in (found, own)]
    return bool(kinds[0] and kinds[1]) and not kinds[0] & kinds[1]


def _holders(text: str) -> set[str]:
    found = (each.strip().lower() for each in _HOLDER.findall(text))
    return {each for each in found if not _NOBODY.search(each)}
