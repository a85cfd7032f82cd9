"""The Dockerfiles of a project that run one of its scripts in the image that they build."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats import format_of
from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Parts

_INTERPRETERS = compile_lazily(r"(?:ba|da|z)?sh|\.|source|python[\d.]*")
"""The programs that run a script which is among their words."""
_STARTERS = frozenset({"exec", "env", "tini", "dumb-init", "gosu", "su-exec"})
"""The programs that start what they are given, also as one of several words."""
_NO_FILE = frozenset({"-c", "-m"})
"""Options of an interpreter with which it runs no script."""
_MAXIMUM_SCRIPT = 100_000
"""Characters: what is longer is no script that starts another one."""
OTHER_PLACE = compile_lazily(r"-m\s+venv\b|\bvirtualenv\b|\buv\s+venv\b|\bconda\s+create\b")
"""What makes an environment that has nothing of the image's."""


class Build(NamedTuple):
    """A Dockerfile, by its name, and its command that runs the script.

    The command is None where the script runs behind the whole build, which may take what it
    installs from one stage to another.
    """

    name: str
    parts: Parts
    command: Command | None


@once_per_file
def builds_that_run(file: File) -> tuple[Build, ...]:
    """Return the builds whose image runs a file: by ENTRYPOINT, CMD or RUN, or by such a script.

    So does the image of a service of Compose that the file is mounted into. Empty for a file that
    makes an environment of its own.
    """
    if _format(file.path) == "dockerfile" or OTHER_PLACE.search(file.text):
        return ()
    folders = dict.fromkeys((file.project.folders[0], file.project.folders[-1]))
    found = (
        each for folder in folders for each in (*_builds_in(folder, file), *_mounts(folder, file))
    )
    return tuple(found)


def _builds_in(folder: str, file: File) -> Iterator[Build]:
    own = os.path.basename(file.path)
    for name in file.names_in(folder):
        if _format(name) != "dockerfile":
            continue
        parts = _parts(os.path.join(folder, name), file)
        brought = {
            os.path.basename(source): os.path.join(folder, source)
            for copy in parts.copies
            for source in copy.sources
        }
        for command in parts.commands:
            ran = _ran(command)
            others = (brought[each] for each in ran - {own} if each in brought)
            if own in ran or any(_runs(each, own, file) for each in others):
                yield Build(name, parts, command)


def _mounts(folder: str, file: File) -> Iterator[Build]:
    """Yield the builds of services that mount the file itself, and no folder that it is in."""
    own = os.path.abspath(file.path)
    for name in file.names_in(folder):
        if _format(name) != "compose":
            continue
        for each in _parts(os.path.join(folder, name), file).mounted:
            sources = (os.path.normpath(os.path.join(folder, source)) for source in each.sources)
            if own in sources:
                path = os.path.normpath(os.path.join(folder, each.dockerfile))
                yield Build(os.path.basename(path), _parts(path, file, "Dockerfile"), None)


def _parts(path: str, file: File, kind: str = "") -> Parts:
    """Return the parts of another file, read as its name says or as one of a kind."""
    from rocmlint.project.inclusions import parts_of  # noqa: PLC0415

    return parts_of(kind or path, file.read(path))


def _ran(command: Command) -> set[str]:
    """Return the names of the scripts that a command may run."""
    program, *words = [os.path.basename(each.text) for each in command.words]
    if program in _STARTERS:
        return {program, *words}
    if not _INTERPRETERS.fullmatch(program):
        return {program}
    options = {each.text for each in command.words[1:3] if each.text.startswith("-")}
    return set() if options & _NO_FILE else {*words}


def _runs(path: str, name: str, file: File) -> bool:
    """Return whether a script of a shell runs another one."""
    if os.path.splitext(path)[1] and _format(path) != "shell":
        return False  # what is installed, such as a wheel, may be long
    script = file.read(path)
    if len(script) > _MAXIMUM_SCRIPT or name not in script:
        return False
    return any(name in _ran(each) for each in _parts(path, file, "script.sh").commands)


def _format(path: str) -> str:
    found = format_of(path)
    return "" if found is None else found.name
