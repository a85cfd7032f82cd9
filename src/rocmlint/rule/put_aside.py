"""Files that their project has put aside: kept for reference, and used by nothing else in it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.questions import question
from rocmlint.lazy import compile_lazily
from rocmlint.project.texts import readmes_in, texts_with
from rocmlint.rule.closed_projects import is_distributed, is_test, is_whole
from rocmlint.rule.copied_projects import copied_project
from rocmlint.source.facts import once_per_file
from rocmlint.source.kinds import ARCHIVE

if TYPE_CHECKING:
    from rocmlint.disk.disk import DiskView
    from rocmlint.source.file import File

_FOLDER = compile_lazily(
    rf"{ARCHIVE}|old[_-].*|.*[_-](?:old|legacy|archived?|deprecated|backup|bak|unused)",
    re.IGNORECASE,
)
"""How archives are called, and what may be one: folders, and modules without their ending."""
_GIVEN_UP = compile_lazily(
    r"(?i)\b(?:this|the) (?:script|file|module|code|program|project|repo(?:sitory)?)"
    r" (?:is|has been) (?:now )?(?:archived|deprecated|obsolete|outdated|unmaintained"
    r"|no longer (?:actively |being )?(?:developed|maintained|needed|supported|updated|used)"
    r"|not (?:actively |currently )?(?:used|maintained|working))"
)
_HEAD = 1000
"""Characters at the top in which a file says what has become of it."""
_DOCUMENTS = (".md", ".rst", ".ipynb")
_RUNS = r"\b(?:python[\d.]*|bash|sh|torchrun|deepspeed|launch|pytest|cd)\b[^\n]*"
"""What stands in a line of a document that runs a program."""


@once_per_file
def is_put_aside(source: File) -> bool:
    """Check whether a file says that it is given up, or is called like an archive, and unused.

    So it is where the README of the project says that nobody maintains that. A folder around the
    file may be called so, too. Neither code nor scripts outside of that folder name it, nor does a
    command of a document. What a package that users install holds under such a name is deprecated,
    and used; an archive that is named to be linted is linted as other code.
    """
    path, root = os.path.abspath(source.path), source.project.folders[-1]
    if is_given_up(source.text) or _is_given_up_as_a_whole(root, source):
        return True
    aside = _put_aside(path, root) if is_whole(source) and not source.settings.archived else ""
    if not aside or is_test(path, root) or is_distributed(source):
        return False
    return not is_used_outside(aside, aside, source)


def is_aside(found: object, file: File) -> bool:
    """Files that say that they are given up, or are called `legacy`, `old` or the like, unused."""
    del found
    return is_put_aside(file)


def is_kept_only(found: object, source: File) -> bool:
    """Files that are put aside, and copies of other projects that nothing uses."""
    del found
    return is_put_aside(source) or is_in_unused_copy(source)


def is_given_up(text: str) -> bool:
    """Return whether a file says at its top that it is deprecated, obsolete or the like."""
    return _GIVEN_UP.search(text, 0, _HEAD) is not None


@question
def _is_given_up_as_a_whole(root: str, view: DiskView) -> bool:
    return any(is_given_up(view.read(each)) for each in readmes_in(root, view))


@once_per_file
def is_in_unused_copy(source: File) -> bool:
    """Check whether a file lies in a copy of another project, and nothing outside names it."""
    folder = copied_project(source)
    return folder != "" and not is_used_outside(os.path.abspath(source.path), folder, source)


def _put_aside(path: str, root: str) -> str:
    """Return the outermost folder around a file, else the file, that is called so; "" if none."""
    parts = os.path.relpath(path, root).split(os.sep)
    for count, part in enumerate(parts, 1):
        if _FOLDER.fullmatch(os.path.splitext(part)[0] if count == len(parts) else part):
            return os.path.join(root, *parts[:count])
    return ""


def is_used_outside(path: str, folder: str, source: File) -> bool:
    """Return whether code, a script or a command of a document outside of a folder names a path."""
    root = source.project.folders[-1]
    name = re.escape(os.path.splitext(os.path.basename(path))[0])
    imported = rf"\b(?:from|import)\b[^\n#]*\b{name}\b|[\"'][^\"'\n]*\b{name}(?:[./\\]|\.py\b)"
    written = rf"(?<![\w-]){name}(?:/|\.py\b)"
    within = (folder, os.path.join(folder, ""))
    if any(not each.startswith(within) for each in source.modules_with(root, (imported,))):
        return True
    named = (each for each in texts_with(root, written, source) if not each.startswith(within))
    return any(
        not each.endswith(_DOCUMENTS) or each in texts_with(root, f"{_RUNS}{written}", source)
        for each in named
    )
