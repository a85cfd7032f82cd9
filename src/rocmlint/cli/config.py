"""``rocmlint config``: the options of the configuration, and the JSON schema of them all."""

from __future__ import annotations

import json
import os
import textwrap
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from rocmlint.cli.flags import all_flags
from rocmlint.cli.parser import Parser, add_output_format
from rocmlint.config.configuration import Configuration
from rocmlint.config.option import as_toml, described, did_you_mean, schema, type_name
from rocmlint.config.settings import OPTIONS
from rocmlint.errors import ConfigError
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


EXAMPLES: Mapping[str, object] = {
    "select": ["ROC1", "exif-transpose"],
    "extend-select": ["ROC8"],
    "ignore": ["empty-cache-in-training-loop"],
    "per-file-ignores": {"scripts/convert_*.py": ["ROC4"]},
    "profile": "export",
    "rules": ["tools/rules"],
    "symptoms": ["docs/symptoms.toml"],
    "exclude": ["third_party/"],
    "environment": ".venv",
    "baseline": "rocmlint-baseline.json",
    "cache-dir": ".cache/rocmlint",
    "verify": {"manifests": ["patches.toml"], "kernel-packages": ["aiter"]},
    "extend": "../rocmlint.toml",
    "fixable": ["ROC2"],
    "extend-fixable": ["ROC602"],
    "unfixable": ["ROC901"],
    "required-version": ">=0.1,<0.2",
    "toggles": ["use_fast_attention"],
    "allowed-paths": ["src/loading/**"],
    "calls": {"load_image": ["prepare_batch"]},
    "prefixes": ["backbone", "head"],
}
"""A value of each option that is not one of a few."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint config``."""
    parser.add_argument(
        "keys",
        nargs="*",
        metavar="KEY",
        help="print only these options: select, or exif-transpose.always for one of a rule",
    )
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
    parser = Parser(
        "config [flags] [KEY ...]", "List the options of [tool.rocmlint], or explain some of them."
    )
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    own = flags.local_rules
    rules = rules_of(Configuration().settings_for(os.getcwd())) if own else load_rules()
    if flags.schema:
        print(json.dumps(configuration_schema(rules, flags.schema, local=own), indent=2))
        return 0
    options: list[Mapping[str, Any]] = list(_described_options(rules))
    if flags.keys:
        options = [each for key in flags.keys for each in _options_of(key, options, rules)]
    if flags.output_format == "json":
        print(json.dumps({"version": 1, "options": options}, indent=2))
    elif flags.keys:
        print("\n\n".join(map(_explained, options)))
    else:
        print(_text(options))
    return 0


def _options_of(
    key: str, options: Sequence[Mapping[str, Any]], rules: Sequence[RuleType]
) -> list[Mapping[str, Any]]:
    """Return the options that a key names: itself, or all of a rule. Raises ConfigError."""
    name = key.removeprefix("--").removeprefix("tool.rocmlint.")
    names = {rule.code: rule.name for rule in rules}
    rule, _, option = name.rpartition(".")
    found = [each for each in options if name == _full_name(each)]
    found = found or [each for each in options if each["rule"] == names.get(name, name)]
    found = found or [each for each in options if (each["rule"], each["name"]) == (rule, option)]
    if found:
        return found
    if name in all_flags():
        message = f"{key!r} is a flag of `rocmlint check`, not an option of [tool.rocmlint]"
        raise ConfigError(message)
    near = did_you_mean(name, map(_full_name, options)) or "; `rocmlint config` lists the options"
    message = f"there is no option {key!r}{near}"
    raise ConfigError(message)


def _full_name(option: Mapping[str, Any]) -> str:
    return f"{option['rule']}.{option['name']}" if option["rule"] else str(option["name"])


def _explained(option: Mapping[str, Any]) -> str:
    """Return all about one option, with an example."""
    lines = _lines(option)
    value = example(option)
    if value is not None:
        table = f"tool.rocmlint.{option['rule']}" if option["rule"] else "tool.rocmlint"
        lines += ["", f"    [{table}]", f"    {option['name']} = {as_toml(value)}"]
    return "\n".join(lines)


def example(option: Mapping[str, Any]) -> object:
    """Return a value of an option other than its default; None if none is known."""
    if option["type"] == "boolean":
        return not option["default"]
    others = [each for each in option["choices"] if each != option["default"]]
    return others[0] if others else EXAMPLES.get(option["name"])


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


def _described_options(rules: Sequence[RuleType]) -> Iterator[dict[str, Any]]:
    tables: dict[str | None, Mapping[str, Option]] = {None: OPTIONS}
    tables |= {rule.name: rule.options for rule in rules}
    for rule, options in tables.items():
        for name, option in options.items():
            flag = f"--{name}" if option.group else None
            yield {**described(name, option), "rule": rule, "flag": flag}


def _text(options: Sequence[Mapping[str, Any]]) -> str:
    lines = ["[tool.rocmlint]"]
    rule = None
    for each in options:
        if each["rule"] != rule:
            rule = each["rule"]
            lines += [f"[tool.rocmlint.{rule}]"]
        lines += [*_lines(each), ""]
    return "\n".join(lines).rstrip()


def _lines(option: Mapping[str, Any]) -> list[str]:
    """Return the name of an option, its facts and its meaning."""
    default = "not set" if option["default"] is None else json.dumps(option["default"])
    facts = f"{type_name(option['type'])}; default: {default}"
    if option["choices"]:
        facts += f"; one of {', '.join(option['choices'])}"
    if option["flag"]:
        facts += f"; flag: {option['flag']}"
    meaning = textwrap.indent(textwrap.fill(option["help"], 88), "    ")
    return [option["name"], f"    ({facts})", meaning]
