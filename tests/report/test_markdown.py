"""Markdown: nothing in a path or a message becomes markup, and long lists end."""

from __future__ import annotations

import pytest

from rocmlint.findings import Finding
from rocmlint.report import Report
from rocmlint.report.formats.markdown import MAXIMUM
from rocmlint.rule.web import SITE
from tests.support.reports import IMAGE, NOTHING, REPORT, SYNC, UNREADABLE, rendered


def listed(path: str, message: str) -> str:
    found = Finding(path, 5, 3, 5, 4, "ROC501", "name", message)
    return rendered("markdown", Report([found], 1)).splitlines()[-1]


def test_a_summary_counts_then_lists() -> None:
    assert rendered("markdown") == (
        "### rocmlint\n"
        "\n"
        "Found 3 findings (2 errors, 1 warning) in 2 files (12 checked). "
        "1 can be fixed with --fix, 1 more with --unsafe-fixes.\n"
        "\n"
        "- **error**: cache: no space\n"
        "\n"
        "| findings | code | rule |\n"
        "|---:|---|---|\n"
        f"| 1 | [ROC501]({SITE}/rules/{SYNC.name}/) | sync-in-training-loop |\n"
        f"| 1 | [ROC602]({SITE}/rules/{IMAGE.name}/) | exif-transpose-no-effect |\n"
        f"| 1 | [ROC900]({SITE}/rules/{UNREADABLE.name}/) | unreadable-file |\n"
        "\n"
        "- `src/old.py:1:1` error **ROC900**: This file cannot be decoded.\n"
        f"- `src/train.py:5:5` error **ROC501**: {SYNC.message}\n"
        "- `src/train.py:6:13` warning **ROC602**: No EXIF is left\n"
    )
    assert "No files to check." in rendered("markdown", Report([], 0))
    assert rendered("markdown", NOTHING) == "### rocmlint\n\nNo issues found in 12 files.\n\n"


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("a <img src=x> | [b](c) *d*", r"a \<img src=x\> \| \[b\](c) \*d\*"),
        ("`x | <b>` is `y`", "`x | <b>` is `y`"),
        ("a single ` <b>", r"a single \` \<b\>"),
        ("`` <b>", r"`  ` \<b\>"),
        ("two\nlines", "two lines"),
    ],
)
def test_a_message_means_nothing_but_itself(message: str, written: str) -> None:
    assert listed("a.py", message) == f"- `a.py:5:3` error **ROC501**: {written}"


@pytest.mark.parametrize(
    ("path", "written"),
    [("a`b.py", "``a`b.py:5:3``"), ("`a.py", "`` `a.py:5:3 ``"), ("<b>.py", "`<b>.py:5:3`")],
)
def test_a_path_is_code_whatever_it_has(path: str, written: str) -> None:
    assert listed(path, "message") == f"- {written} error **ROC501**: message"


def test_of_many_findings_the_first_are_listed() -> None:
    found = [SYNC] * (MAXIMUM + 1500)
    output = rendered("markdown", Report(found, 1, texts=REPORT.texts))
    assert output.count("src/train.py:5:5") == MAXIMUM
    assert output.endswith("\n1,500 more are not listed.\n")
