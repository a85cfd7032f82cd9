"""What mkdocs generates from the code: a page for each rule, and tables in other pages."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import textwrap
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from error_pages import error_pages, errors_tables, facts_table
from helpers import helpers_page
from mkdocs.structure.files import File, Files
from precision import corpus_table, precision_table
from rule_authors import authors_page
from which import which_gpus, which_picture, which_sources, which_versions

from rocmlint.cli.config import SCHEMAS, configuration_schema
from rocmlint.config.option import as_toml, plain, type_name
from rocmlint.config.settings import OPTIONS
from rocmlint.rule.documentation import documentation, sections, summary
from rocmlint.rule.page import example, markdown
from rocmlint.rule.registry import load_rules
from rocmlint.rule.retired import GAPS, taken_over
from rocmlint.rule.web import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

    from rocmlint.rule.registry import RuleType

_EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example_project"
_LOG = """\
+ export ROCR_VISIBLE_DEVICES=4 HIP_VISIBLE_DEVICES=4
+ torchrun --nproc-per-node 1 train.py
[rank0]: Traceback (most recent call last):
[rank0]:   File "/job/train.py", line 12, in <module>
[rank0]:     torch.cuda.set_device(local_rank)
[rank0]: RuntimeError: HIP error: invalid device ordinal
"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the page of each rule below the page of all rules, by family."""
    rules = [
        {
            f"{about.partition(':')[0]} {family[0].__module__.split('.')[-2]}": [
                *map(page_of, family)
            ]
        }
        for about, family in families()
    ]
    config.nav = [
        {"Rules": [*each.values(), *rules]} if "Rules" in each else each
        for each in config.nav or []
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each rule and each error, and the schemas of the configuration."""
    for rule in load_rules():
        files.append(File.generated(config, page_of(rule), content=rule_page(rule)))
    for path, content in error_pages():
        files.append(File.generated(config, path, content=content))
    for path, content in schemas():
        files.append(File.generated(config, path, content=content))
    return files


def schemas() -> Iterator[tuple[str, str]]:
    """Yield the path in ``docs/`` and the text of each schema of the configuration."""
    for file, name in SCHEMAS.items():
        yield f"schema/{name}", json.dumps(configuration_schema(load_rules(), file), indent=2)


def on_page_markdown(text: str, page: Page, **_: object) -> str:
    """Fill in the tables that a page asks for; most pages ask for none."""
    del page
    for name, made in TABLES.items():
        marker = f"<!-- {name} -->"
        if marker in text:
            text = text.replace(marker, made())
    return text


def finding_block() -> str:
    """Return a finding in the example project as a terminal shows it; long lines are wrapped."""
    return _wrapped(_printed("--no-cache", "install_patches.py"))


def why_block() -> str:
    """Return a log and what ``rocmlint why`` prints for it."""
    return f'```text title="train.log"\n{_LOG}```\n\n{_wrapped(_printed("why", stdin=_LOG))}'


def _printed(*arguments: str, stdin: str = "") -> str:
    return subprocess.run(
        [sys.executable, "-m", "rocmlint", *arguments],
        cwd=_EXAMPLE,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def _wrapped(shown: str) -> str:
    return f"``` {{ .text .wrap }}\n{shown.rstrip()}\n```"


def rule_page(rule: RuleType) -> str:
    """Return the page of a rule, with links to other pages and its folded test cases."""
    page = markdown(rule).replace(" reason`.", " reason` ([more ways](../suppression.md)).", 1)
    page = re.sub(rf"\({SITE}/(errors/[\w-]+)/\)", r"(../\1.md)", page)
    page = re.sub(r"^- (https://\S+)$", r"- <\1>", page, flags=re.MULTILINE)
    cases = list(_test_cases(rule))
    return "\n\n".join([page, *(["## Test cases"] if cases else []), *cases])


def _test_cases(rule: RuleType) -> Iterator[str]:
    """Yield the fixtures of a rule, folded: they are complete, so they are long."""
    shown = example(rule)
    if shown is None:
        return
    titles = {
        "Code with findings": shown.bad,
        "The same code, fixed": shown.fixed,
    }
    for title, code in titles.items():
        if code is not None:
            block = f"```{shown.language}\n{code.rstrip()}\n```"
            yield f'??? note "{title}"\n\n' + textwrap.indent(block, "    ")


def page_of(rule: RuleType) -> str:
    """Return the path of a rule's page in ``docs/``."""
    return f"rules/{rule.name}.md"


def families() -> Iterator[tuple[str, list[RuleType]]]:
    """Yield the title of each family, and its rules."""
    for module, rules in groupby(load_rules(), lambda rule: rule.__module__.rpartition(".")[0]):
        yield (importlib.import_module(module).__doc__ or module).rstrip(".\n"), list(rules)


def rules_tables() -> str:
    """Return a table of rules for each family, with links to their pages."""
    return "\n\n".join(f"## {about}\n\n{rules_table(rules)}" for about, rules in families())


def rules_table(rules: list[RuleType]) -> str:
    """Return a table of rules: what each finds, and whether it is in preview or has fixes."""
    rows = ["| Code | Name | What it finds | Fix |", "|---|---|---|---|"]
    for rule in rules:
        preview = " *(preview)*" * rule.preview
        preview += f" *(profile {rule.profile})*" if rule.profile else ""
        fix = f"[{safety(rule)}]({page_of(rule)}#fix-safety)" if safety(rule) else ""
        name = f"[{rule.name}]({page_of(rule)})"
        rows.append(f"| {rule.code} | {name} | {summary(rule)}{preview} | {fix} |")
    return "\n".join(rows)


def retired_table() -> str:
    """Return a table of the codes that name no rule any more, and what to use instead."""
    rows = {
        code: f"| {code} | {name} | [{rule.code} {rule.name}]({page_of(rule)}) |"
        for code, name, rule in taken_over(load_rules())
    }
    rows |= {code: f"| {code} | | {why} |" for code, why in GAPS.items()}
    head = ["| Code | Name | Now |", "|---|---|---|"]
    return "\n".join([*head, *(rows[code] for code in sorted(rows))])


def codes_table() -> str:
    """Return a table of the codes of each family: those in use, and the next that is free."""
    taken = {code for code, _, _ in taken_over(load_rules())} | {*GAPS}
    rows = ["| Family | In use | Next free |", "|---|---|---|"]
    for about, rules in families():
        used = [rule.code for rule in rules]
        last = max(used + [each for each in taken if each[:4] == used[0][:4]])
        rows.append(f"| {about} | {', '.join(used)} | ROC{int(last[3:]) + 1} |")
    return "\n".join(rows)


def safety(rule: RuleType) -> str:
    """Return whether the fixes of a rule are safe, by the section of its page; empty without."""
    written = sections(documentation(rule)).get("Fix safety", "").lower()
    return " or ".join(each for each in ("safe", "unsafe") if re.search(rf"\b{each}\b", written))


def options_table() -> str:
    """Return a table of the options of ``[tool.rocmlint]``."""
    rows = ["| Option | Type | Default | Meaning |", "|---|---|---|---|"]
    for name, option in OPTIONS.items():
        default = "" if option.default is None else f"`{as_toml(plain(option.default, option))}`"
        rows.append(f"| `{name}` | {type_name(option.type)} | {default} | {option.help} |")
    return "\n".join(rows)


TABLES = {
    "errors": errors_tables,
    "facts": facts_table,
    "rules": rules_tables,
    "codes": codes_table,
    "retired": retired_table,
    "options": options_table,
    "finding": finding_block,
    "why": why_block,
    "precision": precision_table,
    "corpus": corpus_table,
    "rule authors": authors_page,
    "helpers": helpers_page,
    "which picture": which_picture,
    "which gpus": which_gpus,
    "which versions": which_versions,
    "which sources": which_sources,
}
"""What ``<!-- NAME -->`` on a line of a page is filled in with."""
