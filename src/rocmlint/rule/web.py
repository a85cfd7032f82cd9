"""Where the pages of the rules are published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule.registry import BUILT_IN

if TYPE_CHECKING:
    from rocmlint.rule.registry import RuleType

SITE = "https://rocmlint.github.io/rocmlint/latest"
"""The pages of the newest release."""


def address(rule: RuleType) -> str | None:
    """Return the address of the page of a built-in rule; None for a local one."""
    return f"{SITE}/rules/{rule.name}/" if rule.__module__.startswith(f"{BUILT_IN}.") else None
