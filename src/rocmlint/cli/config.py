"""``rocmlint config``: every option of the configuration, and the JSON schema of them all."""

from __future__ import annotations

import json
import os
import textwrap
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from rocmlint.cli.parser import Parser, add_output_format
from rocmlint.config.configuration import Configuration
from rocmlint.config.option import described, schema, type_name
from rocmlint.config.settings import OPTIONS
from rocmlint.lint.selection import profiles, rules_of, selectors
from rocmlint.rule.documentation import summary
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.config.option import Option
    from rocmlint.rule.registry import RuleType

_SELECTORS = frozenset(
    {"select", "extend-select", "ignore", "per-file-ignores"}
    | {"fixable", "extend-fixable", "unfixable"}
)
_DRAFT = "http://json-schema.org/draft-07/schema#"
_PUBLISHED = "https://rocmlint.github.io/rocmlint/latest/schema/"
SCHEMAS = {"rocmlint.toml": "rocmlint.json", "pyproject.toml": "rocmlint-pyproject.json"}
"""The files that a schema is for, and what it is called in ``schema/`` of the docs."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint config``."""
    add_output_format(parser)
    parser.add_argument(
        "--schema",
        nargs="?",
        const="rocmlint.toml",
        choices=tuple(SCHEMAS),
        metavar="FILE",
        help="print the JSON schema of rocmlint.toml (the default) or pyproject.toml instead",
    )
    parser.add_argument(
        "--local-rules",
        action="store_true",
        help="also load local rules, which runs their code, and list their options",
    )


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint config``."""
    parser = Parser("config [flags]", "List the options of [tool.rocmlint].")
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    own = flags.local_rules
    rules = rules_of(Configuration().settings_for(os.getcwd())) if own else load_rules()
    if flags.schema:
        print(json.dumps(configuration_schema(rules, flags.schema, local=own), indent=2))
    elif flags.output_format == "json":
        print(json.dumps({"version": 1, "options": list(_listed(rules))}, indent=2))
    else:
        print(_text(rules))
    return 0


def configuration_schema(
    rules: Sequence[RuleType], file: str = "rocmlint.toml", *, local: bool = False
) -> dict[str, Any]:
    """Make the JSON schema of a configuration file from the tables of options.

    With ``local`` it knows the rules of one project, and is not the published one.
    """
    selector = {"$ref": "#/definitions/selector"}
    choices = {"profile": tuple(profiles(rules))}
    properties = {
        name: schema(
            option._replace(choices=choices.get(name, option.choices)),
            selector if name in _SELECTORS else None,
        )
        for name, option in OPTIONS.items()
    }
    properties |= {
        rule.name: {**_object(rule.options), "description": summary(rule)}
        for rule in rules
        if rule.options
    }
    definitions: dict[str, Any] = {
        "selector": {
            "description": "A rule: its code, the beginning of its code, its name, or ALL.",
            "type": "string",
            "enum": selectors(rules),
        }
    }
    found = _closed(properties)
    if file == "pyproject.toml":
        definitions["rocmlint"] = found
        own = {"rocmlint": {"$ref": "#/definitions/rocmlint"}}
        found = {"type": "object", "properties": {"tool": {"type": "object", "properties": own}}}
    return {
        "$schema": _DRAFT,
        **({} if local else {"$id": _PUBLISHED + SCHEMAS[file]}),
        "title": "rocmlint",
        "description": f"The configuration of rocmlint in {file}.",
        "definitions": definitions,
        **found,
    }


def _object(options: Mapping[str, Option]) -> dict[str, Any]:
    return _closed({name: schema(option) for name, option in options.items()})


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _listed(rules: Sequence[RuleType]) -> Iterator[dict[str, Any]]:
    tables: dict[str | None, Mapping[str, Option]] = {None: OPTIONS}
    tables |= {rule.name: rule.options for rule in rules}
    for rule, options in tables.items():
        for name, option in options.items():
            flag = f"--{name}" if option.group else None
            yield {**described(name, option), "rule": rule, "flag": flag}


def _text(rules: Sequence[RuleType]) -> str:
    lines = ["[tool.rocmlint]"]
    rule = None
    for each in _listed(rules):
        if each["rule"] != rule:
            rule = each["rule"]
            lines += [f"[tool.rocmlint.{rule}]"]
        default = "not set" if each["default"] is None else json.dumps(each["default"])
        facts = f"{type_name(each['type'])}; default: {default}"
        if each["choices"]:
            facts += f"; one of {', '.join(each['choices'])}"
        if each["flag"]:
            facts += f"; flag: {each['flag']}"
        lines += [
            each["name"],
            f"    ({facts})",
            textwrap.indent(textwrap.fill(each["help"], 88), "    "),
        ]
        lines.append("")
    return "\n".join(lines).rstrip()
