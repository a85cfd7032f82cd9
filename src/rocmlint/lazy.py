"""Modules, names of packages and regular expressions that are made when they are first used."""

from __future__ import annotations

import importlib
import re
import sys
from contextlib import nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    Context = Callable[[], AbstractContextManager[None]]


class _LazyModule(ModuleType):
    """Stands for a module until an attribute of it is asked for.

    importlib.util.LazyLoader would not do: before Python 3.12 an ``import`` statement that finds
    the module in sys.modules looks at its ``__spec__``, and that already loads it.
    """

    def __init__(self, name: str, within: Context) -> None:
        super().__init__(name)
        self._within = within

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        with self._within():
            module = importlib.import_module(self.__name__)
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


class _LazyPattern:
    """Stands for a compiled regular expression until a method of it is called."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)
        return value


def import_lazily(name: str, within: Context = nullcontext) -> None:
    """Let ``import name`` cost nothing until an attribute of the module is used.

    Then it is imported ``within`` a context.
    """
    if name not in sys.modules:
        sys.modules[name] = _LazyModule(name, within)


def exports(package: str, homes: Mapping[str, str]) -> tuple[list[str], Callable[[str], object]]:
    """Return ``__all__`` and ``__getattr__`` of a package whose names are in other modules.

    ``homes`` has the names of each module, separated by blanks; it is imported for the first.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def named(name: str) -> object:
        if name not in home:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(importlib.import_module(home[name]), name)

    return sorted(home), named


def compile_lazily(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a regular expression when it is first used.

    The rules have over a hundred, which take longer to compile than Python takes to start, and
    most runs use a few of them.
    """
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))
