"""Checks of the documentation of a rule, which is its page."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter
from rocmlint.lint.run import Options, run
from rocmlint.rule.documentation import documentation, not_reported, notes, sections
from rocmlint.testing.code import has_fixes, why_not_found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.findings import Finding
    from rocmlint.rule.registry import RuleType
    from rocmlint.source.kept_back import KeptBack
    from rocmlint.testing.code import Fixture
    from rocmlint.testing.failure import Failure
    from rocmlint.testing.fixtures import RuleFolder

HEADINGS = ("Why it matters", "Example", "Use instead")
FOLLOWING = ("Fix safety", "References")
"""Headings that only some rules have."""
LONGEST_EXAMPLE = 10
_NAMES = {
    "python": "job.py",
    "shell": "install_rocm.sh",
    "dockerfile": "Dockerfile",
    "toml": "pyproject.toml",
    "text": "requirements.txt",
}
"""How the files are called that have no title."""
_BLOCK = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<code>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)


def documentation_is_complete(rule: RuleType, at: Failure) -> Iterator[Failure]:
    """Check that it has a summary, the headings in their order, and examples of ten lines."""
    text = documentation(rule)
    above, written = text.partition("\n## ")[0].strip(), sections(text)
    if not above or above.startswith("## ") or "\n\n" in above:
        yield at._replace(message="the docstring must begin with one paragraph: what is wrong")
    if [each for each in written if each in HEADINGS] != list(HEADINGS):
        listed = ", ".join(f"## {each}" for each in HEADINGS)
        yield at._replace(message=f"the docstring must have the headings {listed}, in this order")
    for heading, section in written.items():
        if not section:
            yield at._replace(message=f"nothing is written under ## {heading}")
    for heading in HEADINGS[1:]:
        shown = shown_files(rule, heading)
        lines = [line for code in shown.values() for line in code.splitlines() if line]
        if heading in written and not 0 < len(lines) <= LONGEST_EXAMPLE:
            message = (
                f"## {heading} must have 1 to {LONGEST_EXAMPLE} lines of code, not {len(lines)}"
            )
            yield at._replace(message=message)
    for reference in sections(text).get("References", "").splitlines():
        if not re.fullmatch(r"- https?://\S+", reference):
            yield at._replace(message=f"a reference must be `- https://…`, not {reference!r}")


def excuses_are_explained(rule: RuleType, at: Failure) -> Iterator[Failure]:
    """Check that each excuse, each doubt and each option has a line of the page."""
    kinds = {"excuses": (rule.excuses, not_reported), "doubts": (rule.doubts, notes)}
    for kind, (functions, lines) in kinds.items():
        if len(set(lines(rule))) != len(functions):
            names = ", ".join(getattr(each, "__name__", repr(each)) for each in functions)
            yield at._replace(message=f"each of the {kind} {names} needs a docstring of its own")
    for name, option in rule.options.items():
        if not option.help:
            yield at._replace(message=f"the option {name} needs a help text")


def fixes_say_how_safe(
    rule: RuleType, fixtures: Sequence[Fixture], at: Failure
) -> Iterator[Failure]:
    """Check that a rule with fixes says when they are safe."""
    if has_fixes(rule, fixtures) and "Fix safety" not in sections(documentation(rule)):
        yield at._replace(message="it has fixes, so the docstring must have ## Fix safety")


def the_example_is_found(folder: RuleFolder, rule: RuleType, at: Failure) -> Iterator[Failure]:
    """Check that the rule finds something in its example."""
    shown, options = shown_files(rule, "Example"), folder.options(rule)
    if shown and rule.code not in {each.code for each in found_in(shown, options)}:
        why = why_not_found(_kept_back_in(shown, options), rule.code)
        yield at._replace(message=f"{rule.code} finds nothing in ## Example: {why}")


def use_instead_is_silent(folder: RuleFolder, rule: RuleType, at: Failure) -> Iterator[Failure]:
    """Check that nothing is found in what is to be used instead."""
    for each in found_in(shown_files(rule, "Use instead"), folder.options(rule)):
        yield at._replace(message=f"{each.code} is found in ## Use instead: {each.message}")


def shown_files(rule: RuleType, heading: str) -> dict[str, str]:
    """Return the files that a section shows, by their paths."""
    section = sections(documentation(rule)).get(heading, "")
    return {
        block["title"] or _NAMES.get(block["language"], "job.py"): block["code"]
        for block in _BLOCK.finditer(f"{section}\n")
    }


def found_in(shown: Mapping[str, str], options: Mapping[str, Any]) -> list[Finding]:
    """Lint a project of these files; of configurations only one among them counts."""
    with _project(shown, options) as (configuration, paths):
        linted = [str(path) for path in paths.values() if path.name != "METADATA"]
        return list(run(linted, configuration.settings_for, Options(jobs=1)).findings)


def _kept_back_in(shown: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, KeptBack]:
    """Return what excuses keep back in each of these files, and where rules are asked."""
    with _project(shown, options) as (configuration, paths):
        linters = {
            name: Linter(configuration.settings_for(str(path.parent)), excused=True)
            for name, path in paths.items()
        }
        looked = {name: linters[name].lint_text(str(paths[name]), shown[name]) for name in shown}
        return {name: each.kept_back for name, each in looked.items() if each.kept_back}


@contextmanager
def _project(
    shown: Mapping[str, str], options: Mapping[str, Any]
) -> Iterator[tuple[Configuration, dict[str, Path]]]:
    """Write a project of these files for a while; yield its configuration, and their paths."""
    with TemporaryDirectory(prefix="rocmlint-rules-") as name:
        root = Path(name)
        (root / ".git").mkdir()
        paths = {each: root / each for each in shown}
        for path, code in zip(paths.values(), shown.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code, encoding="utf-8")
        configured = "rocmlint.toml" in shown or any(
            "[tool.rocmlint" in it for it in shown.values()
        )
        yield Configuration(options, isolated=not configured), paths
