"""The pages that mkdocs makes from the code: one for each rule, their table, and the options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

from rocmlint.cli.rule import markdown, summary
from rocmlint.config.settings import OPTIONS
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each rule."""
    for rule in load_rules():
        path = f"rules/{rule.name}.md"
        files.append(File.generated(config, path, content=markdown(rule)))
    return files


def on_page_markdown(text: str, page: Page, **_: object) -> str:
    """Fill in what the code knows better than a text."""
    del page
    text = text.replace("<!-- rules -->", rules_table())
    return text.replace("<!-- options -->", options_table())


def rules_table() -> str:
    """Give a table of all rules, each with a link to its page."""
    rows = ["| code | name | what it finds |", "|---|---|---|"]
    for rule in load_rules():
        name = f"[{rule.name}](rules/{rule.name}.md)"
        rows.append(f"| {rule.code} | {name} | {summary(rule)}{' *preview*' * rule.preview} |")
    return "\n".join(rows)


def options_table() -> str:
    """Give a table of the options of ``[tool.rocmlint]``."""
    rows = ["| option | type | default | meaning |", "|---|---|---|---|"]
    for name, option in OPTIONS.items():
        default = f"`{option.default}`" if option.default not in (None, (), {}) else ""
        rows.append(f"| `{name}` | {option.type} | {default} | {option.help} |")
    return "\n".join(rows)
