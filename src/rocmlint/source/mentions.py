"""Where the names of a file occur, and whether an expression does: searched once for all rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.source.facts import once_per_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.source.file import File

_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


def mentions(name: str, file: File) -> Sequence[int]:
    """Return the offsets in the code where a name begins an expression: no attribute, no part."""
    return _mentioned(file).get(name, ())


@once_per_file
def occurs(pattern: re.Pattern[str], file: File) -> bool:
    """Return whether a regular expression is found in the text of a file."""
    return pattern.search(file.text) is not None


@once_per_file
def _mentioned(file: File) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for match in _NAME.finditer(file.code):
        found.setdefault(match[0], []).append(match.start())
    return found
