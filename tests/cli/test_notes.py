"""Notes where files are changed or compared: baseline, comments, fixes, diff, hooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate  # type: ignore[import-untyped]

from tests.report.test_notes import RULES, SELECTED

if TYPE_CHECKING:
    from tests.support.project import Project

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "baseline.json"
FIXED = '''

class Old(Fails):
    """A call that has another name."""

    code, name, severity = "ACM104", "old", "note"
    on = calls("old")

    def check(self, node, source):
        at = source.span(node.func)
        edit = Edit(at.line, at.column, at.end_line, at.end_column, "new")
        fix = Fix("Rename it", (edit,), safe=True)
        yield self.finding(node, source, "`old` is called", fix=fix)
'''
ALL = ("--select", "ACM101,ACM102,ACM103,ACM104,ROC9")


@pytest.fixture
def noted(project: Project) -> Project:
    """Make a project with an error and two notes, one of them with a fix."""
    project.write("pyproject.toml", '[tool.rocmlint]\nrules = ["house"]\n')
    project.write("house/rules.py", f"from rocmlint.findings import Edit, Fix\n{RULES}{FIXED}")
    project.write("a.py", "says()\nfails()\nold()\n")
    return project


def test_a_baseline_lists_notes_apart_and_judges_them_only_where_they_are_asked_for(
    noted: Project,
) -> None:
    flags = (*ALL, "--baseline", "known.json")
    written = noted.run(*flags, "--write-baseline", "a.py")
    assert "Wrote 1 finding and 2 notes to known.json." in written.stderr
    stored = json.loads(noted.read("known.json"))
    validate(stored, json.loads(SCHEMA.read_text()))
    assert [each["code"] for each in stored["findings"]] == ["ACM101"]
    assert [each["code"] for each in stored["notes"]] == ["ACM103", "ACM104"]
    known = noted.run(*flags, "a.py")
    assert (known.returncode, known.stdout) == (0, "")
    without = noted.run(*flags, "--notes", "off", "a.py")
    assert (without.returncode, "stale" in without.stderr) == (0, False)
    again = noted.run(*flags, "--notes", "off", "--write-baseline", "a.py")
    assert again.returncode == 0
    assert json.loads(noted.read("known.json")) == stored
    noted.write("a.py", "fails()\n")
    assert "2 stale entries" in noted.run(*flags, "a.py").stderr


@pytest.mark.parametrize(
    ("more", "suppressed"),
    [
        ((), ["ACM101"]),
        (("--notes", "full"), ["ACM103", "ACM101", "ACM104"]),
        (("--fail-on", "note"), ["ACM103", "ACM101", "ACM104"]),
    ],
)
def test_comments_are_added_for_what_fails(
    noted: Project, more: tuple[str, ...], suppressed: list[str]
) -> None:
    ended = noted.run(*ALL, *more, "--add-ignore=known", "a.py")
    lines = noted.read("a.py").splitlines()
    assert [line.partition("[")[2][:6] for line in lines if "ignore[" in line] == suppressed
    assert ended.returncode == 0
    left = "; 2 notes" if len(suppressed) == 1 else ""
    assert f"No issues found in 1 file{left}." in ended.stderr
    assert ended.stdout.count("note ACM") == (2 if left else 0)


def test_a_safe_fix_of_a_note_is_applied_as_any_other(noted: Project) -> None:
    noted.write("a.py", "old()\n")
    assert (
        "No issues found in 1 file; 1 note. 1 can be fixed with --fix."
        in noted.run(*ALL, "a.py").stderr
    )
    ended = noted.run(*ALL, "--fix", "a.py")
    assert (ended.returncode, noted.read("a.py")) == (0, "new()\n")
    noted.write("a.py", "old()\n")
    noted.run(*ALL, "--fix", "--notes", "off", "a.py")
    assert noted.read("a.py") == "old()\n"


def test_a_comment_that_suppresses_a_note_is_used_also_where_notes_are_off(noted: Project) -> None:
    noted.write("a.py", "says()  # rocmlint: ignore[ACM103] of old\n")
    for notes in ("short", "off"):
        ended = noted.run(*ALL, "--notes", notes, "a.py")
        assert (ended.returncode, ended.stdout) == (0, ""), notes


@pytest.mark.parametrize(
    ("configured", "flags", "heard"),
    [
        ("", (), False),
        ('notes = "short"', (), True),
        ('notes = "off"', ("--notes", "full"), True),
        ("", ("--config", "notes = 'full'"), True),
    ],
)
def test_a_hook_is_without_notes_unless_somebody_sets_them(
    noted: Project, configured: str, flags: tuple[str, ...], *, heard: bool
) -> None:
    noted.write("pyproject.toml", f'[tool.rocmlint]\nrules = ["house"]\n{configured}\n')
    ended = noted.run("--hook", *ALL, *flags, "a.py")
    assert ("ACM103" in ended.stdout) == heard
    assert "ACM101" in ended.stdout


def test_notes_in_short_and_in_full_share_a_cache(noted: Project) -> None:
    for notes in ("short", "full"):
        noted.run(*SELECTED, "--notes", notes, "a.py")
    assert len(list((noted.root / ".rocmlint_cache").rglob("*.json"))) == 1
