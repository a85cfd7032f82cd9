"""Whether a script that copies installed files would stop, or has no doubt where they lie."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.rule import Word, compile_lazily

from ._verified import stops_at_failure

if TYPE_CHECKING:
    from rocmlint.rule import File

    from ._installed_files import Change

_REMOTE = compile_lazily(r"\s*(?:sudo\s+)?(?:ssh|pdsh|parallel-ssh|clush)\b")
_ELSE_ENDS = compile_lazily(r"[^\n|;]*\|\|\s*\{?[^\n]*\b(?:exit|return|die|fail|abort)\b")


def is_elsewhere(change: Change, file: File) -> bool:
    """Copies on other machines (`ssh HOST "cp ..."`), of which the script knows nothing."""
    return _REMOTE.match(file.lines[change.place.span[0] - 1]) is not None


def is_stopping(change: Change, file: File) -> bool:
    """A `cp` to a written path whose failure ends the script: `set -e`, `cp ... || exit 1`."""
    place = change.place
    if not isinstance(place, Word) or place.origin or _makes_folders(file):
        return False
    end = file.offset_of(place.span[2]) + place.span[3] - 1
    return stops_at_failure(file) or _ELSE_ENDS.match(file.text, end) is not None


def is_of_pinned(change: Change, file: File) -> bool:
    """A `cp` over a package of which the same script installs an exact version."""
    name = re.escape(change.package).replace("_", "[-_]")
    pinned = rf"(?i)\binstall\b[^\n]*(?<![\w.-]){name}(?:\[[^]\n]*\])?==\d"
    return isinstance(change.place, Word) and re.search(pinned, file.text) is not None


def _makes_folders(file: File) -> bool:
    """Check whether a script makes folders, so that a wrong path may be there all the same."""
    return any(each.words[0].text == "mkdir" for each in file.parts.commands)
