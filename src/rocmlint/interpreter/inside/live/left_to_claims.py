"""Names that a comparison leaves to claims on functions that must be those of a file."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from .bound import place
from .code_at_lookup import called, standing
from .objects.reachable import ABSENT, value_at
from .source.bindings import stored_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .bound import Bound, Place
    from .claimed_functions import Wanted

_OF_OTHERS = {"used", "inherited", "import"}
"""The kinds of differences that are made in another module."""


@dataclass(frozen=True)
class Excuses:
    """The wanted functions, as one module is concerned with them."""

    module: str
    wanted: tuple[Wanted, ...]

    @property
    def names(self) -> list[str]:
        """The names of the module that are among them, with the key of a registry."""
        return [each["attribute"] for each in self.wanted if each["module"] == self.module]

    @property
    def functions(self) -> set[str]:
        """The qualified names of the module that are among them."""
        return {
            ".".join(each["path"])
            for each in self.wanted
            if each["module"] == self.module and not each["keys"]
        }

    def aside(self) -> Iterator[tuple[object, str, object]]:
        """Yield what is not to be seen, as ``reachable.set_aside`` takes it.

        That is what is wanted in the module, and what it has by the same name of another one, as
        an import gives it. Registries are seen: they have more than what is wanted.
        """
        module = sys.modules.get(self.module)
        for each in self.wanted:
            path = stored_path(".".join(each["path"]))
            if each["keys"]:
                continue
            if each["module"] == self.module:
                yield value_at(module, path[:-1]), path[-1], ABSENT
                continue
            kept = value_at(sys.modules.get(each["module"]), path)
            if len(path) == 1 and kept is not ABSENT and value_at(module, path) is kept:
                yield module, path[0], ABSENT

    def cover(self, name: str, where: Place | None, kind: str = "") -> bool:
        """Return whether a difference is that of a wanted function.

        It is by its name in the module; by the place of its code where it is the entry of a
        registry, or the kind of difference is one that another module makes.
        """
        stored = {".".join(stored_path(each)) for each in self.functions}
        covered = self.functions | stored
        if any(name == it or name.startswith((f"{it}.", f"{it}(")) for it in covered):
            return True
        base = name.partition("[")[0].partition("(")[0].rpartition(".")[2]
        return any(
            base == each["path"][-1] and where == self._place(each)
            for each in self.wanted
            if each["keys"] or (kind in _OF_OTHERS and each["module"] != self.module)
        )

    def without(self, found: Bound) -> Bound:
        """Return what was found of all names but those that are covered."""
        for each in fields(found) if self.wanted else ():
            values: Any = getattr(found, each.name)
            for name in list(values):
                if isinstance(values, list):
                    if self.cover(name, None):
                        values.remove(name)
                elif self.cover(name, values[name]):
                    del values[name]
        return found

    def _place(self, each: Wanted) -> Place:
        path = stored_path(".".join(each["path"]))
        value = standing(sys.modules.get(each["module"]), path, each["keys"]).value
        return place(called(value))
