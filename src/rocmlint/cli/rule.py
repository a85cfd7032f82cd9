"""``rocmlint rule``: what a rule finds, why it matters and what to write instead."""

from __future__ import annotations

import inspect
import json
import os
import re
import textwrap
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from rocmlint.cli.parser import Parser
from rocmlint.config import Configuration
from rocmlint.errors import ConfigError
from rocmlint.options import described as option_described
from rocmlint.options import did_you_mean
from rocmlint.registry import load_rules
from rocmlint.rule_files import built_in_folder
from rocmlint.selection import matches

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Sequence

    from rocmlint.registry import RuleType

_EXPECT = re.compile(r"[ \t]*# expect: [A-Z0-9, ]+$", re.MULTILINE)
_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint rule``."""
    parser.add_argument("rules", nargs="*", metavar="CODE|NAME", help="a rule, or a family (ROC1)")
    parser.add_argument("--all", action="store_true", help="explain every rule")
    parser.add_argument(
        "--output-format", choices=FORMATS, default="text", help="how to print (default: text)"
    )


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint rule``."""
    parser = Parser("rule [CODE|NAME ...] [--all]", "Explain rules; without any, list them.")
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    known = load_rules(Configuration().settings_for(os.getcwd()).rules)
    wanted = _wanted(flags.rules, known) if flags.rules else list(known)
    listing = not (flags.rules or flags.all) and flags.output_format == "text"
    print(_listed(wanted) if listing else FORMATS[flags.output_format](wanted))
    return 0


def described(rule: RuleType) -> dict[str, Any]:
    """Give all that is known of a rule, as JSON has it."""
    documentation = inspect.getdoc(rule) or ""
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": summary(rule),
        "severity": rule.severity,
        "preview": rule.preview,
        "since": rule.since,
        "looks_at": str(rule.on) or None,
        "skips": sorted(rule.skips),
        "fix": sections(documentation).get("Fix safety"),
        "options": [option_described(name, option) for name, option in rule.options.items()],
        "documentation": documentation,
        "examples": examples(rule),
    }


def summary(rule: RuleType) -> str:
    """Give the first paragraph of a rule's documentation, on one line."""
    return " ".join((inspect.getdoc(rule) or "").split("\n\n")[0].split())


def sections(documentation: str) -> dict[str, str]:
    """Give the text below each heading."""
    _, *parts = _SECTION.split(documentation)
    return dict(zip(parts[::2], (each.strip() for each in parts[1::2]), strict=True))


def examples(rule: RuleType) -> dict[str, str]:
    """Give the fixtures of a built-in rule: bad code, and what fixes make of it.

    They are in the repository, not in a wheel.
    """
    family, stem = rule.__module__.split(".")[-2:]
    folder = os.path.join(os.path.dirname(built_in_folder()), "fixtures", family, stem)
    found: dict[str, str] = {}
    for name in ("bad", "fixed"):
        path = os.path.join(folder, f"{name}.py")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                found[name] = _EXPECT.sub("", file.read())
    return found


def markdown(rule: RuleType) -> str:
    """Give the page of a rule."""
    facts = described(rule)
    rows = {
        "Severity": facts["severity"] + (", preview" if facts["preview"] else ""),
        "Since": facts["since"],
        "Looks at": facts["looks_at"] or "every file",
        "Leaves alone": ", ".join(facts["skips"]),
        "Fixes": "yes, see below" if facts["fix"] else "none",
    }
    for option in facts["options"]:
        default = json.dumps(option["default"])
        about = f"{option['help']} ({option['type']}, default `{default}`)"
        rows[f"Option `{option['name']}`"] = about
    parts = [
        f"# {facts['name']} ({facts['code']})",
        "\n".join(f"- {name}: {value}" for name, value in rows.items() if value),
        facts["documentation"],
    ]
    for name, heading in (("bad", "## Found"), ("fixed", "## Fixed")):
        if name in facts["examples"]:
            parts.append(f"{heading}\n\n```python\n{facts['examples'][name].rstrip()}\n```")
    return "\n\n".join(parts)


def _text(rule: RuleType) -> str:
    """Give the page without the marks of Markdown."""
    prose_and_code = markdown(rule).split("```")
    prose_and_code[::2] = [
        re.sub(r"^#+ ", "", each, flags=re.MULTILINE) for each in prose_and_code[::2]
    ]
    code = [textwrap.indent(each.removeprefix("python\n"), "    ") for each in prose_and_code[1::2]]
    prose_and_code[1::2] = code
    return "".join(prose_and_code).rstrip()


def _listed(rules: Sequence[RuleType]) -> str:
    width = max(len(rule.name) for rule in rules)
    return "\n".join(
        f"{rule.code}  {rule.name:<{width}}  {summary(rule)}{' (preview)' if rule.preview else ''}"
        for rule in rules
    )


def _wanted(selectors: Sequence[str], rules: Sequence[RuleType]) -> list[RuleType]:
    for selector in selectors:
        if not any(matches(selector, rule) for rule in rules):
            known = [label for rule in rules for label in (rule.code, rule.name)]
            message = f"there is no rule {selector!r}{did_you_mean(selector, known)}"
            raise ConfigError(message)
    return [rule for rule in rules if any(matches(each, rule) for each in selectors)]


FORMATS: dict[str, Callable[[Sequence[RuleType]], str]] = {
    "text": lambda rules: "\n\n\n".join(map(_text, rules)),
    "json": lambda rules: json.dumps(
        {"version": 1, "rules": [described(rule) for rule in rules]}, indent=2
    ),
    "markdown": lambda rules: "\n\n".join(map(markdown, rules)),
}
