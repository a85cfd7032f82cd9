"""Reports of odd characters: none steers a terminal, adds a line or breaks a format."""

from __future__ import annotations

import io
import json
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.findings import Edit, Finding, Fix
from rocmlint.report import FORMATS, Report, write
from tests.support.reports import check_json, junit, rendered

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
@pytest.mark.parametrize(
    "name", ["text", "concise", "github", "azure", "grouped", "pylint", "markdown"]
)
def test_no_character_steers_a_terminal_or_adds_a_line(name: str, report: Report) -> None:
    output = rendered(name, report)
    assert output.replace("\n", "").isprintable()
    assert output.encode()
    if name == "github":
        assert all(line.startswith("::error ") for line in output.splitlines())


@given(odd_reports())
@pytest.mark.parametrize("name", ["json", "sarif", "gitlab", "rdjson"])
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
    assert "::50%25%0Amore%0Ahttps://" in rendered("github", report)


@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_that_lacks_characters_gets_escapes(name: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    found = Finding("模.py", 1, 1, 1, 2, "ROC501", "name", "für")
    write(name, Report([found], 1, texts={"模.py": "模\n"}), stream)
    stream.flush()
