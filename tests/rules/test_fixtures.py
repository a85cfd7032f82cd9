"""Every rule on its fixtures: what must be found, what must stay silent, what a fix makes of it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rocmlint.change.fix import apply_fixes, parser_of
from rocmlint.config.configuration import Configuration
from rocmlint.findings import Finding
from rocmlint.lint.check import check
from rocmlint.lint.discover import is_linted
from rocmlint.lint.fold import folded
from rocmlint.lint.linter import Linter
from rocmlint.lint.suppress import suppress
from rocmlint.rule.registry import load_rules
from rocmlint.rule.rule import Rule
from rocmlint.source.file import project_of
from rocmlint.source.python import Source
from tests.support.blanks import with_blanks

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXPECT = re.compile(r"[ \t]*# expect: (?P<codes>[A-Z0-9, ]+)$", re.MULTILINE)
RULES = [rule for rule in load_rules() if rule.on]
PROFILES = {rule.__module__.split(".")[-2]: rule.profile for rule in RULES if rule.profile}
"""The profiles of the families whose rules are off without."""


def folder_of(rule: type[Rule[Any]]) -> Path:
    """Return the fixtures of a rule: ``fixtures/<family>/<file of the rule>``."""
    family, stem = rule.__module__.split(".")[-2:]
    return FIXTURES / family / stem


def files(kind: str) -> list[Path]:
    """Return the files of one kind that are linted, whatever their format."""
    return sorted(
        path
        for rule in RULES
        for top in folder_of(rule).glob(f"{kind}*")
        for path in ([top] if top.is_file() else top.rglob("*"))
        if path.is_file() and is_linted(path.as_posix())
    )


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the fixtures without their marks, each ``bad`` or ``good`` as a project of its own."""
    root = tmp_path_factory.mktemp("projects")
    for top in (top for rule in RULES for top in folder_of(rule).iterdir()):
        for path in [top] if top.is_file() else filter(Path.is_file, top.rglob("*")):
            copy = root / project_path(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(EXPECT.sub("", path.read_text()))
        (root / top.relative_to(FIXTURES) / ".git").mkdir(parents=True, exist_ok=True)
    return root


def project_path(path: Path) -> Path:
    """Return the path of a fixture below ``projects``: a single file is a project of one file."""
    relative = path.relative_to(FIXTURES)
    return relative / relative.name if len(relative.parts) == 3 else relative


def linter_of(path: Path) -> Linter:
    options: dict[str, object] = {"preview": True}
    options.update(("profile", PROFILES[each]) for each in path.parts if each in PROFILES)
    return Linter(Configuration(options).settings_for(str(path.parent)))


def lint(path: Path, text: str | None = None) -> list[Finding]:
    """Lint a copied fixture as the command does, or another text in its place."""
    linter = linter_of(path)
    text = path.read_text() if text is None else text
    return list(linter.lint_text(str(path), text).findings)


@cache
def lint_copy(path: Path) -> list[Finding]:
    """Lint a copied fixture as it is: once for all the tests that look at its findings."""
    return lint(path)


def lint_whole(path: Path) -> list[Finding]:
    """Lint a copied Python fixture without any shortcut: all of it parsed, all rules asked."""
    linter = linter_of(path)
    source = Source(
        str(path), path.read_text(), whole=True, project=project_of(str(path), linter.settings)
    )
    found = check(source, linter.rules, shortcuts=False)
    return list(folded(suppress(source, found, linter.rules, load_rules())))


def expected(text: str) -> list[tuple[int, str]]:
    return [
        (number, code)
        for number, line in enumerate(text.split("\n"), 1)
        for match in EXPECT.finditer(line)
        for code in match["codes"].replace(",", " ").split()
    ]


def named(path: Path) -> str:
    return path.relative_to(FIXTURES).as_posix()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rule_has_fixtures_that_show_it(rule: type[Rule[Any]]) -> None:
    bad = [path for path in files("bad") if folder_of(rule) in path.parents]
    assert any(rule.code in path.read_text() for path in bad)
    assert [path for path in files("good") if folder_of(rule) in path.parents]


@pytest.mark.parametrize("path", files("bad"), ids=named)
def test_bad_code_is_found_at_the_marked_lines(path: Path, projects: Path) -> None:
    found = lint_copy(projects / project_path(path))
    marked = sorted(set(expected(path.read_text())))
    assert sorted({(each.line, each.code) for each in found}) == marked


@pytest.mark.parametrize("path", files("good"), ids=named)
def test_good_code_is_silent(path: Path, projects: Path) -> None:
    assert lint_copy(projects / project_path(path)) == []


@pytest.mark.parametrize(
    "path", [path for path in [*files("bad"), *files("good")] if path.suffix == ".py"], ids=named
)
def test_shortcuts_change_no_finding(path: Path, projects: Path) -> None:
    copy = projects / project_path(path)
    assert lint_copy(copy) == lint_whole(copy)


@pytest.mark.parametrize("path", files("fixed"), ids=named)
def test_fixes_make_the_fixed_file_and_then_nothing_more(path: Path, projects: Path) -> None:
    relative = path.relative_to(FIXTURES)
    bad = FIXTURES / Path(*(part.replace("fixed", "bad", 1) for part in relative.parts))
    copy = projects / project_path(bad)
    text = copy.read_text()
    for _ in range(10):
        text, applied = apply_fixes(text, lint(copy, text), unsafe=True)
        if not applied:
            break
    assert text == path.read_text()
    accepts = parser_of(str(path), copy.read_text())
    assert accepts is not None
    assert accepts(text)
    assert not [each for each in lint(copy, text) if each.fix]


PYTHON = [path for path in (*files("bad"), *files("good")) if path.suffix == ".py"]
LINE_BY_LINE = {"disabled_feature_toggle", "disabled_optional_toggle"}
"""Rules that look at the lines around a comment."""


@pytest.mark.slow
@pytest.mark.parametrize("path", PYTHON, ids=named)
def test_blanks_between_tokens_change_no_finding(path: Path, projects: Path) -> None:
    copy = projects / project_path(path)
    places = [(each.line, each.code) for each in lint(copy)]
    for blanks in ("  ", "\t\f"):
        found = lint(copy, with_blanks(copy.read_text(), blanks))
        assert [(each.line, each.code) for each in found] == places


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [each for each in PYTHON if not LINE_BY_LINE & {*each.parts}], ids=named
)
def test_backslashes_between_tokens_change_no_finding(path: Path, projects: Path) -> None:
    copy = projects / project_path(path)
    found = lint(copy, with_blanks(copy.read_text(), " \\\n\t"))
    assert sorted(each.code for each in found) == sorted(each.code for each in lint(copy))
