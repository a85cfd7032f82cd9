"""Reports for people: the code that is shown, the marks, the summary, the statistics."""

from __future__ import annotations

import re

import pytest

from rocmlint.findings import Finding
from rocmlint.report import Report
from rocmlint.report.statistics import table
from rocmlint.report.summary import summary
from tests.support.reports import IMAGE, REPORT, SYNC, UNREADABLE, rendered


def test_text_shows_the_code_and_how_it_can_be_fixed() -> None:
    assert (
        rendered("text")
        == """\
src/old.py:1:1: error ROC900 unreadable-file
  This file cannot be decoded.

src/train.py:5:5: error ROC501 sync-in-training-loop
  `torch.cuda.synchronize()` makes every step wait for the GPU
  |
5 |     torch.cuda.synchronize()
  |     ^^^^^^^^^^^^^^^^^^^^^^^^
  = help: Delete it, or call it once after the loop.
  = fix: Take away the call (safe, with --fix)
  = confirm: rocmlint verify probe sdpa

src/train.py:6:13: warning ROC602 exif-transpose-no-effect
  No EXIF is left
  |
6 |     image = Image.fromarray(
  |             ^^^^^^^^^^^^^^^^
7 |         batch["pixels"],
8 |     )
  = fix: Keep the image (unsafe, with --unsafe-fixes)

"""
    )


def test_concise_is_one_line_a_finding_without_its_help() -> None:
    assert rendered("concise").splitlines()[1] == (
        "src/train.py:5:5: ROC501 `torch.cuda.synchronize()` makes every step wait for the GPU "
        "[sync-in-training-loop]"
    )


def test_grouped_has_a_heading_for_each_file() -> None:
    assert rendered("grouped") == (
        "src/old.py:\n"
        "  1:1  ROC900 This file cannot be decoded. [unreadable-file]\n"
        "\n"
        "src/train.py:\n"
        f"  5:5   ROC501 {SYNC.message} [sync-in-training-loop]\n"
        "  6:13  ROC602 No EXIF is left [exif-transpose-no-effect]\n"
        "\n"
    )


@pytest.mark.parametrize("name", ["text", "concise", "grouped"])
def test_colours_come_only_when_told_and_change_no_word(name: str) -> None:
    colored = rendered(name, color=True)
    assert "\x1b[" not in rendered(name)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == rendered(name)


def frame(line: str, start: int, end: int) -> list[str]:
    found = Finding("a.py", 1, start + 1, 1, end + 1, "ROC501", "name", "message")
    shown = rendered("text", Report([found], 1, texts={"a.py": line}))
    return [part.partition("| ")[2] for part in shown.splitlines()[3:5]]


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("\tif x:\ty()", "    if x:    y()\n             ^^^"),
        ("模型 = y()", "模型 = y()\n       ^^^"),
        ("e\u0301 = y()", "e\u0301 = y()\n    ^^^"),
        ("'\x1b[2J' + y()", "'\\x1b[2J' + y()\n            ^^^"),
        ("'\u202e' + y()", "'\\u202e' + y()\n           ^^^"),
    ],
)
def test_marks_stand_below_what_they_mark(line: str, marked: str) -> None:
    start = line.index("y()")
    assert "\n".join(frame(line, start, start + 3)) == marked


def test_of_a_very_long_line_the_part_around_the_finding_is_shown() -> None:
    line = "x + " * 100_000 + "y()" + " + z" * 100_000
    code, marks = frame(line, 400_000, 400_003)
    assert len(code) < 200
    assert code[marks.index("^") : marks.rindex("^") + 1] == "y()"
    assert code.startswith("...")
    assert code.endswith("...")


def test_of_a_finding_of_many_lines_the_first_are_shown() -> None:
    text = "f(\n" + "    1,\n" * 50 + ")\n"
    found = Finding("a.py", 1, 1, 52, 2, "ROC501", "name", "message")
    shown = rendered("text", Report([found], 1, texts={"a.py": text})).splitlines()
    assert [line.strip() for line in shown[5:]] == [
        "2 |     1,",
        "3 |     1,",
        "4 |     1,",
        "| ...",
        "",
    ]


def test_summary_counts_findings_files_and_fixes() -> None:
    assert summary(REPORT.findings, 12) == (
        "Found 3 findings (2 errors, 1 warning) in 2 files (12 checked). "
        "1 can be fixed with --fix, 1 more with --unsafe-fixes."
    )
    assert summary([IMAGE], 1234, fixed=1) == (
        "Fixed 1 finding. 1 finding remaining (1 warning) in 1 file (1,234 checked). "
        "1 can be fixed with --unsafe-fixes."
    )
    assert summary([UNREADABLE], 1) == "Found 1 finding (1 error) in 1 file (1 checked)."
    assert summary([], 12) == "No issues found in 12 files."
    assert summary([], 1, fixed=2) == "Fixed 2 findings. No issues remaining in 1 file."


def test_statistics_count_each_rule_the_most_frequent_first() -> None:
    assert "".join(table(Report([UNREADABLE, SYNC, SYNC, IMAGE], 2))) == (
        "2  ROC501  sync-in-training-loop     2 safe fixes\n"
        "1  ROC602  exif-transpose-no-effect  1 unsafe fix\n"
        "1  ROC900  unreadable-file\n"
    )
    assert list(table(Report([], 2))) == []
