"""``rocmlint rule``: what a rule finds, why it matters and what to write instead."""

from __future__ import annotations

import json
import os
import re
import sys
from argparse import BooleanOptionalAction
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rocmlint.cli.parser import Parser, add_output_format
from rocmlint.cli.rule.template import KINDS
from rocmlint.config.configuration import Configuration
from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError
from rocmlint.lint.selection import ALL, matches, near_rule, rules_of
from rocmlint.rule.documentation import summary
from rocmlint.rule.page import described, markdown, plain_text
from rocmlint.rule.registry import load_rules
from rocmlint.rule.retired import GAPS, taken_over
from rocmlint.rule.search import search

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator, Sequence

    from rocmlint.rule.registry import RuleType
    from rocmlint.rule.search import Hit

_CODE = re.compile(r"[A-Za-z]+[0-9]+")
"""A code or its beginning, in upper or lower case."""
_LISTED = "; `rocmlint rule` lists the rules"
_LIKENESS = 0.75
"""How near a name must be to words that no rule mentions."""
_WORDS = frozenset({ALL, "ROC"})
"""Selectors without a digit."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint rule``."""
    parser.add_argument(
        "rules",
        nargs="*",
        metavar="CODE|NAME|TEXT",
        help="a rule, the beginning of its code (ROC1), or words to search for in all rules",
    )
    parser.add_argument("--all", action="store_true", help="explain all rules")
    parser.add_argument(
        "--local-rules",
        action=BooleanOptionalAction,
        help="also load local rules, which runs their code (default: only to look up a "
        "rule that is not built in)",
    )
    parser.add_argument("--new", metavar="NAME", help="write a local rule and its fixtures")
    parser.add_argument("--code", help="with --new: its code, such as ACME101 (default: the next)")
    parser.add_argument(
        "--kind", choices=KINDS, default="call", help="with --new: what it looks at (default: call)"
    )
    parser.add_argument(
        "--folder",
        metavar="DIR",
        help="with --new: the directory of the rule (default: the first of `rules` in the "
        "configuration, else tools/rules)",
    )
    parser.add_argument(
        "--test", metavar="DIR", help="test the local rules in a directory, which runs their code"
    )
    add_output_format(parser, FORMATS)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint rule``."""
    parser = Parser(
        "rule [CODE|NAME|TEXT ...] [--all | --new NAME | --test DIR]",
        "Explain rules, or write and test local ones. Without arguments, list the rules. Other "
        "words are searched for in names, summaries, pages and messages.",
        "exit codes: 0 done, 1 a test failed, 2 no such rule, usage error or an error in a local "
        "rule",
    )
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    _refuse_contradictions(flags)
    named = [_as_selector(each) for each in flags.rules]
    if flags.new is not None:
        from rocmlint.cli.rule.new import new  # noqa: PLC0415 - few runs write rules

        return new(flags)
    if flags.test is not None:
        from rocmlint.cli.rule.test import test  # noqa: PLC0415 - few runs test rules

        return test(flags.test, lambda rules: _wanted(named, rules) if named else rules)
    known = _known(named, local=flags.local_rules)
    if named and not any(_is_known(each, known) or _is_code(each) for each in named):
        return _found(" ".join(flags.rules), known, flags.output_format)
    wanted = _wanted(named, known) if named else list(known)
    _say_successors(named, known)
    listing = not (named or flags.all) and flags.output_format == "text"
    print(_rule_list(wanted) if listing else FORMATS[flags.output_format](wanted))
    return 0


def _found(text: str, rules: Sequence[RuleType], form: str) -> int:
    """Print the rules that mention a text. Raises ConfigError if none does."""
    hits = search(text, rules)
    if not hits:
        near = did_you_mean(text, [rule.name for rule in rules], _LIKENESS)
        message = f"no rule mentions {text!r}{near or _LISTED}; `rocmlint why` explains errors"
        raise ConfigError(message)
    wanted = [each.rule for each in hits]
    print("\n".join(_hits(hits)) if form == "text" else FORMATS[form](wanted))
    return 0


def _hits(hits: Sequence[Hit]) -> Iterator[str]:
    """Yield the lines of a list: each rule, and below it what its page or a message says."""
    for line, hit in zip(_lines([each.rule for each in hits]), hits, strict=True):
        yield line
        if hit.excerpt:
            yield f"{'':8}{hit.excerpt}"


def _say_successors(named: Sequence[str], rules: Sequence[RuleType]) -> None:
    """Say on stderr which rule has taken over the ones that were named."""
    for code, name, rule in taken_over(rules):
        if not {code, name}.isdisjoint(named):
            print(f"{code} ({name}) is now {rule.code} ({rule.name})", file=sys.stderr)


def _as_selector(word: str) -> str:
    return word.upper() if _CODE.fullmatch(word) or word.upper() in _WORDS else word


def _is_code(word: str) -> bool:
    return _CODE.fullmatch(word) is not None


def _refuse_contradictions(flags: SimpleNamespace) -> None:
    given = [f"--{name}" for name in ("new", "test") if getattr(flags, name) is not None]
    given += ["--all"] if flags.all else []
    given += ["--no-local-rules"] if flags.local_rules is False else []
    if len(given) > 1 and given != ["--all", "--no-local-rules"]:
        message = f"{' and '.join(given)} cannot be used together"
        raise ConfigError(message)
    for name, default in (("code", None), ("folder", None), ("kind", "call")):
        if flags.new is None and getattr(flags, name) != default:
            message = f"--{name} requires --new"
            raise ConfigError(message)
    if flags.new is not None and flags.rules:
        message = f"--new writes one rule, so it takes no {flags.rules[0]!r}"
        raise ConfigError(message)


def _known(named: Sequence[str], *, local: bool | None) -> Sequence[RuleType]:
    """Load the built-in rules; the local ones, which runs their code, where they are asked for.

    So they are by ``local``, or else by naming a rule that is not built in.
    """
    known = load_rules()
    if local is None:
        local = any(not _is_known(each, known) for each in named)
    if not local:
        return known
    return rules_of(Configuration().settings_for(os.getcwd()))


def _is_known(selector: str, rules: Sequence[RuleType]) -> bool:
    return any(matches(selector, rule) for rule in rules)


def _rule_list(rules: Sequence[RuleType]) -> str:
    return "\n".join(_lines(rules))


def _lines(rules: Sequence[RuleType]) -> Iterator[str]:
    width = max(len(rule.name) for rule in rules)
    for rule in rules:
        text = summary(rule).replace("``", "`")
        yield f"{rule.code}  {rule.name:<{width}}  {text}{_when_off(rule)}"


def _when_off(rule: RuleType) -> str:
    """Return why a rule is off by default; empty for one that is on."""
    profile = f" (profile {rule.profile})" if rule.profile else ""
    return profile + (" (preview)" if rule.preview else "")


def _wanted(selectors: Sequence[str], rules: Sequence[RuleType]) -> list[RuleType]:
    for selector in selectors:
        if selector in GAPS:
            message = f"there is no rule {selector!r}: {GAPS[selector]}"
            raise ConfigError(message)
        if not _is_known(selector, rules):
            known = [label for rule in rules for label in (rule.code, rule.name)]
            near = near_rule(selector, known) or _LISTED
            message = f"there is no rule {selector!r}{near}"
            raise ConfigError(message)
    return [rule for rule in rules if any(matches(each, rule) for each in selectors)]


FORMATS: dict[str, Callable[[Sequence[RuleType]], str]] = {
    "text": lambda rules: "\n\n\n".join(map(plain_text, rules)),
    "json": lambda rules: json.dumps(
        {"version": 1, "rules": [described(rule) for rule in rules]}, indent=2
    ),
    "markdown": lambda rules: "\n\n".join(map(markdown, rules)),
}
