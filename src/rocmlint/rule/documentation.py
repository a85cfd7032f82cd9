"""What the docstrings of a rule and of its excuses say."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocmlint.rule.registry import RuleType

_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)


def documentation(rule: RuleType) -> str:
    """Return the documentation of a rule, empty if it has none of its own."""
    return inspect.cleandoc(rule.__doc__ or "")


def summary(rule: RuleType) -> str:
    """Return the first paragraph of a rule's documentation, on one line."""
    return " ".join(documentation(rule).split("\n\n")[0].split())


def not_reported(rule: RuleType) -> list[str]:
    """Return why the rule leaves something alone: the first lines of its excuses."""
    lines = ((inspect.getdoc(each) or "").partition("\n")[0] for each in rule.excuses)
    return [line for line in lines if line]


def sections(documentation: str) -> dict[str, str]:
    """Return the text below each heading."""
    _, *parts = _SECTION.split(documentation)
    return dict(zip(parts[::2], (each.strip() for each in parts[1::2]), strict=True))
