"""A report goes to logs that many can read: no format has the password of a line that it shows."""

from __future__ import annotations

import json

import pytest

from rocmlint.cli.flags import FLAGS
from rocmlint.findings import Edit, Finding, Fix
from rocmlint.report import Report
from tests.support.reports import rendered

SECRET = "S3CRET"  # noqa: S105 - of nobody
URL = f"https://me:{SECRET}@acme.example/simple"
LINE = f"pip install torch --index-url {URL} --upgrade"
START = LINE.index("--upgrade")


def finding(start: int, end: int, *edits: Edit) -> Finding:
    fix = Fix("Change it", edits) if edits else None
    return Finding("a.sh", 1, start + 1, 1, end + 1, "ROC201", "a-name", "Wrong", fix=fix)


def report(*findings: Finding, text: str = LINE) -> Report:
    return Report([*findings], 1, texts={"a.sh": text + "\n"})


@pytest.mark.parametrize("name", FLAGS["output-format"].choices)
@pytest.mark.parametrize("width", [0, 60, 100, 115, 118, 120, 125, 200])
def test_a_line_is_shown_without_it_wherever_the_line_is_cut(name: str, width: int) -> None:
    text = f"{'x' * width} {LINE}"
    at = width + 1 + START
    for start, end in ((0, 1), (at, at + 9), (at - 20, at - 10), (width, len(text))):
        assert "S3CR" not in rendered(name, report(finding(start, end), text=text))


def test_the_mark_below_a_line_stays_at_its_place() -> None:
    shown = rendered("text", report(finding(START, START + 9))).splitlines()
    (line,) = [each for each in shown if "--index-url" in each]
    (mark,) = [each for each in shown if "^" in each]
    assert line[mark.index("^") :] == "--upgrade"


@pytest.mark.parametrize("name", ["json", "json-lines", "sarif", "rdjson", "html"])
def test_a_fix_that_would_write_it_is_for_the_command_alone(name: str) -> None:
    whole = Edit(1, 1, 1, len(LINE) + 1, LINE.replace("torch", "torch==2.9"))
    shown = rendered(name, report(finding(0, 1, whole)))
    assert SECRET not in shown
    if name == "json":
        assert json.loads(shown)["findings"][0]["fix"] is None


def test_a_fix_of_another_place_in_the_line_is_kept() -> None:
    version = Edit(1, 18, 1, 18, "==2.9")
    shown = json.loads(rendered("json", report(finding(0, 1, version))))
    assert shown["findings"][0]["fix"]["edits"][0]["replacement"] == "==2.9"


def test_a_suggestion_that_spans_it_is_left_out() -> None:
    edits = (Edit(1, 1, 1, 4, "uv pip"), Edit(1, START + 1, 1, START + 10, "-U"))
    shown = rendered("rdjson", report(finding(0, 1, *edits)))
    assert SECRET not in shown
    assert "***" not in shown
