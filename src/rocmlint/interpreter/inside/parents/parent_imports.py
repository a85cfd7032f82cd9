"""What runs before a module does: the packages around it and what they import of their own.

Nothing is run to find out; sources are followed from import to import: all below the module's own
top-level package, and what those import directly of other packages, but not of the standard
library. A function counts where a name like its own is used by what runs.
"""

from __future__ import annotations

import ast
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..imports.bytecode import execution_of, runs_bytecode
from ..imports.files import ModuleCopy, text_of
from .actions import actions
from .reach import Reach, reach_of, used
from .values import Space, Watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_FILES = 3000
"""How many files are followed at most."""


@dataclass(frozen=True)
class Doubt:
    """A line that may lead the import of a module elsewhere, or change what it has made."""

    place: str
    what: str


@dataclass
class Sources:
    """The sources of packages, each read once."""

    find: Callable[[str], list[ModuleCopy]]
    """Returns what an import takes for a top-level module, last."""
    known: dict[str, ModuleCopy | None] = field(default_factory=dict)
    """The modules whose place is known: what imports take."""
    _spaces: dict[str, Space | None] = field(default_factory=dict)
    _reaches: dict[str, Reach] = field(default_factory=dict)

    def space(self, module: str) -> Space | None:
        """Return what a module's source binds; None where there is no source to be read."""
        space = self.opened(module)
        return space.bind() if space else None

    def opened(self, module: str) -> Space | None:
        """Return the same, of which it need not be known yet what binds its names."""
        if module not in self._spaces:
            self._spaces[module] = self._read(module)
        return self._spaces[module]

    def reach(self, space: Space) -> Reach:
        """Return what runs when a module is imported."""
        return self._reaches[space.module]

    def _read(self, module: str) -> Space | None:
        copy = self._place(module)
        if copy is None or copy.kind not in {"source", "zip"} or copy.origin is None:
            return None
        try:
            space = Space(module, copy.origin, ast.parse(text_of(copy)), copy.locations)
            self._reaches[module] = reach_of(space)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return space

    def _place(self, module: str) -> ModuleCopy | None:
        """Find a module below its package, the file of which imports take."""
        parent, _, name = module.rpartition(".")
        if module not in self.known and not parent:
            found = [] if _is_of_python(module) else self.find(module)
            self.known[module] = found[-1] if found else None
        elif module not in self.known:
            around = self._place(parent)
            for folder in (around.locations if around else None) or ():
                for path, locations in _places(os.path.join(folder, name)):
                    self.known[module] = ModuleCopy(module, "source", path, "", None, locations)
                    return self.known[module]
        return self.known.get(module)


def _is_of_python(module: str) -> bool:
    """Return whether a top-level module is one of the standard library."""
    if sys.version_info >= (3, 10):  # noqa: UP036 - Python 3.9 has no such list
        return module in sys.stdlib_module_names
    library = os.path.dirname(os.__file__)
    return module in sys.builtin_module_names or any(
        os.path.exists(os.path.join(library, it)) for it in (module, f"{module}.py")
    )


def _places(stem: str) -> Iterator[tuple[str | None, tuple[str, ...] | None]]:
    """Yield the file of a package or of a module, or the folder of a namespace."""
    if os.path.isfile(os.path.join(stem, "__init__.py")):
        yield os.path.join(stem, "__init__.py"), (stem,)
    elif os.path.isfile(f"{stem}.py"):
        yield f"{stem}.py", None
    elif os.path.isdir(stem):
        yield None, (stem,)


def doubts(
    module: str,
    chain: Sequence[ModuleCopy],
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
        lambda: any(module in sources.reach(each).imports for each in running),
    )
    sources.known.update(parents)
    running = list(_running(module, watched.parents, sources))
    reached = _reached([sources.reach(each) for each in running])
    found = [it for each in parents.values() for it in _unreadable(each, sources)]
    for each in running:
        if _may_act(each, watched, sources):
            found += _of_file(each, watched, reached)
    return list(dict.fromkeys(found))


def _of_file(space: Space, watched: Watched, reached: set[str]) -> list[Doubt]:
    try:
        done = actions(space.bind(), watched, reached)
    except RecursionError:
        return [Doubt(space.origin, "is nested too deeply to be read")]
    return [Doubt(f"{space.origin}:{each.line}", each.what) for each in done]


def _unreadable(parent: ModuleCopy, sources: Sources) -> Iterator[Doubt]:
    """Tell of a package whose code is not what its source says, or that has none."""
    if parent.origin is None:
        return
    if sources.opened(parent.module) is None:
        yield Doubt(parent.origin, "has no source that can be read")
    elif parent.kind == "source" and runs_bytecode(parent.origin):
        execution = execution_of(parent.origin)
        if not execution.same:
            yield Doubt(str(execution.bytecode), f"runs in place of {parent.origin}")


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
        space = sources.opened(waiting.pop(0))
        if space is None:
            continue
        yield space
        for name in sorted(sources.reach(space).imports):
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                each = ".".join(parts[:end])
                is_near = parts[0] == top or space.module.partition(".")[0] == top
                if (is_near or _is_alone(space)) and each not in seen and each != module:
                    seen.add(each)
                    waiting.append(each)


def _is_alone(space: Space) -> bool:
    """Return whether a module is a file of its own, not one of a package."""
    return space.locations is None and "." not in space.module


def _reached(reaches: list[Reach]) -> set[str]:
    """Return the names that code which runs has for something."""
    names = {name for each in reaches for name in each.names}
    used([it for each in reaches for it in each.functions], names)
    return names
