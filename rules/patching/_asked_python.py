"""Whether a script copies to where Python itself says that a package is, or else stops."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.rule import Word, compile_lazily

if TYPE_CHECKING:
    from rocmlint.rule import Command, File

    from ._installed_files import Change

_PYTHON = compile_lazily(r"python[\d.]*")
_MASKS = compile_lazily(r"(?<!\|)\|(?!\|)|\|\||;")
"""What hides that a command failed: a pipe, `||`, a later command."""
_DECLARES = compile_lazily(r"\b(?:local|export|declare|readonly|typeset)\b[^\n]*\Z")
"""What hides it, too: `local x=$(...)` succeeds whatever the command does."""
_VARIABLE = compile_lazily(r"\$\{?(\w+)")
_FAILS = compile_lazily(r"\b(?:exit|return)[ \t]+[1-9$]")
_SWITCHES = frozenset({"activate", "deactivate", "workon"})


def python_stands_for(change: Change, asks: re.Pattern[str], file: File, stops: bool) -> bool:
    """Return whether the path of a copy is what Python says of the package, in the same place.

    Where Python fails, the script ends: it ``stops`` at the first failure, or tests the path.
    """
    word = change.place
    if not isinstance(word, Word) or not word.origin:
        return False
    written = f"{word.text} {word.origin}"
    for each in file.parts.commands:
        if each.span >= word.span:
            break
        if not _PYTHON.fullmatch(each.words[0].text.rpartition("/")[2]):
            continue
        code = next((one.text for one in each.words if one.text in written and "_" in one.text), "")
        if not any(change.package in match.groups() for match in asks.finditer(code)):
            continue
        names = {*_VARIABLE.findall(written)}
        if _ends(each, word, names, file, stops) and not _is_elsewhere(each, file):
            return True
    return False


def _ends(asking: Command, word: Word, names: set[str], file: File, stops: bool) -> bool:
    """Return whether the script ends before the copy where Python has failed."""
    start, end = (_offset(each, file) for each in (asking.span[2:], word.span[:2]))
    rest, _, between = file.text[start:end].partition("\n")
    opening = file.text[: _offset(asking.span[:2], file)].rpartition("\n")[2]
    masked = _MASKS.search(rest.replace("2>/dev/null", "")) or _DECLARES.search(opening)
    return (stops and not masked) or any(_is_tested(name, between) for name in names)


def _is_tested(name: str, text: str) -> bool:
    """Return whether a variable is tested, and the script left with an error."""
    for match in re.finditer(rf"(?:\bif\b|\btest\b|\[)[^\n]*\$\{{?{re.escape(name)}\b[^\n]*", text):
        body = text[match.start() :].partition("\nfi")[0]
        block = body if match[0].lstrip().startswith("if") else match[0]
        if _FAILS.search(block):
            return True
    return False


def _is_elsewhere(asking: Command, file: File) -> bool:
    """Return whether another environment is activated after Python was asked."""
    return any(
        each.span > asking.span
        and any(word.text.rpartition("/")[2] in _SWITCHES for word in each.words[:2])
        for each in file.parts.commands
    )


def _offset(place: tuple[int, int], file: File) -> int:
    return file.offset_of(place[0]) + place[1] - 1
