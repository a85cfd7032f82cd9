"""Reports: each format says the same, is what its readers expect, and survives odd characters."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from rocmlint.errors import RocmlintError
from rocmlint.findings import Claim, Edit, Finding, Fix
from rocmlint.report import FORMATS, Report, write, write_file
from rocmlint.report.diff import write_diff
from rocmlint.report.summary import statistics, summary

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"
SCRIPT = """import torch

def step(batch):
    loss = model(batch)
    torch.cuda.synchronize()
    image = Image.fromarray(
        batch["pixels"],
    )
    return loss
"""
SYNC = Finding(
    "src/train.py", 5, 5, 5, 29, "ROC501", "sync-in-training-loop",
    "`torch.cuda.synchronize()` makes every step wait for the GPU",
    help="Delete it, or call it once after the loop.",
    fix=Fix("Take away the call", (Edit(5, 1, 6, 1, ""),), safe=True),
    claims=(Claim("fast-path", "sdpa", "a fast kernel runs", "rocmlint verify probe sdpa"),),
)  # fmt: skip
IMAGE = Finding(
    "src/train.py", 6, 13, 8, 6, "ROC602", "exif-transpose-no-effect", "No EXIF is left",
    "warning", fix=Fix("Keep the image", (Edit(6, 13, 8, 6, "batch"),)),
)  # fmt: skip
UNREADABLE = Finding(
    "src/old.py", 1, 1, 1, 1, "ROC900", "unreadable-file", "This file cannot be decoded."
)
REPORT = Report([UNREADABLE, SYNC, IMAGE], 12, ["cache: no space"], {"src/train.py": SCRIPT})
NOTHING = Report([], 12)


def rendered(name: str, report: Report = REPORT, *, color: bool = False) -> str:
    stream = io.StringIO()
    write(name, report, stream, color=color)
    return stream.getvalue()


# For people


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


@pytest.mark.parametrize("name", ["text", "concise"])
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


def test_a_run_without_files_does_not_look_like_a_clean_one() -> None:
    assert summary([], 0) == "No files to check."


def test_statistics_count_each_rule_the_most_frequent_first() -> None:
    assert "".join(statistics([UNREADABLE, SYNC, SYNC, IMAGE])) == (
        "2  ROC501  sync-in-training-loop     2 safe fixes\n"
        "1  ROC602  exif-transpose-no-effect  1 unsafe fix\n"
        "1  ROC900  unreadable-file\n"
    )
    assert list(statistics([])) == []


# For programs

SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "required": ["tool", "columnKind", "results", "invocations"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {"driver": {"required": ["name", "rules"]}},
                    },
                    "columnKind": {"const": "unicodeCodePoints"},
                    "invocations": {"items": {"required": ["executionSuccessful"]}},
                    "results": {"items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "message": {"required": ["text"], "properties": {"text": {"type": "string"}}},
        "place": {
            "required": ["uri"],
            "properties": {"uri": {"pattern": r"^[A-Za-z0-9%/._~!$&'()*+,;=@:-]+$"}},
        },
        "region": {
            "required": ["startLine", "startColumn", "endLine", "endColumn"],
            "additionalProperties": {"type": "integer", "minimum": 1},
        },
        "result": {
            "required": ["ruleId", "ruleIndex", "message", "locations"],
            "properties": {
                "level": {"enum": ["error", "warning"]},
                "message": {"$ref": "#/$defs/message"},
                "locations": {
                    "minItems": 1,
                    "items": {
                        "properties": {
                            "physicalLocation": {
                                "required": ["artifactLocation", "region"],
                                "properties": {
                                    "artifactLocation": {"$ref": "#/$defs/place"},
                                    "region": {"$ref": "#/$defs/region"},
                                },
                            }
                        }
                    },
                },
                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                "fixes": {
                    "items": {
                        "required": ["artifactChanges"],
                        "properties": {
                            "description": {"$ref": "#/$defs/message"},
                            "artifactChanges": {
                                "minItems": 1,
                                "items": {
                                    "required": ["artifactLocation", "replacements"],
                                    "properties": {
                                        "artifactLocation": {"$ref": "#/$defs/place"},
                                        "replacements": {
                                            "minItems": 1,
                                            "items": {
                                                "required": ["deletedRegion"],
                                                "properties": {
                                                    "deletedRegion": {"$ref": "#/$defs/region"},
                                                    "insertedContent": {"required": ["text"]},
                                                },
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    }
                },
            },
        },
    },
}
GITLAB = {
    "type": "array",
    "items": {
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "required": ["path", "lines"],
                "properties": {"lines": {"required": ["begin"]}},
            },
        },
    },
}
JSON = json.loads((SCHEMAS / "report.json").read_text())
LINE = {"$ref": "#/$defs/line", "$defs": JSON["$defs"]}


def check_json(name: str, output: str) -> Any:
    schema = {"json": JSON, "sarif": SARIF, "gitlab": GITLAB}[name]
    document = json.loads(output)
    Draft202012Validator(schema).validate(document)
    output.encode("ascii")
    return document


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


def junit(report: Report) -> ET.Element:
    return ET.fromstring(rendered("junit", report))  # noqa: S314 - it is our own


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


# Fingerprints


def fingerprints(text: str, *lines: int) -> list[str]:
    found = [Finding("a.py", line, 1, line, 5, "ROC501", "name", "message") for line in lines]
    output = rendered("gitlab", Report(found, 1, texts={"a.py": text}))
    return [issue["fingerprint"] for issue in json.loads(output)]


def test_fingerprints_stay_when_lines_move_and_tell_findings_apart() -> None:
    before = fingerprints("half()\nload()\nhalf()\n", 1, 2, 3)
    assert len(set(before)) == 3
    assert fingerprints("# new\nhalf()\n\nif x:\n    load()\nhalf()\n", 2, 5, 6) == before
    assert fingerprints("half(x)\n", 1) != before[:1]


# Odd characters

STEERING = "\x1b\x00\x07\r\n\u202e\u2028\ud800\udcff\x9b%:,]><&\"'"
ODD = st.text(st.one_of(st.characters(), st.sampled_from(STEERING)))


@st.composite
def odd_reports(draw: st.DrawFn) -> Report:
    path, line = "a" + draw(ODD), draw(ODD.filter(lambda text: "\n" not in text))
    end = draw(st.integers(1, len(line) + 2))
    edit = Edit(1, 1, 1, end, draw(ODD))
    found = Finding(
        path, 1, draw(st.integers(1, end)), 1, end, "ROC501", "name", "m" + draw(ODD),
        fix=Fix(draw(ODD), (edit,)),
    )  # fmt: skip
    return Report([found], 1, [draw(ODD)], {path: line})


@given(odd_reports())
@pytest.mark.parametrize("name", ["text", "concise", "github"])
def test_no_character_steers_a_terminal_or_adds_a_line(name: str, report: Report) -> None:
    output = rendered(name, report)
    assert output.replace("\n", "").isprintable()
    assert output.encode()
    if name == "github":
        assert all(line.startswith("::error ") for line in output.splitlines())


@given(odd_reports())
@pytest.mark.parametrize("name", ["json", "sarif", "gitlab"])
def test_json_formats_follow_their_schemas_with_any_characters(name: str, report: Report) -> None:
    document = check_json(name, rendered(name, report))
    json.dumps(document, ensure_ascii=False).encode()  # no half of a surrogate pair


@given(odd_reports())
def test_junit_is_xml_with_any_characters(report: Report) -> None:
    assert junit(report).get("failures") == "1"


def test_sarif_and_github_give_the_exact_path_back() -> None:
    path = "src/100%: a,b\udcff.py"
    report = Report([Finding(path, 1, 1, 1, 1, "ROC501", "name", "50%\nmore")], 1)
    result = json.loads(rendered("sarif", report))["runs"][0]["results"][0]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote_to_bytes(uri) == b"src/100%: a,b\xff.py"
    assert "file=src/100%25%3A a%2Cb" in rendered("github", report)
    assert rendered("github", report).endswith("::50%25%0Amore\n")


@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_that_lacks_characters_gets_escapes(name: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    found = Finding("模.py", 1, 1, 1, 2, "ROC501", "name", "für")
    write(name, Report([found], 1, texts={"模.py": "模\n"}), stream)
    stream.flush()


# Files and start-up


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_can_be_written_to_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "reports" / "out"
    write_file(name, REPORT, str(path))
    assert path.read_text() == rendered(name)
    assert [each.name for each in path.parent.iterdir()] == ["out"]


def test_a_report_that_cannot_be_written_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(RocmlintError, match=f"report to {tmp_path}"):
        write_file("sarif", REPORT, str(tmp_path))


def test_a_run_without_findings_loads_little() -> None:
    code = (
        "import sys; from rocmlint.report import Report, write\n"
        "write('text', Report([], 3), sys.stdout)\n"
        "print(*sorted({'dataclasses', 'json', 'xml', 'libcst'} & set(sys.modules)))"
    )
    command = [sys.executable, "-S", "-c", code]
    environment = {"PYTHONPATH": str(SCHEMAS.parent.parent / "src")}
    run = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert run.stdout.split() == []


# Diffs

DIFF = "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-half()\r\n+bfloat16()  # \x1b[2J ü\r\n".encode("latin-1")


def test_a_diff_for_a_program_is_exact() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    write_diff(DIFF, stream, color=False)
    assert stream.buffer.getvalue() == DIFF


def test_a_diff_for_a_person_is_harmless() -> None:
    stream = io.StringIO()
    write_diff(DIFF, stream, color=False)
    assert stream.getvalue().replace("\n", "").isprintable()
    assert stream.getvalue().endswith("-half()\n+bfloat16()  # \\x1b[2J \\xfc\n")


def test_a_diff_in_colour_is_the_same_diff() -> None:
    plain, colored = io.StringIO(), io.StringIO()
    write_diff(DIFF, plain, color=False)
    write_diff(DIFF, colored, color=True)
    assert "\x1b[31m-half()" in colored.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored.getvalue()) == plain.getvalue()
