"""Every rule on its fixtures: what must be found, what must stay silent, what a fix makes of it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from rocmlint.config import Settings
from rocmlint.findings import Finding
from rocmlint.lint.check import check
from rocmlint.lint.fix import apply_fixes
from rocmlint.lint.scan import Scanner
from rocmlint.lint.source import Source
from rocmlint.lint.suppress import suppress
from rocmlint.registry import load_rules
from rocmlint.rule import Rule
from rocmlint.selection import enabled_rules

FIXTURES = Path(__file__).parent.parent / "fixtures"
EXPECT = re.compile(r"[ \t]*# expect: (?P<codes>[A-Z0-9, ]+)$", re.MULTILINE)
RULES = [rule for rule in load_rules() if rule.on]


def folder_of(rule: type[Rule[Any]]) -> Path:
    """Give the fixtures of a rule: ``fixtures/<family>/<file of the rule>``."""
    family, stem = rule.__module__.split(".")[-2:]
    return FIXTURES / family / stem


def files(kind: str) -> list[Path]:
    return sorted(
        path
        for rule in RULES
        for top in folder_of(rule).glob(f"{kind}*")
        for path in ([top] if top.suffix == ".py" else top.rglob("*.py"))
    )


def place_of(path: Path) -> str:
    """Give the path of a fixture inside its made-up project: what lies below bad/ or good/."""
    relative = path.relative_to(FIXTURES).parts[2:]
    return "/".join(relative[1:] or relative)


def lint(text: str, place: str, *, shortcuts: bool = True) -> list[Finding]:
    enabled = enabled_rules(Settings(preview=True))
    rules = Scanner(enabled).scan(text.encode()) if shortcuts else enabled
    source = Source(place, text, place=place, whole=not shortcuts)
    return suppress(source, check(source, rules, shortcuts=shortcuts), enabled, load_rules())


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
def test_bad_code_is_found_at_the_marked_lines(path: Path) -> None:
    marked = path.read_text()
    found = lint(EXPECT.sub("", marked), place_of(path))
    assert sorted({(each.line, each.code) for each in found}) == sorted(set(expected(marked)))


@pytest.mark.parametrize("path", files("good"), ids=named)
def test_good_code_is_silent(path: Path) -> None:
    assert lint(path.read_text(), place_of(path)) == []


@pytest.mark.parametrize("path", [*files("bad"), *files("good")], ids=named)
def test_shortcuts_change_no_finding(path: Path) -> None:
    text = EXPECT.sub("", path.read_text())
    place = place_of(path)
    assert lint(text, place) == lint(text, place, shortcuts=False)


@pytest.mark.parametrize("path", files("fixed"), ids=named)
def test_fixes_make_the_fixed_file_and_then_nothing_more(path: Path) -> None:
    bad = path.with_name(path.name.replace("fixed", "bad", 1))
    text = EXPECT.sub("", bad.read_text())
    for _ in range(10):
        text, applied = apply_fixes(text, lint(text, place_of(bad)), unsafe=True)
        if not applied:
            break
    assert text == path.read_text()
    ast.parse(text)
    assert not [each for each in lint(text, place_of(bad)) if each.fix]
