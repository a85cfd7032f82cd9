"""What ``rocmlint rule``, editors and the site say of a rule: all of it from the rule itself."""

from __future__ import annotations

import os
import re
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.config.option import as_toml, plain, type_name
from rocmlint.config.option import described as option_described
from rocmlint.formats import NOTEBOOK, PYTHON, is_known
from rocmlint.rule.documentation import (
    conditions,
    documentation,
    not_reported,
    notes,
    sections,
    severities,
    summary,
)
from rocmlint.rule.errors import errors_of
from rocmlint.rule.rule_files import built_in_folder, fixtures_folder
from rocmlint.text.markdown import prose

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.rule.registry import RuleType

MARK = r"(?P<code>[A-Z]+[0-9]+)(?: (?P<severity>error|warning|note))?"
"""A finding that a fixture expects."""
_MARK = re.sub(r"\?P<\w+>", "?:", MARK)
EXPECT = re.compile(rf"[ \t]*# expect: (?P<marks>{_MARK}(?:[, ]+{_MARK})*)$", re.MULTILINE)
"""All that it expects in a line, at the end of it."""
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
_FENCE = re.compile(r"^```", re.MULTILINE)
WHERE = "When it is reported"
"""The heading of the table of severities."""
_INDENT = len("Warning  ")
_WIDTH = 98
"""Of the second column in a terminal: where it begins and ends."""


def described(rule: RuleType) -> dict[str, Any]:
    """Return everything about a rule, as in the JSON output."""
    written = documentation(rule)
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": summary(rule),
        "severity": rule.severity,
        "preview": rule.preview,
        "profile": rule.profile or None,
        "needs": rule.needs or None,
        "since": rule.since,
        "looks_at": str(rule.on) or None,
        "skips": sorted(rule.skips),
        "fix": sections(written).get("Fix safety"),
        "options": [option_described(name, option) for name, option in rule.options.items()],
        "tiers": dict(rule.tiers),
        "notes": notes(rule),
        "not_reported": not_reported(rule),
        "retired": dict(rule.retired),
        "errors": [{"title": each.title, "url": each.url} for each in errors_of(rule.code)],
        "documentation": written,
        "examples": _as_json(example(rule)),
    }


class Example(NamedTuple):
    """Code that a rule finds, and what its fixes make of it; the name of its language."""

    language: str
    bad: str
    fixed: str | None


