"""Finding rules: the built-in ones and a team's own are loaded by the same code."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from rocmlint.errors import ConfigError
from rocmlint.lazy import import_lazily
from rocmlint.rule.rule import ClaimRule, Rule
from rocmlint.rule.rule_files import built_in_folder, python_files
from rocmlint.syntax.quick_libcst import plain_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

RuleType = type[Rule[Any]]
Kind = TypeVar("Kind")
BUILT_IN = "rocmlint.rules"
CLAIMS = "claim_"
"""How the names of files with claim rules begin; linting leaves them unread."""


@cache
def load_rules(folders: tuple[str, ...] = ()) -> tuple[RuleType, ...]:
    """Load the built-in rules and those in the given folders, ordered by code.

    Raises ConfigError where a folder or file cannot be loaded, or two rules share a code or name.
    """
    # Rules import LibCST at the top, as anyone would write it; most runs never parse a file.
    import_lazily("libcst", plain_nodes)
    found = list(_rules_below(_built_in_package(), BUILT_IN))
    for folder in folders:
        found += _local_rules(folder)
    _refuse_duplicates(found)
    return tuple(sorted(found, key=lambda rule: rule.code))


@cache
def load_claim_rules() -> tuple[ClaimRule[Any], ...]:
    """Load what tells the claims of code, ordered by the names of their files."""
    import_lazily("libcst", plain_nodes)
    modules = _modules_below(_built_in_package(), BUILT_IN, claims=True)
    return tuple(each() for module in modules for each in _classes_in(module, ClaimRule))


def _rules_below(package: ModuleType, name: str) -> Iterator[RuleType]:
    for module in _modules_below(package, name, claims=False):
        yield from (each for each in _classes_in(module, Rule) if hasattr(each, "code"))


def _modules_below(package: ModuleType, name: str, *, claims: bool) -> Iterator[ModuleType]:
    for _, dotted in python_files(package.__path__[0]):
        names = dotted.split(".")
        helps = any(each.startswith("_") for each in names)
        if not helps and names[-1].startswith(CLAIMS) == claims:
            yield importlib.import_module(f"{name}.{dotted}")


def _classes_in(module: ModuleType, kind: type[Kind]) -> Iterator[type[Kind]]:
    for value in vars(module).values():
        own = isinstance(value, type) and value.__module__ == module.__name__
        if own and issubclass(value, kind):
            yield value


def _local_rules(folder: str) -> Iterator[RuleType]:
    if not os.path.isdir(folder):
        message = f"rules: no such directory: {folder}"
        raise ConfigError(message)
    name = f"rocmlint_local_{abs(hash(os.path.abspath(folder)))}"
    try:
        yield from _rules_below(_package(name, folder), name)
    except ConfigError:
        raise
    except Exception as error:
        message = f"rules: {folder} cannot be loaded: {type(error).__name__}: {error}"
        raise ConfigError(message) from error


def _built_in_package() -> ModuleType:
    try:
        return importlib.import_module(BUILT_IN)
    except ModuleNotFoundError:
        return _package(BUILT_IN, built_in_folder())


def _package(name: str, folder: str) -> ModuleType:
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


def _refuse_duplicates(rules: list[RuleType]) -> None:
    seen: dict[str, RuleType] = {}
    for rule in rules:
        for label in (rule.code, rule.name):
            if label in seen:
                other = seen[label]
                message = f"rules: {rule.__module__} and {other.__module__} both define {label}"
                raise ConfigError(message)
            seen[label] = rule
