"""Hears of the end of an import: a finder in front of the others, which finds nothing itself."""

from __future__ import annotations

import _thread
import functools
import sys
from contextlib import suppress

TYPE_CHECKING = False  # ``typing`` takes milliseconds, in each process of a job
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


class Finder:
    """Asks the finders behind it, and lets the loader of a watched module tell of its end."""

    def __init__(
        self, names: Iterable[str], importing: set[str], imported: Callable[[str], None]
    ) -> None:
        """Take the modules to watch, and where to note that one is being and has been imported."""
        self._names = set(names)
        self._importing, self._imported = importing, imported
        self._asking: set[tuple[int, str]] = set()

    def find_spec(
        self, name: str, path: Iterable[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec that the import would have had without this finder."""
        key = (_thread.get_ident(), name)
        if name not in self._names or key in self._asking or self not in sys.meta_path:
            return None
        self._asking.add(key)  # a finder behind this one may ask all others in turn
        try:
            for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
                find_spec = getattr(finder, "find_spec", None)
                spec: ModuleSpec | None = find_spec and find_spec(name, path, target)
                if spec is not None:
                    self._listen(spec)
                    return spec
        finally:
            self._asking.discard(key)
        return None

    def _listen(self, spec: ModuleSpec) -> None:
        """Wrap the method of this one loader; its type stays what programs ask for.

        What cannot be wrapped (a loader that is a class, a lazy one) is left as it is: the module
        is then seen at the next moment at which something is written.
        """
        import copy  # noqa: PLC0415 - only where a watched module is imported
        from importlib.util import LazyLoader  # noqa: PLC0415

        with suppress(Exception):
            loader: Any = copy.copy(spec.loader)  # one loader may serve a whole zip
            if isinstance(loader, (type, LazyLoader)):
                return
            exec_module = loader.exec_module
            loader.exec_module = functools.partial(self._execute, loader, exec_module)
            spec.loader = loader

    def _execute(
        self, loader: Any, exec_module: Callable[[ModuleType], None], module: ModuleType
    ) -> None:
        """Import a module as its loader does, and say so."""
        del loader.exec_module
        name = module.__name__
        self._importing.add(name)
        try:
            exec_module(module)
        finally:
            self._importing.discard(name)
        self._imported(name)
