"""``rocmlint rule``: what a rule finds, why it matters and what to write instead."""

from __future__ import annotations

import inspect
import json
import os
import re
import textwrap
from argparse import BooleanOptionalAction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.cli.parser import Parser
from rocmlint.config.configuration import Configuration
from rocmlint.config.option import described as option_described
from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError
from rocmlint.lint.discover import is_linted
from rocmlint.lint.selection import matches, rules_of
from rocmlint.rule.registry import load_rules
from rocmlint.rule.rule_files import built_in_folder

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator, Sequence

    from rocmlint.rule.registry import RuleType

_EXPECT = re.compile(r"[ \t]*# expect: [A-Z0-9, ]+$", re.MULTILINE)
_LANGUAGES = {
    ".py": "python",
    ".sh": "shell",
    ".toml": "toml",
    ".cfg": "ini",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".ipynb": "json",
    "Dockerfile": "dockerfile",
    "Containerfile": "dockerfile",
}
"""How the names of files end, and how Markdown calls their languages."""
_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint rule``."""
    parser.add_argument(
        "rules", nargs="*", metavar="CODE|NAME", help="a rule, or the beginning of its code (ROC1)"
    )
    parser.add_argument("--all", action="store_true", help="explain all rules")
    parser.add_argument(
        "--local-rules",
        action=BooleanOptionalAction,
        help="also load local rules, which runs their code (default: only to look up a "
        "rule that is not built in)",
    )
    parser.add_argument(
        "--output-format", choices=FORMATS, default="text", help="output format (default: text)"
    )


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint rule``."""
    parser = Parser("rule [CODE|NAME ...] [--all]", "Explain rules. Without arguments, list them.")
    add_arguments(parser)
    flags = parser.parse(arguments, SimpleNamespace())
    known = _known(flags.rules, local=flags.local_rules)
    wanted = _wanted(flags.rules, known) if flags.rules else list(known)
    listing = not (flags.rules or flags.all) and flags.output_format == "text"
    print(_listed(wanted) if listing else FORMATS[flags.output_format](wanted))
    return 0


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
        "not_reported": not_reported(rule),
        "documentation": documentation,
        "examples": _as_json(example(rule)),
    }


def summary(rule: RuleType) -> str:
    """Give the first paragraph of a rule's documentation, on one line."""
    return " ".join((inspect.getdoc(rule) or "").split("\n\n")[0].split())


def not_reported(rule: RuleType) -> list[str]:
    """Return why the rule leaves something alone: the first lines of its excuses."""
    lines = ((inspect.getdoc(each) or "").partition("\n")[0] for each in rule.excuses)
    return [line for line in lines if line]


def sections(documentation: str) -> dict[str, str]:
    """Give the text below each heading."""
    _, *parts = _SECTION.split(documentation)
    return dict(zip(parts[::2], (each.strip() for each in parts[1::2]), strict=True))


class Example(NamedTuple):
    """Code that a rule finds, and what its fixes make of it; the name of its language."""

    language: str
    bad: str
    fixed: str | None


def example(rule: RuleType) -> Example | None:
    """Give a fixture of a built-in rule with code that it finds.

    It is one in the format that the rule is most about. Fixtures are in the repository, not in a
    wheel.
    """
    family, stem = rule.__module__.split(".")[-2:]
    folder = os.path.join(os.path.dirname(built_in_folder()), "fixtures", family, stem)
    of_python = not any(trigger.part for trigger in rule.on)
    paths = sorted(_marked(folder), key=lambda path: (path.endswith(".py") != of_python, path))
    if not paths:
        return None
    inside = os.path.relpath(paths[0], folder)
    fixed = os.path.join(folder, inside.replace("bad", "fixed", 1))
    return Example(
        next((name for ending, name in _LANGUAGES.items() if inside.endswith(ending)), "text"),
        _without_marks(paths[0]),
        _without_marks(fixed) if os.path.isfile(fixed) else None,
    )


def _as_json(shown: Example | None) -> dict[str, str]:
    facts = {} if shown is None else shown._asdict()
    return {name: value for name, value in facts.items() if value is not None}


def _marked(folder: str) -> Iterator[str]:
    """Yield the fixtures with something to find."""
    for current, _, names in os.walk(folder):
        for path in (os.path.join(current, name) for name in names):
            if os.path.relpath(path, folder).startswith("bad") and is_linted(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    if _EXPECT.search(file.read()):
                        yield path


def _without_marks(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return _EXPECT.sub("", file.read())


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
        _with_excuses(facts["documentation"], facts["not_reported"]),
    ]
    for name, heading in (("bad", "## Found"), ("fixed", "## Fixed")):
        if name in facts["examples"]:
            code = facts["examples"][name].rstrip()
            parts.append(f"{heading}\n\n```{facts['examples']['language']}\n{code}\n```")
    return "\n\n".join(parts)


def _with_excuses(documentation: str, excuses: Sequence[str]) -> str:
    """Put the list of what is not reported before the references."""
    if not excuses:
        return documentation
    listed = "\n".join(["## Not reported", "", *(f"- {each}" for each in excuses)])
    before, heading, after = documentation.partition("## References")
    return f"{before}{listed}\n\n{heading}{after}" if heading else f"{documentation}\n\n{listed}"


def _text(rule: RuleType) -> str:
    """Give the page without the marks of Markdown."""
    prose_and_code = markdown(rule).split("```")
    prose_and_code[::2] = [
        re.sub(r"^#+ ", "", each, flags=re.MULTILINE) for each in prose_and_code[::2]
    ]
    prose_and_code[1::2] = map(_indented, prose_and_code[1::2])
    return "".join(prose_and_code).rstrip()


def _indented(block: str) -> str:
    """Indent what stands between the marks of a block, below the name of its file."""
    head, _, code = block.partition("\n")
    title = re.search(r'title="(.+)"', head)
    return (f"{title[1]}:\n" if title else "") + textwrap.indent(code, "    ")


def _listed(rules: Sequence[RuleType]) -> str:
    width = max(len(rule.name) for rule in rules)
    return "\n".join(
        f"{rule.code}  {rule.name:<{width}}  {summary(rule)}{' (preview)' if rule.preview else ''}"
        for rule in rules
    )


def _wanted(selectors: Sequence[str], rules: Sequence[RuleType]) -> list[RuleType]:
    for selector in selectors:
        if not _is_known(selector, rules):
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
