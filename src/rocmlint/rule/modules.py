"""Importing the files of a folder as the modules of a package, wherever the folder is."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING, TypeVar

from rocmlint.errors import ConfigError
from rocmlint.rule.rule_files import python_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

Kind = TypeVar("Kind")
CLAIMS = "claim_"
"""How the names of files with claim rules begin; linting leaves them unread."""


def package(name: str, folder: str) -> ModuleType:
    """Make a folder a package of this name; whatever its ``__init__.py`` raises is raised."""
    initial = os.path.join(folder, "__init__.py")
    location = initial if os.path.isfile(initial) else None
    spec = (
        importlib.util.spec_from_file_location(
            name, location, submodule_search_locations=[os.path.abspath(folder)]
        )
        if location
        else importlib.util.spec_from_loader(name, None, is_package=True)
    )
    if spec is None:
        message = f"rules: {folder} cannot be loaded"
        raise ConfigError(message)
    module = importlib.util.module_from_spec(spec)
    module.__path__ = [os.path.abspath(folder)]
    sys.modules[name] = module
    if spec.loader is not None:
        spec.loader.exec_module(module)
    return module


def rule_modules(folder: str, *, claims: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the path and the dotted name of each file of rules, or of claim rules."""
    for path, dotted in python_files(folder):
        names = dotted.split(".")
        helps = any(each.startswith("_") for each in names)
        if not helps and names[-1].startswith(CLAIMS) == claims:
            yield path, dotted


def classes_in(module: ModuleType, kind: type[Kind]) -> Iterator[type[Kind]]:
    """Yield the classes that a module itself defines and that derive from one."""
    for value in vars(module).values():
        own = isinstance(value, type) and value.__module__ == module.__name__
        if own and issubclass(value, kind):
            yield value
