"""What the docstrings of a rule, its excuses and its doubts say."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, get_args

from rocmlint.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.rule.registry import RuleType

_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)


def documentation(rule: RuleType) -> str:
    """Return the documentation of a rule, empty if it has none of its own."""
    return inspect.cleandoc(rule.__doc__ or "")


def summary(rule: RuleType) -> str:
    """Return the first paragraph of a rule's documentation, on one line."""
    return " ".join(documentation(rule).split("\n\n")[0].split())


def not_reported(rule: RuleType) -> list[str]:
    """Return where the rule is silent: the first lines of its excuses."""
    return _first_lines(rule.excuses)


def notes(rule: RuleType) -> list[str]:
    """Return where a finding is only a note: the first lines of the doubts."""
    return _first_lines(rule.doubts)


def conditions(rule: RuleType) -> dict[str, list[str]]:
    """Return where a finding has which severity, the worst first, then where there is none."""
    found = {severity: _given(rule, severity) for severity in get_args(Severity)}
    found["silent"] = _skipped(rule) + not_reported(rule)
    if not found[rule.severity]:
        found[rule.severity] = ["Everywhere else"] if any(found.values()) else ["Everywhere"]
    return {severity: where for severity, where in found.items() if where}


def severities(rule: RuleType) -> list[str]:
    """Return the severities that findings of the rule can have, the worst first."""
    return [each for each in conditions(rule) if each in get_args(Severity)]


def _given(rule: RuleType, severity: Severity) -> list[str]:
    given = [rule.tiers[severity]] if severity in rule.tiers else []
    return given + (notes(rule) if severity == "note" else [])


def _skipped(rule: RuleType) -> list[str]:
    return [f"{', '.join(sorted(rule.skips)).capitalize()} files."] if rule.skips else []


def _first_lines(functions: Iterable[Callable[[Any, Any], bool]]) -> list[str]:
    lines = ((inspect.getdoc(each) or "").partition("\n")[0] for each in functions)
    return [line for line in lines if line]


def sections(documentation: str) -> dict[str, str]:
    """Return the text below each heading."""
    _, *parts = _SECTION.split(documentation)
    return dict(zip(parts[::2], (each.strip() for each in parts[1::2]), strict=True))
