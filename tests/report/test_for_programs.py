"""Reports for programs: each follows its schema, and says what a finding says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from rocmlint.findings import Edit, Finding, Fix
from rocmlint.report import Report
from rocmlint.rule.errors import errors_of
from rocmlint.rule.web import address
from tests.support.reports import IMAGE, LINE, NOTHING, REPORT, SYNC, check_json, junit, rendered

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("report", [REPORT, NOTHING], ids=["findings", "nothing"])
@pytest.mark.parametrize("name", ["json", "sarif", "gitlab", "rdjson"])
def test_json_formats_follow_their_schemas(name: str, report: Report) -> None:
    check_json(name, rendered(name, report))


def test_json_says_all_that_a_finding_says() -> None:
    document = check_json("json", rendered("json"))
    assert document["version"] == 1
    assert document["problems"] == ["cache: no space"]
    assert document["summary"] == {
        "files": 12, "findings": 3, "errors": 2, "warnings": 1, "notes": 0,
        "safe_fixes": 1, "unsafe_fixes": 1,
    }  # fmt: skip
    found = document["findings"][1]
    assert found.pop("fingerprint")
    assert found.pop("errors") == [
        {"title": each.title, "url": each.url} for each in errors_of("ROC501")
    ]
    assert found == {
        "path": "src/train.py", "cell": None,
        "line": 5, "column": 5, "end_line": 5, "end_column": 29,
        "code": "ROC501", "name": "sync-in-training-loop", "severity": "error",
        "message": SYNC.message, "help": SYNC.help, "url": address("ROC501", SYNC.name),
        "fix": {
            "title": "Take away the call",
            "safe": True,
            "edits": [
                {
                    "cell": None,
                    "line": 5, "column": 1, "end_line": 6, "end_column": 1, "replacement": "",
                }
            ],
        },
        "claims": [
            {
                "kind": "fast-path",
                "subject": "sdpa",
                "statement": "a fast kernel runs",
                "command": "rocmlint verify probe sdpa",
            }
        ],
        "related": [],
    }  # fmt: skip


def test_json_lines_are_objects_of_their_own() -> None:
    objects = [json.loads(line) for line in rendered("json-lines").splitlines()]
    for each in objects:
        Draft202012Validator(LINE).validate(each)
    assert [each["type"] for each in objects] == ["finding"] * 3 + ["problem"]
    assert rendered("json-lines", NOTHING) == ""


def test_sarif_describes_the_rules_and_carries_the_fixes() -> None:
    (run,) = check_json("sarif", rendered("sarif"))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == [
        "ROC900",
        "ROC501",
        "ROC602",
    ]
    assert rules[2]["shortDescription"]["text"].startswith("File cannot be read")
    assert "## Why it matters" in rules[2]["help"]["markdown"]
    assert [each["helpUri"] for each in rules] == [
        address(each["id"], each["name"]) for each in rules
    ]
    (fix,) = run["results"][1]["fixes"]
    assert fix["properties"] == {"safe": True}
    assert fix["artifactChanges"][0]["replacements"] == [
        {
            "deletedRegion": {"startLine": 5, "startColumn": 1, "endLine": 6, "endColumn": 1},
            "insertedContent": {"text": ""},
        }
    ]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_github_annotates_the_lines() -> None:
    assert rendered("github") == (
        "::error file=src/old.py,line=1,col=1,endColumn=1,title=ROC900 unreadable-file"
        f"::This file cannot be decoded.%0A{address('ROC900', 'unreadable-file')}\n"
        "::error file=src/train.py,line=5,col=5,endColumn=29,title=ROC501 sync-in-training-loop"
        f"::{SYNC.message}. {SYNC.help}%0A{address('ROC501', SYNC.name)}\n"
        "::warning file=src/train.py,line=6,endLine=8,title=ROC602 exif-transpose-no-effect"
        f"::No EXIF is left%0A{address('ROC602', IMAGE.name)}\n"
        "::error title=rocmlint::cache: no space\n"
    )


def test_junit_counts_each_finding_as_a_failure() -> None:
    root = junit(REPORT)
    assert root.attrib == {
        "name": "rocmlint", "tests": "4", "failures": "3", "errors": "1", "skipped": "0"
    }  # fmt: skip
    assert [suite.get("name") for suite in root] == ["src/old.py", "src/train.py", "rocmlint"]
    assert [case.get("name") for case in root[1]] == [
        "ROC501 sync-in-training-loop at 5:5",
        "ROC602 exif-transpose-no-effect at 6:13",
    ]


def test_junit_of_a_run_without_findings_is_one_test_that_passed() -> None:
    root = junit(NOTHING)
    assert root.attrib == {
        "name": "rocmlint", "tests": "1", "failures": "0", "errors": "0", "skipped": "0"
    }  # fmt: skip


# Azure Pipelines


def test_azure_logs_an_issue_for_each_finding() -> None:
    assert rendered("azure") == (
        "##vso[task.logissue type=error;sourcepath=src/old.py;linenumber=1;columnnumber=1;"
        "code=ROC900;]This file cannot be decoded.\n"
        "##vso[task.logissue type=error;sourcepath=src/train.py;linenumber=5;columnnumber=5;"
        f"code=ROC501;]{SYNC.message}. {SYNC.help}\n"
        "##vso[task.logissue type=warning;sourcepath=src/train.py;linenumber=6;columnnumber=13;"
        "code=ROC602;]No EXIF is left\n"
        "##vso[task.logissue type=error;]rocmlint: cache: no space\n"
    )


def test_azure_gets_the_exact_path_and_message_back() -> None:
    found = Finding("50%; a]b.py", 1, 1, 1, 2, "ROC501", "name", "50%;\n##vso[task.x]y")
    (line,) = rendered("azure", Report([found], 1)).splitlines()
    properties, _, message = line.partition("]")
    assert "sourcepath=50%AZP25%3B a%5Db.py;" in properties
    assert message == "50%AZP25;%0A##vso[task.x]y"


# Reviewdog


def suggested(text: str, *edits: Edit) -> list[dict[str, Any]]:
    fix = Fix("title", edits)
    found = Finding("a.py", 1, 1, 1, 2, "ROC501", "name", "message", fix=fix)
    output = rendered("rdjson", Report([found], 1, texts={"a.py": text}))
    (diagnostic,) = check_json("rdjson", output)["diagnostics"]
    return list(diagnostic["suggestions"])


def applied(text: str, suggestion: dict[str, Any]) -> str:
    """Apply a suggestion as its reader does, who counts in bytes."""
    lines = text.encode().splitlines(keepends=True)
    start, end = (
        sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1
        for place in (suggestion["range"]["start"], suggestion["range"]["end"])
    )
    data = text.encode()
    return (data[:start] + str(suggestion["text"]).encode() + data[end:]).decode()


def test_rdjson_says_what_reviewdog_shows() -> None:
    old, sync, image = check_json("rdjson", rendered("rdjson"))["diagnostics"]
    assert sync == {
        "message": f"{SYNC.message}. {SYNC.help}",
        "location": {
            "path": "src/train.py",
            "range": {"start": {"line": 5, "column": 5}, "end": {"line": 5, "column": 29}},
        },
        "severity": "ERROR",
        "code": {"value": "ROC501", "url": address("ROC501", SYNC.name)},
        "suggestions": [
            {
                "range": {"start": {"line": 5, "column": 1}, "end": {"line": 6, "column": 1}},
                "text": "",
            }
        ],
    }
    assert "suggestions" not in old
    assert image["severity"] == "WARNING"


def test_rdjson_counts_columns_in_bytes() -> None:
    text = "é𐐀 = half()\n"
    (suggestion,) = suggested(text, Edit(1, 6, 1, 10, "float"))
    assert suggestion["range"]["start"] == {"line": 1, "column": 10}
    assert applied(text, suggestion) == "é𐐀 = float()\n"


def test_all_edits_of_a_fix_are_one_suggestion() -> None:
    text = "import a\nx = 'é'\na.f(a.g())\n"
    edits = Edit(3, 5, 3, 6, "b"), Edit(1, 8, 1, 9, "b"), Edit(3, 1, 3, 2, "b")
    (suggestion,) = suggested(text, *edits)
    assert applied(text, suggestion) == "import b\nx = 'é'\nb.f(b.g())\n"


def test_a_suggestion_may_end_behind_the_last_line() -> None:
    (suggestion,) = suggested("a\nb", Edit(1, 2, 1, 2, ";"), Edit(2, 1, 3, 1, ""))
    assert suggestion["text"] == ";\n"


def test_edits_that_overlap_are_not_suggested() -> None:
    assert suggested("abc\n", Edit(1, 1, 1, 3, "x"), Edit(1, 2, 1, 4, "y")) == []


def test_paths_for_reviewdog_are_relative_to_its_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    paths = [str(tmp_path / "sub" / "a.py"), "../b.py"]
    report = Report([Finding(each, 1, 1, 1, 2, "ROC501", "name", "message") for each in paths], 2)
    found = check_json("rdjson", rendered("rdjson", report))["diagnostics"]
    assert [each["location"]["path"] for each in found] == ["a.py", "../b.py"]


# Pylint

PARSEABLE = re.compile(
    r"(?P<path>[^:]*):(?P<line>\d+): \[(?P<category>[A-Z])\((?P<rule>[^)]*)\), (?P<name>[^]]*)\] "
    r"(?P<message>.*)"
)


def test_pylint_lines_tell_the_severity_by_a_letter() -> None:
    assert rendered("pylint").splitlines()[1:] == [
        f"src/train.py:5: [E(ROC501), sync-in-training-loop] {SYNC.message}",
        "src/train.py:6: [W(ROC602), exif-transpose-no-effect] No EXIF is left",
    ]
    found = [PARSEABLE.fullmatch(line) for line in rendered("pylint").splitlines()]
    assert [each and each["category"] for each in found] == ["E", "E", "W"]
