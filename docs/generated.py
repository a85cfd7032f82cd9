"""What mkdocs makes from the code: a page for each rule, and the tables of the other pages."""

from __future__ import annotations

import importlib
from itertools import groupby
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files
from rule_authors import authors_page

from rocmlint.cli.rule import described, markdown, summary
from rocmlint.config.settings import OPTIONS
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

    from rocmlint.rule.registry import RuleType


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the page of each rule below that of all rules."""
    rules = [{about: [page_of(rule) for rule in family]} for about, family in families()]
    config.nav = [
        {"Rules": [*each.values(), *rules]} if "Rules" in each else each
        for each in config.nav or []
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each rule."""
    for rule in load_rules():
        files.append(File.generated(config, page_of(rule), content=markdown(rule)))
    return files


def on_page_markdown(text: str, page: Page, **_: object) -> str:
    """Fill in what the code knows better than a text."""
    del page
    text = text.replace("<!-- rules -->", rules_tables())
    text = text.replace("<!-- options -->", options_table())
    return text.replace("<!-- rule authors -->", authors_page())


def page_of(rule: RuleType) -> str:
    """Return the path of a rule's page in ``docs/``."""
    return f"rules/{rule.name}.md"


def families() -> Iterator[tuple[str, list[RuleType]]]:
    """Yield what each folder of rules is about, and its rules."""
    for module, rules in groupby(load_rules(), lambda rule: rule.__module__.rpartition(".")[0]):
        yield (importlib.import_module(module).__doc__ or module).rstrip(".\n"), list(rules)


def rules_tables() -> str:
    """Return a table of the rules of each family, with links to their pages."""
    return "\n\n".join(f"## {about}\n\n{rules_table(rules)}" for about, rules in families())


def rules_table(rules: list[RuleType]) -> str:
    """Return a table of rules: what each finds, and whether it is in preview and makes fixes."""
    rows = ["| code | name | what it finds | fix |", "|---|---|---|---|"]
    for rule in rules:
        preview = " *(preview)*" * rule.preview
        fix = f"[how safe]({page_of(rule)}#fix-safety)" if described(rule)["fix"] else ""
        name = f"[{rule.name}]({page_of(rule)})"
        rows.append(f"| {rule.code} | {name} | {summary(rule)}{preview} | {fix} |")
    return "\n".join(rows)


def options_table() -> str:
    """Return a table of the options of ``[tool.rocmlint]``."""
    rows = ["| option | type | default | meaning |", "|---|---|---|---|"]
    for name, option in OPTIONS.items():
        default = f"`{option.default}`" if option.default not in (None, (), {}) else ""
        rows.append(f"| `{name}` | {option.type} | {default} | {option.help} |")
    return "\n".join(rows)
