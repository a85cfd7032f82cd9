"""The Dockerfiles of a project that run one of its scripts in the image that they build."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats import format_of
from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Parts

_RUNS = compile_lazily(
    r"(?:ba|da|z)?sh|\.|source|exec|env|tini|dumb-init|gosu|su-exec|python[\d.]*"
)
"""The programs that run the script that they are given."""
OTHER_PLACE = compile_lazily(r"-m\s+venv\b|\bvirtualenv\b|\buv\s+venv\b|\bconda\s+create\b")
"""What makes an environment that has nothing of the image's."""


class Build(NamedTuple):
    """A Dockerfile, by its name, and its command that runs the script."""

    name: str
    parts: Parts
    command: Command


@once_per_file
def builds_that_run(file: File) -> tuple[Build, ...]:
    """Return the builds whose image runs a file: by ENTRYPOINT, CMD or RUN, or by such a script.

    Empty for a file that makes an environment of its own.
    """
    if _is_dockerfile(file.path) or OTHER_PLACE.search(file.text):
        return ()
    folders = dict.fromkeys((file.project.folders[0], file.project.folders[-1]))
    return tuple(each for folder in folders for each in _builds_in(folder, file))


def _builds_in(folder: str, file: File) -> Iterator[Build]:
    from rocmlint.project.inclusions import parts_of  # noqa: PLC0415

    own = os.path.basename(file.path)
    for name in filter(_is_dockerfile, file.names_in(folder)):
        path = os.path.join(folder, name)
        parts = parts_of(path, file.read(path))
        brought = {
            os.path.basename(source): os.path.join(folder, source)
            for copy in parts.copies
            for source in copy.sources
        }
        for command in parts.commands:
            ran = _ran(command)
            others = (brought[each] for each in ran - {own} if each in brought)
            if own in ran or any(_runs(file.read(each), own) for each in others):
                yield Build(name, parts, command)


def _ran(command: Command) -> set[str]:
    """Return the names of the scripts that a command may run."""
    words = [os.path.basename(each.text) for each in command.words]
    return {*words} if _RUNS.fullmatch(words[0]) else {words[0]}


def _runs(script: str, name: str) -> bool:
    """Return whether a script runs another one."""
    from rocmlint.project.inclusions import parts_of  # noqa: PLC0415

    return any(name in _ran(each) for each in parts_of("script.sh", script).commands)


def _is_dockerfile(path: str) -> bool:
    found = format_of(path)
    return found is not None and found.name == "dockerfile"
