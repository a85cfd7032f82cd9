"""What runs before a module does: the packages around it and what they import of their own.

Nothing is run to find out; sources are followed from import to import, below the module's own
top-level package only. A function counts where a name like its own is used by what runs.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .actions import actions
from .effects import Action, Watched
from .reach import Reach, reach_of, used
from .values import Space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..files import Copy  # noqa: TID252 - it has another name where a program imports it

_FILES = 3000
"""How many files are followed at most."""


@dataclass(frozen=True)
class Doubt:
    """A line that may lead the import of a module elsewhere, or change what it has made."""

    place: str
    what: str


@dataclass
class Sources:
    """The sources of a top-level package, each read once."""

    tops: dict[str, Copy]
    """The packages whose place is known already, by their names: what imports take."""
    _spaces: dict[str, Space | None] = field(default_factory=dict)
    _reaches: dict[str, Reach] = field(default_factory=dict)

    def space(self, module: str) -> Space | None:
        """Return what a module's source binds; None where there is no source to be read."""
        if module not in self._spaces:
            self._spaces[module] = self._read(module)
        return self._spaces[module]

    def reach(self, space: Space) -> Reach:
        """Return what runs when a module is imported."""
        if space.module not in self._reaches:
            self._reaches[space.module] = reach_of(space)
        return self._reaches[space.module]

    def _read(self, module: str) -> Space | None:
        origin, locations = self._place(module)
        if origin is None or not origin.endswith(".py"):
            return None
        try:
            with open(origin, "rb") as file:
                tree = ast.parse(file.read())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return Space(module, origin, tree, locations)

    def _place(self, module: str) -> tuple[str | None, tuple[str, ...] | None]:
        if module in self.tops:
            return self.tops[module].origin, self.tops[module].locations
        parent, _, name = module.rpartition(".")
        if not parent:
            return None, None
        for folder in self._place(parent)[1] or ():
            inner = os.path.join(folder, name)
            if os.path.isfile(os.path.join(inner, "__init__.py")):
                return os.path.join(inner, "__init__.py"), (inner,)
            if os.path.isfile(f"{inner}.py"):
                return f"{inner}.py", None
            if os.path.isdir(inner):
                return None, (inner,)
        return None, None


def doubts(
    module: str,
    chain: Sequence[Copy],
    sources: Sources,
    takes: Callable[[str, list[str]], str | None],
) -> list[Doubt]:
    """Return what speaks against an import of a module taking, and keeping, its file.

    ``chain`` are the copies of its parents and of itself, the outermost first, and ``takes`` gives
    the file that is found for a submodule in folders.
    """
    parents = {each.module: each for each in chain[:-1]}
    following = dict(zip(parents, chain[1:]))  # noqa: B905 - Python 3.9
    watched = Watched(
        module,
        tuple(parents),
        lambda parent, folders: (
            takes(following[parent].module, folders) == following[parent].origin
            and following[parent].origin is not None
        ),
        lambda parent: following[parent].origin is not None,
        sources.space,
        lambda: any(
            module in sources.reach(each).texts
            or (each.module in parents and module.rpartition(".")[2] in sources.reach(each).texts)
            for each in running
        ),
    )
    if not parents:
        return []
    running = list(_running(module, watched.parents, sources))
    reached = _reached([sources.reach(each) for each in running])
    found: list[Doubt] = []
    for each in running:
        if _may_act(each, watched, sources):
            found += [_doubt(each, it) for it in actions(each, watched, reached)]
    return list(dict.fromkeys(found))


def _doubt(space: Space, action: Action) -> Doubt:
    return Doubt(f"{space.origin}:{action.line}", action.what)


def _may_act(space: Space, watched: Watched, sources: Sources) -> bool:
    """Return whether a file has a word for anything that matters; most have none."""
    reach, wanted = sources.reach(space), {watched.module.rpartition(".")[2], *_WORDS}
    return space.module in watched.parents or bool((reach.words | reach.texts) & wanted)


_WORDS = {
    "__path__",
    "submodule_search_locations",
    "modules",
    "meta_path",
    "path_hooks",
    "path_importer_cache",
    "machinery",
    "_bootstrap",
    "_bootstrap_external",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "_imp",
    "zipimport",
    "zipimporter",
    "__import__",
    "import_module",
}


def _running(module: str, parents: Sequence[str], sources: Sources) -> Iterator[Space]:
    """Yield the files that run first, each once, the packages in front."""
    top = module.partition(".")[0]
    waiting, seen = list(parents), set(parents)
    while waiting and len(seen) < _FILES:
        space = sources.space(waiting.pop(0))
        if space is None:
            continue
        yield space
        for name in sorted(sources.reach(space).imports):
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                each = ".".join(parts[:end])
                if parts[0] == top and each not in seen and each != module:
                    seen.add(each)
                    waiting.append(each)


def _reached(reaches: list[Reach]) -> set[str]:
    """Return the names that code which runs has for something."""
    names = {name for each in reaches for name in each.names}
    used([it for each in reaches for it in each.functions], names)
    return names
