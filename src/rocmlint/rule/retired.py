"""Codes that name no rule any more: those of rules that another one took over, and gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule.registry import RuleType

GAPS = {
    "ROC305": "skipped when the codes of its family were given; never a rule",
    "ROC510": "the example in an early guide to writing rules; never a rule",
}
"""Codes without a successor, and why; no rule gets one of them."""


def taken_over(rules: Iterable[RuleType]) -> Iterator[tuple[str, str, RuleType]]:
    """Yield each retired code, its name and the rule that took it over, by code."""
    found = [(code, name, rule) for rule in rules for code, name in rule.retired.items()]
    yield from sorted(found, key=lambda each: each[0])
