"""Lists of requirements that earlier commands write or edit: what they hold is unknown."""

from __future__ import annotations

import os
import posixpath
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from rocmlint.formats.shell.folders import entered
from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Span, Word

_EDITORS = frozenset({"sed", "perl", "ed", "patch", "yq", "tee", "curl", "wget"})
"""Programs that write to the files among their words."""
_COPIERS = frozenset({"cp", "mv", "install", "ln"})
"""Programs that write to the last of their words, or into that folder."""
_OUTPUT = compile_lazily(r"(?:-[oO]|--out(?:put)?(?:[-_](?:file|path|document))?)(?:=(.+))?\Z")
_WRITES = frozenset({">", ">|", "&>", "1>"})


def is_written(word: Word, command: Command, file: File) -> bool:
    """Return whether an earlier command, in the same image, writes the list that one reads."""
    own = _place(word.text, command)
    return any(
        first < command.span and _is_same(own, place, word.text, target)
        for (target, place), first in _written(command.step.image, file).items()
    )


@once_per_file
def _written(image: Word | None, file: File) -> dict[tuple[str, str | None], Span]:
    """Return what commands in an image may write: as written, its place, where it is done first."""
    first: dict[tuple[str, str | None], Span] = {}
    for command in file.parts.commands:
        for target in _targets(command) if command.step.image == image else ():
            written = target, _place(target, command)
            first[written] = min(command.span, first.get(written, command.span))
    return first


def _targets(command: Command) -> Iterator[str]:
    """Yield the paths that a command may write."""
    program, *words = [each.text for each in command.words]
    yield from (each.target.text for each in command.redirects if each.operator.strip() in _WRITES)
    for index, word in enumerate(words):
        match = _OUTPUT.match(word)
        if match is not None:
            yield match[1] or (words[index + 1] if index + 1 < len(words) else "")
    name = os.path.basename(program)
    if name in _EDITORS:
        yield from words
    elif name in _COPIERS and len(words) > 1:
        yield words[-1]
        yield from (
            posixpath.join(words[-1], posixpath.basename(each.rstrip("/"))) for each in words[:-1]
        )


def _place(path: str, command: Command) -> str | None:
    """Return the absolute path of a file, None where it is unknown."""
    place = None if "$" in path or "://" in path else entered(command.folder, path)
    return place if place is not None and place.startswith("/") else None


def _is_same(one: str | None, other: str | None, read: str, target: str) -> bool:
    """Return whether two paths may lead to one file; only absolute ones tell."""
    if one is not None and other is not None:
        return fnmatchcase(one, other)
    return fnmatchcase(posixpath.basename(read), posixpath.basename(target))
