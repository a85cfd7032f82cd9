"""Files of requirements, each with those that it includes."""

from __future__ import annotations

import os
from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.questions import question
from rocmlint.formats import Role, has_role, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rocmlint.disk.disk import DiskView
    from rocmlint.formats.model import Parts

_MAXIMUM_INCLUSIONS = 20


class Listed(NamedTuple):
    """A file that lists requirements; as a ``constraint`` it installs nothing by itself."""

    path: str
    parts: Parts
    constraint: bool = False


@lru_cache(maxsize=256)
def parts_of(path: str, text: str) -> Parts:
    """Return the parts of a file that was read for another's sake: many files share one project."""
    return parse(path, text)


@question
def lists_in(folder: str, view: DiskView) -> tuple[str, ...]:
    """Return the paths of the requirement files in a folder."""
    paths = (os.path.join(folder, name) for name in view.names_in(folder))
    return tuple(path for path in paths if has_role(path, Role.LIST))


@question
def inclusions(path: str, view: DiskView) -> tuple[str, ...]:
    """Return the paths of what a list includes."""
    folder = os.path.dirname(path)
    included = parts_of(path, view.read(path)).inclusions
    return tuple(os.path.normpath(os.path.join(folder, each.path)) for each in included)


def with_inclusions(files: Iterable[Listed], read: Callable[[str], str]) -> Iterator[Listed]:
    """Yield files and those that they include, each once, the included ones last.

    What is included is a list of requirements, whatever its name. ``read`` gives a file's text,
    empty where it cannot be read.
    """
    waiting = deque(files)
    seen = {os.path.normpath(each.path) for each in waiting}
    included = 0
    while waiting:
        file = waiting.popleft()
        yield file
        near = os.path.dirname(file.path)
        for each in file.parts.inclusions:
            path = os.path.normpath(os.path.join(near, each.path))
            if path in seen or "://" in each.path or included == _MAXIMUM_INCLUSIONS:
                continue
            seen.add(path)
            included += 1
            parts = parts_of("requirements.txt", read(path))
            waiting.append(Listed(path, parts, file.constraint or each.constraint))