def example(rule: RuleType) -> Example | None:
    """Return a fixture of a built-in rule with code that it finds.

    It is one in the format that the rule is most about. Fixtures are in the repository, not in a
    wheel.
    """
    family, stem = rule.__module__.split(".")[-2:]
    folder = os.path.join(fixtures_folder(built_in_folder()), family, stem)
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
            if os.path.relpath(path, folder).startswith("bad") and _is_linted(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    if EXPECT.search(file.read()):
                        yield path


def _is_linted(path: str) -> bool:
    return path.endswith((*PYTHON, NOTEBOOK)) or is_known(path)


def _without_marks(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return EXPECT.sub("", file.read())


def markdown(rule: RuleType) -> str:
    """Return the page of a rule: what it finds comes first."""
    errors = [f"- [{prose(each.title)}]({each.url})" for each in errors_of(rule.code)]
    return "\n\n".join(_parts(rule, _table(conditions(rule)), errors))


def plain_text(rule: RuleType) -> str:
    """Return the page of a rule as a terminal shows it, without the marks of Markdown."""
    errors = [f"- {each.title}" for each in errors_of(rule.code)]
    written = "\n\n".join(_parts(rule, _columns(conditions(rule)), errors))
    prose_and_code = _FENCE.split(written)
    shown = [
        _indented(each) if number % 2 else _plain(each)
        for number, each in enumerate(prose_and_code)
    ]
    return "\n\n".join(each for each in shown if each)


def _parts(rule: RuleType, where: str, errors: list[str]) -> Iterator[str]:
    """Yield the title, the facts and the sections of a page."""
    yield from (f"# {rule.name} ({rule.code})", summary(rule), _facts(rule))
    written = sections(documentation(rule))
    written.pop("Options", None)  # those of the rule have types and defaults, too
    references = written.pop("References", "")
    generated = {
        WHERE: where,
        "Options": _options(rule),
        "Errors that it prevents": "\n".join(errors),
        "Suppress": _suppression(rule),
        "References": references,
    }
    for title, text in {**written, **generated}.items():
        if text:
            yield f"## {title}\n\n{text}"


def _table(where: Mapping[str, list[str]]) -> str:
    """Return a table of conditions, with the name of each severity on its first line."""
    rows = ["| | Where |", "|---|---|"]
    for severity, lines in where.items():
        names = [f"**{severity.capitalize()}**", *[""] * (len(lines) - 1)]
        rows += [
            f"| {name} | {_as_sentence(line).replace('|', chr(92) + '|')} |"
            for name, line in zip(names, lines, strict=True)
        ]
    return "\n".join(rows)


def _columns(where: Mapping[str, list[str]]) -> str:
    """Return the same in two aligned columns, wrapped: a terminal shows no table."""
    lines = []
    for severity, those in where.items():
        for number, line in enumerate(those):
            name = severity.capitalize() if number == 0 else ""
            lines.append(
                textwrap.fill(
                    _as_sentence(line),
                    _WIDTH,
                    initial_indent=f"{name:<{_INDENT}}",
                    subsequent_indent=" " * (_INDENT + 2),
                )
            )
    return "\n".join(lines)


def _as_sentence(condition: str) -> str:
    """Return a condition as each of them is written: with a capital and without a full stop."""
    return f"{condition[:1].upper()}{condition[1:].removesuffix('.')}"


def _facts(rule: RuleType) -> str:
    """Return severities, fixes, age and earlier codes of a rule, in one paragraph."""
    *most, last = severities(rule)
    found = (f"{', '.join(most)} or {last}" if most else last).capitalize()
    fixes = "with fixes" if "Fix safety" in sections(documentation(rule)) else "no fix"
    preview = ["preview"] if rule.preview else []
    profile = [f"profile {rule.profile}"] if rule.profile else []
    facts = [", ".join([found, fixes, *preview, *profile, f"since {rule.since}"])]
    facts += [f"Off until `{rule.needs}` is set"] if rule.needs else []
    earlier = ", ".join(f"{code} ({name})" for code, name in rule.retired.items())
    facts += [f"Also selected and suppressed as {earlier}"] if earlier else []
    return "".join(f"{each}. " for each in facts).rstrip()


def _options(rule: RuleType) -> str:
    """Return the options of a rule with their types and defaults, as TOML has them."""
    lines = [f"In the table `[tool.rocmlint.{rule.name}]`:", ""] if rule.options else []
    for name, option in rule.options.items():
        default = as_toml(plain(option.default, option))
        kind = type_name(option.type)
        lines.append(f"- `{name}` ({kind}, default `{default}`): {option.help}")
    return "\n".join(lines)


def _suppression(rule: RuleType) -> str:
    """Return how to hide one finding of a rule, and how to turn the rule on or off."""
    is_off = rule.preview or rule.profile
    key = "extend-select" if is_off else "ignore"
    turned = "To turn it on" if is_off else "To turn it off"
    if rule.profile and not rule.preview:
        turned = f'Off without `profile = "{rule.profile}"`. {turned} alone'
    return (
        f"To hide one finding, add a comment to one of its lines:\n"
        f"`# rocmlint: ignore[{rule.code}] reason`.\n{turned} in `pyproject.toml`:\n\n"
        f'```toml\n[tool.rocmlint]\n{key} = ["{rule.name}"]\n```'
    )


def _plain(prose: str) -> str:
    """Return prose without the marks of headings and of code; text follows its heading."""
    prose = re.sub(r"^## (.+)\n\n", r"\1\n", prose.replace("``", "`"), flags=re.MULTILINE)
    return prose.removeprefix("# ").strip("\n")


def _indented(block: str) -> str:
    """Return the code between the marks of a block, indented, below the name of its file."""
    head, _, code = block.partition("\n")
    title = re.search(r'title="(.+)"', head)
    return (f"{title[1]}:\n" if title else "") + textwrap.indent(code.rstrip("\n"), "    ")
