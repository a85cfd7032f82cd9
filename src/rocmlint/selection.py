"""Which rules are on: select, ignore, preview and per-file-ignores."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.registry import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rocmlint.config import Settings
    from rocmlint.registry import RuleType
    from rocmlint.rule import Rule

ALL = "ALL"


def enabled_rules(settings: Settings) -> list[Rule[Any]]:
    """Make the rules that the settings switch on.

    The more exact selector wins, ``ignore`` over ``select`` where they are equally exact. A
    preview rule is on with ``preview``, or where its own code or name is selected.
    """
    return [
        rule(settings=_options(rule, settings), preview=_previews(rule, settings))
        for rule in load_rules(settings.rules)
        if _is_on(rule, settings)
    ]


def ignored_codes(settings: Settings, place: str) -> frozenset[str]:
    """Give the codes that ``per-file-ignores`` switches off for a file (path from the root)."""
    return frozenset(
        rule.code
        for pattern, selectors in settings.per_file_ignores
        if _matcher(pattern)(place)
        for rule in load_rules(settings.rules)
        if any(matches(selector, rule) for selector in selectors)
    )


def matches(selector: str, rule: RuleType | Rule[Any]) -> bool:
    """Say whether a selector (ALL, a code, the beginning of one, or a name) means a rule."""
    return selector in {ALL, rule.name} or rule.code.startswith(selector)


def _is_on(rule: RuleType, settings: Settings) -> bool:
    selected = _exactness(rule, (*settings.select, *settings.extend_select))
    if selected <= _exactness(rule, settings.ignore):
        return False
    return not rule.preview or _previews(rule, settings)


def _previews(rule: RuleType, settings: Settings) -> bool:
    named = {rule.code, rule.name}
    return settings.preview or bool(named & {*settings.select, *settings.extend_select})


def _exactness(rule: RuleType, selectors: Iterable[str]) -> int:
    """Give how exactly the best selector names a rule: 0 not at all, 1 ALL, more for codes."""
    found = [each for each in selectors if matches(each, rule)]
    return max((_weight(each, rule) for each in found), default=0)


def _weight(selector: str, rule: RuleType) -> int:
    if selector == ALL:
        return 1
    return len(rule.code) + 1 if selector == rule.name else len(selector) + 1


def _options(rule: RuleType, settings: Settings) -> dict[str, object]:
    defaults = {name: option.default for name, option in rule.options.items()}
    return {**defaults, **settings.rule_options.get(rule.name, {})}


@lru_cache(maxsize=None)
def _matcher(pattern: str) -> Any:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only who uses it pays for it

    return GitIgnoreSpec.from_lines([pattern]).match_file
