"""Which rules are on, and with which options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.config.option import converted, did_you_mean, problem
from rocmlint.config.settings import OPTIONS
from rocmlint.errors import ConfigError, RuleError
from rocmlint.lint.discovery import patterns
from rocmlint.rule.local import made
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rocmlint.config.settings import Settings
    from rocmlint.rule.registry import RuleType
    from rocmlint.rule.rule import Rule

ALL = "ALL"
_CODE = re.compile(r"[A-Za-z]+[0-9]+")
_TABLES_OF_RUFF = frozenset({"lint", "check", "format"})


def enabled_rules(settings: Settings) -> list[Rule[Any]]:
    """Make the rules that the settings switch on.

    The more exact selector wins, ``ignore`` over ``select`` where they are equally exact. A
    preview rule is on with ``preview``, or where its own code or name is selected; a rule of a
    profile with that ``profile``, or where its family, code or name is selected. Raises
    ConfigError where a selector, a profile or an option of a rule means nothing.
    """
    _refuse_unknown_selectors(settings)
    _refuse_unknown_profile(settings)
    _refuse_wrong_options(settings)
    _refuse_wrong_patterns(settings)
    return [
        made(rule, options_of(rule, settings))
        for rule in rules_of(settings)
        if why_off(rule, settings) is None
    ]


def rules_of(settings: Settings) -> tuple[RuleType, ...]:
    """Load all rules that the settings know. Raises ConfigError with the place of ``rules``.

    It is RuleError, with the place in a rule, for a mistake there.
    """
    try:
        return load_rules(settings.rules)
    except RuleError:
        raise
    except ConfigError as error:
        if not settings.rules:
            raise  # two built-in rules of one name
        raise _error(str(error), "rules", settings) from error


def why_off(rule: RuleType, settings: Settings) -> str | None:
    """Return why the settings leave a rule out; None if they switch it on."""
    selected = _exactness(rule, (*settings.select, *settings.extend_select))
    if not selected:
        return "not selected"
    if selected <= _exactness(rule, settings.ignore):
        return "ignored"
    if rule.profile and not _fits_profile(rule, settings):
        return f"profile {rule.profile}"
    if rule.needs and not settings.rule_options.get(rule.name, {}).get(rule.needs):
        return f"`{rule.needs}` is not set"
    return None if not rule.preview or _previews(rule, settings) else "preview"


def selectors(rules: Iterable[RuleType]) -> list[str]:
    """Return every word that selects rules: ALL, codes, their beginnings, names."""
    rules = list(rules)
    codes = [code for rule in rules for code in (rule.code, *rule.retired)]
    beginnings = {code[:end] for code in codes for end in range(len("ROC"), len(code) + 1)}
    names = sorted(name for rule in rules for name in names_of(rule))
    return [ALL, *sorted(beginnings), *names]


def profiles(rules: Iterable[RuleType]) -> list[str]:
    """Return the purposes that some rules are for."""
    return sorted({rule.profile for rule in rules if rule.profile})


def options_of(rule: RuleType, settings: Settings) -> dict[str, object]:
    """Return the values of all options of a rule, checked before by :func:`enabled_rules`."""
    set_by_user = settings.rule_options.get(rule.name, {})
    return {
        name: converted(option, set_by_user[name], settings.root)
        if name in set_by_user
        else option.default
        for name, option in rule.options.items()
    }


def is_fixable(rule: RuleType, settings: Settings) -> bool:
    """Return whether the settings let the fixes of a rule be applied."""
    fixable = _exactness(rule, (*settings.fixable, *settings.extend_fixable))
    return fixable > _exactness(rule, settings.unfixable)


def near_rule(selector: str, known: Iterable[str]) -> str:
    """Return the end of a message that proposes a rule, empty where none is near.

    Of codes only the case may be wrong: one that begins alike is another rule.
    """
    words = list(known)
    if not _CODE.fullmatch(selector):
        return did_you_mean(selector, words)
    return f"; did you mean {selector.upper()!r}?" if selector.upper() in words else ""


def ignored_codes(settings: Settings, place: str) -> frozenset[str]:
    """Return the codes that ``per-file-ignores`` switches off for a file (path from the root)."""
    return frozenset(
        rule.code
        for pattern, selectors in settings.per_file_ignores
        if patterns.matches(pattern, place)
        for rule in rules_of(settings)
        if any(matches(selector, rule) for selector in selectors)
    )


def is_off(code: str, settings: Settings, place: str) -> bool:
    """Return whether the settings leave out the rule with a code in a file (path from the root)."""
    rules = (rule for rule in rules_of(settings) if rule.code == code)
    return any(why_off(rule, settings) for rule in rules) or code in ignored_codes(settings, place)


def matches(selector: str, rule: RuleType | Rule[Any]) -> bool:
    """Return whether a selector (ALL, a code, the beginning of one, or a name) means a rule."""
    codes = (rule.code, *rule.retired)
    is_named = selector == ALL or selector in names_of(rule)
    return is_named or any(code.startswith(selector) for code in codes)


def names_of(rule: RuleType | Rule[Any]) -> set[str]:
    """Return what exactly names a rule: its name, and those of the rules that it took over."""
    return {rule.name, *rule.retired.values()}


def _previews(rule: RuleType, settings: Settings) -> bool:
    named = {rule.code, *rule.retired, *names_of(rule)}
    return settings.preview or bool(named & {*settings.select, *settings.extend_select})


def _fits_profile(rule: RuleType, settings: Settings) -> bool:
    """Return whether the profile of a rule is chosen, or its family or the rule itself is named."""
    if settings.profile == rule.profile:
        return True
    families = [
        each
        for each in (*settings.select, *settings.extend_select)
        if each in names_of(rule) or (each[-1:].isdigit() and matches(each, rule))
    ]
    return bool(families)


def _exactness(rule: RuleType, selectors: Iterable[str]) -> int:
    """Return how exactly the best selector names a rule: 0 not at all, 1 ALL, more for codes."""
    found = [each for each in selectors if matches(each, rule)]
    return max((_weight(each, rule) for each in found), default=0)


def _weight(selector: str, rule: RuleType) -> int:
    if selector == ALL:
        return 1
    return len(rule.code) + 1 if selector in names_of(rule) else len(selector) + 1


def _refuse_unknown_selectors(settings: Settings) -> None:
    known = selectors(rules_of(settings))
    given = [*settings.select, *settings.extend_select, *settings.ignore]
    given += [each for _, listed in settings.per_file_ignores for each in listed]
    given += [*settings.fixable, *settings.extend_fixable, *settings.unfixable]
    for selector in given:
        if selector not in known and not settings.unloaded_rules:
            near = near_rule(selector, known) or "; `rocmlint rule` lists the rules"
            message = f"unknown rule {selector!r}{near}"
            raise _error(message, selector, settings)


def _refuse_unknown_profile(settings: Settings) -> None:
    given, known = settings.profile, profiles(rules_of(settings))
    if given is not None and given not in known and not settings.unloaded_rules:
        message = f"unknown profile {given!r} (choose from {', '.join(known)})"
        raise _error(message, given, settings)


def _refuse_wrong_options(settings: Settings) -> None:
    rules = {rule.name: rule for rule in rules_of(settings)}
    names = {rule.code: f"; did you mean {name!r}?" for name, rule in rules.items()}
    for name, values in settings.rule_options.items():
        if name not in rules and settings.unloaded_rules:
            continue
        if name not in rules:
            near = names.get(name) or _hint(name) or did_you_mean(name, [*rules, *OPTIONS])
            raise _error(f"unknown key or rule {name!r}{near}", name, settings)
        options = rules[name].options
        for key, value in values.items():
            if key not in options:
                near = (
                    did_you_mean(key, options)
                    or f"; its options are {', '.join(options) or 'none'}"
                )
                raise _error(f"{name} has no option {key!r}{near}", key, settings)
            wrong = problem(key, options[key], value)
            if wrong is not None:
                raise _error(f"{name}: {wrong}", key, settings)


def _hint(name: str) -> str:
    """Return the end of a message for a table that other tools have."""
    return "; keys are directly in [tool.rocmlint]" if name in _TABLES_OF_RUFF else ""


def _refuse_wrong_patterns(settings: Settings) -> None:
    for pattern, _ in settings.per_file_ignores:
        wrong = patterns.problem_with(pattern)
        if wrong is not None:
            raise _error(f"per-file-ignores: {wrong}", pattern, settings)


def _error(message: str, word: str, settings: Settings) -> ConfigError:
    from rocmlint.config.file import place_of  # noqa: PLC0415 - only mistakes pay for it

    return place_of(word, settings.sources).error(message, word)
