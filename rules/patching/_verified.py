"""Whether a script looks at the installed files that it has changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats import format_of
from rocmlint.project.packages import known_packages

from ._installed_files import made_folder
from ._patches import has_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Word

    from ._installed_files import Change

_COMPARING = frozenset(
    {"cmp", "diff", "grep", "egrep", "fgrep", "rg", "md5sum", "sha1sum", "sha256sum", "cksum"}
)
_TESTING = frozenset({"pytest", "py.test", "rocmlint"})
_CHECKING_MODULES = frozenset({"pytest", "unittest", "compileall", "py_compile", "rocmlint"})
_STOPS = ("-e", "-eu", "-eux", "-ex", "-euo", "-eo", "-exo", "-euxo", "errexit")
_STOP_BY_THEMSELVES = frozenset(
    {"dockerfile", "makefile", "justfile", "apptainer", "workflow", "cog"}
)
"""Formats whose programs stop at the first command that fails."""


def is_of_the_project(change: Change, file: File) -> bool:
    """Files of a package in the project itself: copying them is how it is installed."""
    return file.is_first_party(change.package)


def is_new_folder(change: Change, file: File) -> bool:
    """Copies into a folder that the script makes itself, and that the package does not have."""
    folder = made_folder(change, file)
    if folder is None:
        return False
    if folder:
        return change.package in known_packages() and not has_folder(change.package, folder, file)
    name = re.escape(change.package).replace("_", "[-_]")
    installs = re.search(rf"(?i)\binstall\b[^\n]*(?<![\w.-]){name}\b", file.text) is not None
    required = bool(file.project.requirements(change.package))
    return not (installs or required or change.package in known_packages())


def is_verified(change: Change, file: File) -> bool:
    """Changes that a later command checks: an import of the package, `cmp`, `grep`, `pytest`."""
    return any(_checks(each, change) for each in _later(change, file))


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


def _checks(command: Command, change: Change) -> bool:
    name = command.words[0].text.rpartition("/")[2]
    words = command.words[1:]
    if name in _TESTING:
        return True
    if name in _COMPARING:
        return _names(words, change)
    if not name.startswith("python") and "python" not in command.words[0].origin:
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
