"""Finding rules: the built-in ones and a team's own are loaded by the same code."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from rocmlint.disk.read import read_small
from rocmlint.errors import ConfigError, RuleError
from rocmlint.lazy import import_lazily
from rocmlint.rule.local import is_local, local_rules
from rocmlint.rule.modules import classes_in, package, rule_modules
from rocmlint.rule.places import attribute_place
from rocmlint.rule.rule import ClaimRule, Rule
from rocmlint.rule.rule_files import built_in_folder
from rocmlint.syntax.quick_libcst import plain_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

RuleType = type[Rule[Any]]
BUILT_IN = "rocmlint.rules"


@cache
def load_rules(folders: tuple[str, ...] = ()) -> tuple[RuleType, ...]:
    """Load the built-in rules and those in the given folders, ordered by code.

    Raises RuleError for a mistake in a local rule, with its file and line, and ConfigError where
    a folder cannot be read.
    """
    # Rules import LibCST at the top, as anyone would write it; most runs never parse a file.
    import_lazily("libcst", plain_nodes)
    found = [
        rule
        for module in _built_in_modules(claims=False)
        for rule in classes_in(module, Rule)
        if hasattr(rule, "code")
    ]
    for folder in folders:
        found += local_rules(folder)
    _refuse_duplicates(found)
    return tuple(sorted(found, key=lambda rule: rule.code))


@cache
def load_rule(code: str) -> RuleType:
    """Load one built-in rule: only the files that contain its code are imported.

    Raises ConfigError if there is no such rule.
    """
    import_lazily("libcst", plain_nodes)
    for module in _built_in_modules(claims=False, word=code.encode()):
        for rule in classes_in(module, Rule):
            if getattr(rule, "code", "") == code:
                return rule
    message = f"unknown rule {code!r}"
    raise ConfigError(message)


@cache
def load_claim_rules() -> tuple[ClaimRule[Any], ...]:
    """Load what tells the claims of code, ordered by the names of their files."""
    import_lazily("libcst", plain_nodes)
    modules = _built_in_modules(claims=True)
    return tuple(each() for module in modules for each in classes_in(module, ClaimRule))


def _built_in_modules(*, claims: bool, word: bytes = b"") -> Iterator[ModuleType]:
    """Import the built-in modules whose files contain a word."""
    try:
        built_in = importlib.import_module(BUILT_IN)
    except ModuleNotFoundError:
        built_in = package(BUILT_IN, built_in_folder())
    for path, dotted in rule_modules(built_in.__path__[0], claims=claims):
        if not word or word in read_small(path):
            yield importlib.import_module(f"{BUILT_IN}.{dotted}")


def _refuse_duplicates(rules: list[RuleType]) -> None:
    seen: dict[str, RuleType] = {}
    for rule in rules:
        retired = (("retired", label) for pair in rule.retired.items() for label in pair)
        for attribute, label in (("code", rule.code), ("name", rule.name), *retired):
            other = seen.setdefault(label, rule)
            if other is rule:
                continue
            if not is_local(rule):
                message = f"rules: {rule.__module__} and {other.__module__} both define {label}"
                raise ConfigError(message)
            taken = attribute_place(other, attribute) if is_local(other) else "a built-in rule"
            message = f"{attribute_place(rule, attribute)}: {attribute}: {label} is also the "
            raise RuleError(f"{message}{attribute} of {taken}")
