"""Lists of requirements that earlier commands write or edit: what they hold is unknown."""

from __future__ import annotations

import os
import posixpath
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from rocmlint.formats.shell.folders import entered
from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule import Command, Word

_EDITORS = frozenset({"sed", "perl", "ed", "patch", "yq", "tee", "curl", "wget"})
"""Programs that write to the files among their words."""
_COPIERS = frozenset({"cp", "mv", "install", "ln"})
"""Programs that write to the last of their words, or into that folder."""
_OUTPUT = compile_lazily(r"(?:-[oO]|--out(?:put)?(?:[-_](?:file|path|document))?)(?:=(.+))?\Z")
_WRITES = frozenset({">", ">|", "&>", "1>"})


def is_written(word: Word, command: Command, before: Iterable[Command]) -> bool:
    """Return whether a command ``before``, in the same image, writes the list that one reads."""
    own = _place(word.text, command)
    return any(
        _is_same(own, _place(target, each), word.text, target)
        for each in before
        if each.step.image == command.step.image
        for target in _targets(each)
    )


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
