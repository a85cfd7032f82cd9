"""Importing a module when it is first used, for those that cost more than most runs need."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


class _LazyModule(ModuleType):
    """Stands for a module until an attribute of it is asked for.

    importlib.util.LazyLoader would not do: before Python 3.12 an ``import`` statement that finds
    the module in sys.modules looks at its ``__spec__``, and that already loads it.
    """

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = importlib.import_module(self.__name__)
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


def import_lazily(name: str) -> None:
    """Let ``import name`` cost nothing until an attribute of the module is used."""
    if name not in sys.modules:
        sys.modules[name] = _LazyModule(name)
