"""Notes: where each format shows them, and that they fail a run only where that is asked for."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from rocmlint.findings import Finding
from rocmlint.report import FORMATS, Report
from rocmlint.report.formats.github import MOST_NOTICES
from rocmlint.report.summary import summary
from rocmlint.rule.web import address
from tests.support.reports import check_json, rendered

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project

RULES = '''
from rocmlint.rule.rule import Rule
from rocmlint.rule.triggers import calls


class Fails(Rule):
    """A call that fails."""

    code, name, since = "ACM101", "fails", "0.1.0"
    on = calls("fails")

    def check(self, node, source):
        yield self.finding(node, source, f"`{self.name}` is called", help="Look.")


class Costs(Fails):
    """A call that costs."""

    code, name, severity = "ACM102", "costs", "warning"
    on = calls("costs")


class IsTrue(Fails):
    """A call that may matter."""

    code, name, severity = "ACM103", "is-true", "note"
    on = calls("says")
'''
PROGRAM = "says()\nfails()\ncosts()\nsays()\n"
SELECTED = ("--select", "ACM101,ACM102,ACM103,ROC9")


@pytest.fixture
def noted(project: Project) -> Project:
    """Make a project with an error, a warning and two notes."""
    project.write("pyproject.toml", '[tool.rocmlint]\nrules = ["house"]\n')
    project.write("house/rules.py", RULES)
    project.write("a.py", PROGRAM)
    return project


def said(text: str) -> Callable[[str], bool]:
    return lambda output: text in output


def levels(output: str) -> bool:
    (run,) = check_json("sarif", output)["runs"]
    return [each["level"] for each in run["results"]] == ["note", "error", "warning", "note"]


def severities(output: str) -> bool:
    found = [each["severity"] for each in json.loads(output)["findings"]]
    return found == ["note", "error", "warning", "note"]


def lines(output: str) -> bool:
    found = [json.loads(line)["severity"] for line in output.splitlines()]
    return found == ["note", "error", "warning", "note"]


def issues(output: str) -> bool:
    found = [each["severity"] for each in check_json("gitlab", output)]
    return found == ["info", "major", "minor", "info"]


def skipped(output: str) -> bool:
    root = ET.fromstring(output)  # noqa: S314 - it is our own
    cases = [case.find("skipped") for case in root.iter("testcase")]
    messages = [each.get("message") for each in cases if each is not None]
    counted = root.get("failures"), root.get("skipped")
    return messages == ["note: `is-true` is called. Look."] * 2 and counted == ("2", "2")


def diagnostics(output: str) -> bool:
    found = [each["severity"] for each in check_json("rdjson", output)["diagnostics"]]
    return found == ["INFO", "ERROR", "WARNING", "INFO"]


def page(output: str) -> bool:
    (data,) = re.findall(r'id="data">(.*?)</script>', output)
    found = [each["severity"] for each in json.loads(data)["findings"]]
    return found == ["note", "error", "warning", "note"] and '<div class="note"><dt>notes' in output


SHOWN: dict[str, Callable[[str], bool]] = {
    "text": said("\n\nnote ACM103 a.py:1, :4: `is-true` is called\n\n"),
    "concise": said("\na.py:1:1: note ACM103 `is-true` is called [is-true] (also :4)\n"),
    "grouped": said("\n\nnote ACM103 a.py:1, :4: `is-true` is called\n\n"),
    "json": severities,
    "json-lines": lines,
    "sarif": levels,
    "github": said(
        "::notice file=a.py,line=1,col=1,endColumn=7,title=ACM103 is-true::`is-true` is called."
    ),
    "gitlab": issues,
    "junit": skipped,
    "azure": said("note a.py:1:1: ACM103 `is-true` is called. Look.\n"),
    "rdjson": diagnostics,
    "pylint": said("a.py:1: [I(ACM103), is-true] `is-true` is called\n"),
    "markdown": said("\n**Notes**\n\n- `a.py:1, :4` **ACM103**: `is-true` is called\n"),
    "html": page,
}
"""What each format says where it shows notes."""
FOR_PEOPLE = ("text", "concise", "grouped")


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_shows_notes_and_only_findings_fail(noted: Project, name: str) -> None:
    shows = SHOWN[name]
    format_flags = (*SELECTED, "--output-format", name, "a.py")
    both = noted.run(*format_flags)
    assert shows(both.stdout), both.stdout
    assert both.returncode == 1
    summed = "Found 2 findings (1 error, 1 warning) and 2 notes in 1 file (1 checked)."
    assert summed in both.stderr
    dropped = noted.run(*format_flags, "--notes", "off")
    assert "is-true" not in dropped.stdout
    assert (dropped.returncode, "note" in dropped.stderr) == (1, False)
    quiet = noted.run(*format_flags, "-q")
    assert shows(quiet.stdout) == (name not in FOR_PEOPLE), quiet.stdout
    noted.write("a.py", "says()\n\n\nsays()\n")
    alone = noted.run(*format_flags)
    assert "is-true" in alone.stdout
    assert alone.returncode == 0
    assert "No issues found in 1 file; 2 notes." in alone.stderr
    failing = noted.run(*format_flags, "--fail-on", "note", "-q")
    assert "is-true" in failing.stdout
    assert failing.returncode == 1


@pytest.mark.parametrize("name", [*FOR_PEOPLE, "markdown"])
def test_full_notes_are_printed_as_other_findings(noted: Project, name: str) -> None:
    flags = (*SELECTED, "--output-format", name, "a.py")
    noted.write("rocmlint.toml", 'rules = ["house"]\nnotes = "full"\n')
    full = noted.run(*flags)
    assert full.stdout.count("`is-true` is called") == 2
    assert full.returncode == 1


def test_what_makes_a_run_fail_is_counted_as_found(noted: Project) -> None:
    noted.write("pyproject.toml", "[tool.rocmlint]\n")
    noted.write("rocmlint.toml", 'rules = ["house"]\n')
    noted.write("a.py", "says()\n")
    noted.write("strict/rocmlint.toml", 'rules = ["../house"]\nfail-on = "note"\n')
    noted.write("strict/b.py", "says()\n")
    strict = noted.run(*SELECTED, "a.py", "strict")
    assert strict.returncode == 1
    assert "Found 2 notes in 2 files (2 checked)." in strict.stderr
    assert strict.stdout.count("note ACM103 is-true\n") == 2


def notes_in(files: int, code: str = "ROC303") -> list[Finding]:
    return [
        Finding(f"{name:02}.py", line, 1, line, 2, code, "name", "message", "note")
        for name in range(files)
        for line in (3, 5)
    ]


def test_a_rule_has_three_lines_and_a_count() -> None:
    report = Report([*notes_in(5), *notes_in(3, "ROC401")], 9)
    assert rendered("text", report) == (
        "note ROC303 00.py:3, :5: message\n"
        "note ROC303 01.py:3, :5: message\n"
        "note ROC303 02.py:3, :5: message\n"
        "note ROC401 00.py:3, :5: message\n"
        "note ROC401 01.py:3, :5: message\n"
        "note ROC401 02.py:3, :5: message\n"
        "... and 4 more ROC303 notes (--notes full)\n"
        "\n"
    )
    many = [Finding("a.py", n, 1, n, 2, "ROC303", "name", "message", "note") for n in range(1, 31)]
    (line, _) = rendered("text", Report(many, 1)).splitlines()
    assert line == "note ROC303 a.py:1, :2, :3, :4, :5, :6, :7, :8, :9 and 21 more: message"


@pytest.mark.parametrize(
    ("files", "single", "last"),
    [
        (5, 10, ""),
        (6, 9, "::notice title=rocmlint::3 more notes%3A ROC303 (3); --notes full lists them\n"),
    ],
)
def test_github_gets_as_many_notices_as_it_shows(files: int, single: int, last: str) -> None:
    shown = rendered("github", Report(notes_in(files), files))
    assert shown.count("::notice file=") == single
    assert shown.count("::notice") <= MOST_NOTICES
    assert shown.endswith(last.replace("%3A", ":"))
    full = rendered("github", Report(notes_in(files), files, notes="full"))
    assert full.count("::notice file=") == 2 * files


def test_a_note_in_the_log_of_azure_is_no_command() -> None:
    found = Finding("##vso[a].py", 1, 1, 1, 2, "ROC1", "name", "x ##[error] y", "note")
    assert "##" not in rendered("azure", Report([found], 1))


def test_the_summary_counts_notes_for_themselves() -> None:
    notes = notes_in(1)
    warning = Finding("a.py", 1, 1, 1, 2, "ROC501", "name", "message", "warning")
    assert summary(notes, 856) == "No issues found in 856 files; 2 notes."
    assert summary(notes, 856, notes_fail=True) == "Found 2 notes in 1 file (856 checked)."
    assert summary([warning, *notes], 9) == (
        "Found 1 finding (1 warning) and 2 notes in 2 files (9 checked)."
    )
    assert summary([warning, *notes], 9, fixed=1) == (
        "Fixed 1 finding. 1 finding remaining (1 warning) and 2 notes in 2 files (9 checked)."
    )


def test_codes_are_links_only_on_a_terminal() -> None:
    (note, _) = notes_in(1)
    error = Finding("a.py", 1, 1, 1, 2, "ROC501", "name", "message")
    local = Finding("b.py", 1, 1, 1, 2, "ACM501", "name", "message")
    report = Report([error, local, note], 1)
    assert "\x1b]8" not in rendered("text", report, color=True)  # a file, such as a log
    from rocmlint.report.formats.text import render  # noqa: PLC0415 - as a terminal has it

    shown = "".join(render(report._replace(links=True), color=True))
    assert f"\x1b]8;;{address('ROC501', 'name')}\x1b\\ROC501\x1b]8;;\x1b\\" in shown
    assert f"\x1b]8;;{address('ROC303', 'name')}\x1b\\ROC303\x1b]8;;\x1b\\" in shown
    assert shown.count("\x1b]8;;http") == 2


def test_statistics_count_notes(noted: Project) -> None:
    table = noted.run(*SELECTED, "--statistics", "a.py").stdout
    assert "2  ACM103  is-true  2 notes\n" in table
    document = json.loads(
        noted.run(*SELECTED, "--statistics", "--output-format", "json", "a.py").stdout
    )
    first = document["rules"][0]
    assert (first["code"], first["findings"], first["notes"]) == ("ACM103", 0, 2)
    assert (document["summary"]["findings"], document["summary"]["notes"]) == (2, 2)
