"""Reports for programs: each follows its schema, and says what a finding says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from rocmlint.findings import Finding
from rocmlint.report import Report
from tests.support.reports import LINE, NOTHING, REPORT, SYNC, check_json, junit, rendered


@pytest.mark.parametrize("report", [REPORT, NOTHING], ids=["findings", "nothing"])
@pytest.mark.parametrize("name", ["json", "sarif", "gitlab"])
def test_json_formats_follow_their_schemas(name: str, report: Report) -> None:
    check_json(name, rendered(name, report))


def test_json_says_all_that_a_finding_says() -> None:
    document = check_json("json", rendered("json"))
    assert document["version"] == 1
    assert document["problems"] == ["cache: no space"]
    assert document["summary"] == {
        "files": 12, "findings": 3, "errors": 2, "warnings": 1, "safe_fixes": 1, "unsafe_fixes": 1,
    }  # fmt: skip
    found = document["findings"][1]
    assert found.pop("fingerprint")
    assert found == {
        "path": "src/train.py", "cell": None,
        "line": 5, "column": 5, "end_line": 5, "end_column": 29,
        "code": "ROC501", "name": "sync-in-training-loop", "severity": "error",
        "message": SYNC.message, "help": SYNC.help,
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
    assert rules[2]["shortDescription"]["text"].startswith("A file that cannot be read")
    assert "## Why it matters" in rules[2]["help"]["markdown"]
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
        "::This file cannot be decoded.\n"
        "::error file=src/train.py,line=5,col=5,endColumn=29,title=ROC501 sync-in-training-loop"
        f"::{SYNC.message}. {SYNC.help}\n"
        "::warning file=src/train.py,line=6,endLine=8,title=ROC602 exif-transpose-no-effect"
        "::No EXIF is left\n"
        "::error title=rocmlint::cache: no space\n"
    )


def test_junit_counts_each_finding_as_a_failure() -> None:
    root = junit(REPORT)
    assert root.attrib == {"name": "rocmlint", "tests": "4", "failures": "3", "errors": "1"}
    assert [suite.get("name") for suite in root] == ["src/old.py", "src/train.py", "rocmlint"]
    assert [case.get("name") for case in root[1]] == [
        "ROC501 sync-in-training-loop at 5:5",
        "ROC602 exif-transpose-no-effect at 6:13",
    ]


def test_junit_of_a_run_without_findings_is_one_test_that_passed() -> None:
    root = junit(NOTHING)
    assert root.attrib == {"name": "rocmlint", "tests": "1", "failures": "0", "errors": "0"}


@pytest.mark.parametrize("name", ["sarif", "github", "gitlab"])
def test_formats_for_forges_name_paths_from_the_working_folder(name: str) -> None:
    path = str(Path.cwd() / "src" / "x" / ".." / "train.py")
    report = Report([Finding(path, 1, 1, 1, 2, "ROC501", "name", "message")], 1)
    assert "src/train.py" in rendered(name, report)
    assert str(Path.cwd()) not in rendered(name, report)
