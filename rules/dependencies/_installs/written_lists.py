"""Lists of requirements that earlier commands write or edit: what they hold is unknown."""

from __future__ import annotations

import posixpath
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING

from rocmlint.rule import once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Word

_EDITORS = frozenset({"sed", "perl", "ed", "patch", "yq", "tee", "curl", "wget"})
"""Programs that write to the files among their words."""
_COPIERS = frozenset({"cp", "mv", "install", "ln"})
"""Programs that write to the last of their words, or into that folder."""
_OUTPUT = ("-o", "-O", "--output", "--output-file", "--out")
_WRITES = frozenset({">", ">|", "&>", "1>"})


def is_written(word: Word, command: Command, file: File) -> bool:
    """Return whether an earlier command, in the same image, writes a list of that name."""
    name = posixpath.basename(word.text)
    return any(
        each.span < command.span
        and each.step.image == command.step.image
        and any(fnmatchcase(name, target) for target in targets)
        for each, targets in _writing(file)
    )


@once_per_file
def _writing(file: File) -> list[tuple[Command, set[str]]]:
    """Return the commands that write files, and the names of these."""
    found = [(each, {*map(posixpath.basename, _targets(each))}) for each in file.parts.commands]
    return [(each, targets) for each, targets in found if targets]


def _targets(command: Command) -> Iterator[str]:
    """Yield the paths that a command may write."""
    program, *words = [each.text for each in command.words]
    yield from (each.target.text for each in command.redirects if each.operator.strip() in _WRITES)
    name = posixpath.basename(program)
    for word, following in pairwise([*words, ""]):
        option, _, value = word.partition("=")
        if option in _OUTPUT:
            yield value or following
    if name in _EDITORS:
        yield from words
    elif name in _COPIERS:
        yield from words if words[-1:] and words[-1].endswith("/") else words[-1:]
