"""What leaves it open whether it matters that nothing checks a change of installed files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.project import platforms
from rocmlint.rule import Word, compile_lazily

from ._installed_files import ASKED_OF, made_folder
from ._verified import stops_at_failure

if TYPE_CHECKING:
    from rocmlint.rule import File

    from ._installed_files import Change

_ELSE_ENDS = compile_lazily(r"[^\n|;]*\|\|\s*\{?[^\n]*\b(?:exit|return|die|fail|abort)\b")


def is_for_others(change: Change, file: File) -> bool:
    """The file names another platform, or neither it nor its project names ROCm or an AMD GPU."""
    del change
    named = {platforms.of_name(file.place), platforms.of_text(file.text)} - {""}
    return not named & {"rocm", "mixed"} and (named == {"other"} or not file.project.is_rocm)


def is_asked_of_python(change: Change, file: File) -> bool:
    """Python itself says where the package is (`__file__`, `__path__`)."""
    del file
    place = change.place
    written = f"{place.text} {place.origin}" if isinstance(place, Word) else ""
    return any(change.package in match.groups() for match in ASKED_OF.finditer(written))


def is_stopping(change: Change, file: File) -> bool:
    """The script ends where `cp` fails: `set -e`, `cp ... || exit 1`."""
    place = change.place
    if change.tool != "copy" or not isinstance(place, Word):
        return False
    if made_folder(change, file) is not None:
        return False  # cp does not fail in the wrong environment either
    end = file.offset_of(place.span[2]) + place.span[3] - 1
    return stops_at_failure(file) or _ELSE_ENDS.match(file.text, end) is not None


def is_of_pinned(change: Change, file: File) -> bool:
    """A `cp` over a package of which the same script installs an exact version."""
    name = re.escape(change.package).replace("_", "[-_]")
    pinned = rf"(?i)\binstall\b[^\n]*(?<![\w.-]){name}(?:\[[^]\n]*\])?==\d"
    is_copy = change.tool == "copy" and isinstance(change.place, Word)
    return is_copy and re.search(pinned, file.text) is not None
