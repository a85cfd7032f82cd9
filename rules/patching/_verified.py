"""Whether a script looks at the installed files that it has changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats import format_of
from rocmlint.rule import compile_lazily

from ._asked_python import python_stands_for
from ._installed_files import ASKED_OF, brought_by, brought_into, needed_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Word

    from ._installed_files import Brought, Change

_COMPARING = frozenset(
    {"cmp", "diff", "grep", "egrep", "fgrep", "rg", "md5sum", "sha1sum", "sha256sum", "cksum"}
)
_TESTING = frozenset({"pytest", "py.test", "rocmlint"})
_CHECKING_MODULES = frozenset({"pytest", "unittest", "compileall", "py_compile", "rocmlint"})
_STOPS = ("-e", "-eu", "-eux", "-ex", "-euo", "-eo", "-exo", "-euxo", "errexit")
_ENDS = compile_lazily(r"[ \t]*(?:\\[ \t]*\r?\n[ \t]*)*(?:(?P<and>&&)|\r?\n|#|\Z)")
_STAGE = compile_lazily(r"^[ \t]*FROM[ \t]", re.MULTILINE | re.IGNORECASE)
_STOP_BY_THEMSELVES = frozenset(
    {"dockerfile", "makefile", "justfile", "apptainer", "workflow", "cog"}
)
"""Formats whose programs stop at the first command that fails."""


def is_of_the_project(change: Change, file: File) -> bool:
    """Files of a package in the project itself: copying them is how it is installed."""
    return file.is_first_party(change.package)


def is_verified(change: Change, file: File) -> bool:
    """Changes that a later command checks: an import of the package, `cmp`, `grep`, `pytest`."""
    return any(_checks(each, change) for each in _later(change, file))


def is_met(change: Change, file: File) -> bool:
    """Copies beside other files of the package, without which a later command stops the build.

    Files that were copied there do not count: what a copy has brought proves nothing.
    """
    if change.brought is None:
        return False
    package, brought = change.brought.target[:2], list(_brought(file))
    return stops_at_failure(file) and any(
        path[:2] == package and not any(each.may_be(path) for each in brought)
        for command in _later(change, file)
        if _decides(command, file) and not _is_in_other_stage(command, change, file)
        for path in needed_by(command)
    )


def is_asked_of_python(change: Change, file: File) -> bool:
    """Paths that Python gives (`__file__`, `__path__`) in a script that ends where it cannot."""
    return python_stands_for(change, ASKED_OF, file, stops=stops_at_failure(file))


def is_stopped(change: Change, file: File) -> bool:
    """A `patch` that stops the build or the script if it fails, as with `set -e`."""
    return change.tool == "patch" and stops_at_failure(file)


def _later(change: Change, file: File) -> Iterator[Command]:
    behind = change.place.span[2:]
    return (each for each in file.parts.commands if each.span[:2] >= behind)


def stops_at_failure(file: File) -> bool:
    """Return whether the first command that fails stops the rest."""
    return _stops_by_itself(file) or any(
        each.words[0].text == "set" and any(word.text in _STOPS for word in each.words[1:])
        for each in file.parts.commands
    )


def _stops_by_itself(file: File) -> bool:
    found = format_of(file.path, file.text)
    return found is not None and found.name in _STOP_BY_THEMSELVES


def _brought(file: File) -> Iterator[Brought]:
    """Yield what is copied into installed packages anywhere in a file."""
    found = [*map(brought_by, file.parts.commands), *map(brought_into, file.parts.copies)]
    yield from (each for each in found if each is not None)


def _decides(command: Command, file: File) -> bool:
    """Return whether a failing command ends the rest: no `||`, `;` or pipe, not in a condition.

    `&&` hides it from `set -e`, but not from what runs the whole line.
    """
    if command.branches:
        return False
    rest = _ENDS.match(file.text, _offset(command.span[2:], file))
    return rest is not None and (not rest["and"] or _stops_by_itself(file))


def _is_in_other_stage(command: Command, change: Change, file: File) -> bool:
    start, end = (_offset(each, file) for each in (change.place.span[2:], command.span[:2]))
    return _STAGE.search(file.text, start, end) is not None


def _offset(place: tuple[int, int], file: File) -> int:
    return file.offset_of(place[0]) + place[1] - 1


def _checks(command: Command, change: Change) -> bool:
    name = command.words[0].text.rpartition("/")[2]
    words = command.words[1:]
    if name in _TESTING:
        return True
    if name in _COMPARING:
        return _names(words, change)
    if not name.startswith("python"):
        return False
    if not words or words[0].text == "-":
        return True  # a program that is piped in
    if words[0].text == "-m" and len(words) > 1:
        return words[1].text in _CHECKING_MODULES
    return words[0].text == "-c" and _names(words, change)


def _names(words: tuple[Word, ...], change: Change) -> bool:
    """Return whether a command names what was changed, or a variable that may lead there."""
    text = " ".join(f"{each.text} {each.origin}" for each in words)
    return change.package in text or bool(change.name and change.name in text)
