"""What a rule says of itself, checked: a mistake names the attribute and what it must be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from rocmlint.config.option import Option, OptionType, did_you_mean, problem
from rocmlint.config.settings import OPTIONS
from rocmlint.findings import RESERVED
from rocmlint.lazy import compile_lazily
from rocmlint.rule.rule import SEVERITY, EngineRule, PartRule, PythonRule, Rule
from rocmlint.rule.triggers import On, Trigger

if TYPE_CHECKING:
    from collections.abc import Iterator

_CODE = compile_lazily(r"[A-Z]+[0-9]+", re.ASCII)
_KEBAB = compile_lazily(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
_TEXT = Option("string", "", "")
_TYPE = Option("string", "", "", get_args(OptionType))
_PLAIN = {
    "since": _TEXT,
    "severity": SEVERITY,
    "preview": Option("boolean", False, ""),
    "profile": _TEXT,
    "needs": _TEXT,
}
"""Attributes with values like those of options."""


def mistakes(rule: type[Rule[Any]]) -> Iterator[tuple[str, str]]:
    """Yield each attribute of a rule with a wrong value, and what is wrong with it."""
    found = {
        "code": wrong_code(rule.code),
        "name": wrong_name(getattr(rule, "name", None)),
        **{name: problem(name, each, getattr(rule, name, None)) for name, each in _PLAIN.items()},
        "on": _wrong_trigger(rule.on),
        "skips": _wrong_skips(rule.skips),
        "excuses": _wrong_excuses(rule.excuses),
        "options": _wrong_options(rule.options),
    }
    yield from ((name, reason) for name, reason in found.items() if reason is not None)
    if rule.needs and rule.needs not in rule.options:
        near = did_you_mean(rule.needs, rule.options)
        yield "needs", f"needs: {rule.needs!r} is not one of the options of this rule{near}"
    if rule.on and rule.check in {each.check for each in (Rule, PythonRule, PartRule, EngineRule)}:
        yield "check", f"{rule.__name__} has no method `check`"


def wrong_code(code: object) -> str | None:
    """Return why a local rule cannot have this code; None if it can."""
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        return f"code must be capital letters and a number, such as ACME101, not {code!r}"
    if code.startswith(RESERVED):
        other = f"ACME{code.removeprefix(RESERVED)}"
        return f"code: {code} is reserved: {RESERVED} begins rocmlint's own codes; use {other!r}"
    return None


def wrong_name(name: object) -> str | None:
    """Return why a local rule cannot have this name; None if it can."""
    if not isinstance(name, str) or not _KEBAB.fullmatch(name):
        kebab = re.sub(r"[^a-z0-9]+", "-", str(name or "").lower()).strip("-")
        near = f"; did you mean {kebab!r}?" if _KEBAB.fullmatch(kebab) and name else ""
        return f"name must be kebab-case, such as item-in-training-loop, not {name!r}{near}"
    if name in OPTIONS:
        return f"name: {name} is an option of [tool.rocmlint]"
    return None


def _wrong_trigger(on: object) -> str | None:
    if isinstance(on, On):
        return next((wrong for wrong in map(_wrong_pattern, on) if wrong), None)
    return f'on must be triggers, such as calls("item") | attributes("data"), not {on!r}'


def _wrong_pattern(trigger: Trigger) -> str | None:
    try:
        re.compile(trigger.where)
    except re.error as error:
        return f"on: {trigger.where!r} is not a valid regular expression: {error}"
    return None if all(trigger.words) else f"on: an empty word is in every file: {trigger.words!r}"


def _wrong_skips(skips: object) -> str | None:
    if isinstance(skips, (frozenset, set)) and all(isinstance(each, str) for each in skips):
        return None
    return f'skips must be a set of kinds of files, such as frozenset({{"test"}}), not {skips!r}'


def _wrong_excuses(excuses: object) -> str | None:
    if isinstance(excuses, (tuple, list)) and all(callable(each) for each in excuses):
        return None
    return f"excuses must be a tuple of functions, not {excuses!r}"


def _wrong_options(options: object) -> str | None:
    if not isinstance(options, Mapping):
        return f"options must be a dict of names and Option(...), not {options!r}"
    for name, option in options.items():
        if not isinstance(name, str) or not _KEBAB.fullmatch(name):
            return f"options: the name of an option must be kebab-case, not {name!r}"
        if not isinstance(option, Option):
            return f"options: {name} must be an Option(type, default, help), not {option!r}"
        wrong = problem("its type", _TYPE, option.type)
        if wrong is None and option.default is not None:
            wrong = problem("its default", option, option.default)
        if wrong is not None:
            return f"options: {name}: {wrong}"
    return None
