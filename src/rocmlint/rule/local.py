"""Loading a team's own rules; whatever is wrong with one is told with its file and line."""

from __future__ import annotations

import importlib
import os
import re
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from rocmlint.errors import ConfigError, RuleError, described
from rocmlint.lazy import compile_lazily
from rocmlint.paths import shown
from rocmlint.rule.metadata import mistakes
from rocmlint.rule.modules import classes_in, package, rule_modules
from rocmlint.rule.places import LOCAL, attribute_place, error_place, file_of
from rocmlint.rule.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType
    from typing import Any

Result = TypeVar("Result")
_TESTS = compile_lazily(r"(?:^|\.)(?:test_\w*|\w*_test|conftest)$", re.ASCII)
"""The names of files with tests of the rules."""


def is_local(rule: type[Rule[Any]]) -> bool:
    """Check whether a rule is a team's own."""
    return rule.__module__.startswith(LOCAL)


def local_rules(folder: str) -> Iterator[type[Rule[Any]]]:
    """Load the rules in a folder. Raises RuleError, or ConfigError if there is no such folder."""
    if not os.path.isdir(folder):
        message = f"rules: no such directory: {shown(folder)}"
        raise ConfigError(message)
    name = f"{LOCAL}{abs(hash(os.path.abspath(folder)))}"
    files = list(rule_modules(folder))  # whatever is wrong with the folder, no code of it runs
    _loaded(folder, partial(package, name, folder))
    for path, dotted in files:
        if not _TESTS.search(dotted):
            module = _loaded(path, partial(importlib.import_module, f"{name}.{dotted}"))
            yield from _rules_in(module, path)


def made(rule: type[Rule[Any]], options: dict[str, object]) -> Rule[Any]:
    """Make a rule with the values of its options. Raises RuleError if a local one cannot be."""
    if not is_local(rule):
        return rule(settings=options)
    return _loaded(file_of(rule), partial(rule, settings=options))


def _loaded(path: str, load: Callable[[], Result]) -> Result:
    """Run code of a team, and tell whatever it raises as theirs, but for Ctrl-C."""
    try:
        return load()
    except (ConfigError, KeyboardInterrupt):
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # before 3.12 so while a class is made
            raise
        raise RuleError(f"{error_place(error) or shown(path)}: {described(error)}") from error


def _rules_in(module: ModuleType, path: str) -> Iterator[type[Rule[Any]]]:
    found = list(classes_in(module, Rule))
    rules = [each for each in found if hasattr(each, "code")]
    for each in found:
        is_base = each.__name__.startswith("_") or any(issubclass(rule, each) for rule in rules)
        if not is_base:
            place = attribute_place(each, "code")
            raise RuleError(f"{place}: {each.__name__} has no `code`, such as ACME101")
    if not rules:
        raise RuleError(_without_rule(module, path))
    for rule in rules:
        for attribute, reason in mistakes(rule):
            raise RuleError(f"{attribute_place(rule, attribute)}: {reason}")
    yield from rules


def _without_rule(module: ModuleType, path: str) -> str:
    """Return the line about a file without a rule: it names the class that was meant to be one."""
    for each in classes_in(module, object):
        if {"code", "check"} & vars(each).keys():
            return (
                f"{attribute_place(each, '')}: no rule in this file: {each.__name__} must derive "
                "from PythonRule or PartRule (rocmlint.rule)"
            )
    return (
        f"{shown(path)}: no rule in this file; the name of a file without rules must begin with _"
    )
