"""The HTML report as a file: what is in it, that it needs nothing else, that text stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given, settings

from rocmlint.errors import ConfigError
from rocmlint.findings import Cell, Edit, Finding, Fix
from rocmlint.report import Report
from rocmlint.report.attached import Attached, read
from tests.report.test_odd_characters import odd_reports
from tests.support.reports import NOTHING, REPORT, rendered

if TYPE_CHECKING:
    from pathlib import Path

KEYS = 7
"""How many keys the page explains, at its end."""
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x00\u202e\ud800"


class Element(NamedTuple):
    """An element of a page, and the text directly in it."""

    tag: str
    attributes: dict[str, str | None]
    text: list[str]

    @property
    def content(self) -> str:
        return "".join(self.text)


class Page(HTMLParser):
    """A page as an HTML parser sees it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, dict(attrs), [])
        self.elements.append(made)
        self._open.append(made)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1].text.append(data)

    def all(self, tag: str, **attributes: str) -> list[Element]:
        wanted = attributes.items()
        return [e for e in self.elements if e.tag == tag and wanted <= e.attributes.items()]

    @property
    def data(self) -> Any:
        (script,) = self.all("script", type="application/json")
        return json.loads(script.content)


def page(report: Report = REPORT) -> Page:
    return Page(rendered("html", report))


# What is in it


def test_each_finding_is_in_the_page_with_its_code_its_help_and_its_fix() -> None:
    unreadable, sync, image = page().data["findings"]
    assert unreadable["path"] == "src/old.py"
    assert "frame" not in unreadable
    assert sync["place"] == "5:5"
    assert sync["code"] == "ROC501"
    assert sync["help"] == "Delete it, or call it once after the loop."
    assert sync["commands"] == ["rocmlint verify probe sdpa"]
    assert sync["fix"] == {
        "title": "Take away the call",
        "safe": True,
        "changes": [["-", "    torch.cuda.synchronize()"]],
    }
    assert image["severity"] == "warning"
    assert image["fix"]["changes"] == [
        ["-", "    image = Image.fromarray("],
        ["-", '        batch["pixels"],'],
        ["-", "    )"],
        ["+", "    image = batch"],
    ]


def test_the_frame_marks_the_span_and_shows_two_lines_around_it() -> None:
    _, sync, image = page().data["findings"]
    assert sync["frame"] == [
        [3, "def step(batch):", "", ""],
        [4, "    loss = model(batch)", "", ""],
        [5, "    ", "torch.cuda.synchronize()", ""],
        [6, "    image = Image.fromarray(", "", ""],
        [7, '        batch["pixels"],', "", ""],
    ]
    assert [line[2] for line in image["frame"]] == [
        *("", "", "Image.fromarray(", 'batch["pixels"],', ")", "", ""),
    ]


def test_a_cell_of_a_notebook_shows_no_lines_of_others() -> None:
    found = Finding("a.ipynb", 3, 1, 3, 4, "ROC501", "name", "message", cell=Cell(2, 2, 40))
    report = Report([found], 1, texts={"a.ipynb": "one\ntwo\nhot()\nfour"})
    (shown,) = page(report).data["findings"]
    assert shown["place"] == "cell 2:1:1"
    assert shown["frame"] == [[1, "", "hot", "()"]]


def test_built_in_rules_have_a_summary_and_a_link_to_their_page() -> None:
    rules = page().data["rules"]
    assert rules["ROC501"]["about"]
    assert rules["ROC501"]["page"].endswith("/rules/sync-in-training-loop/")
    local = Report([Finding("a.py", 1, 1, 1, 2, "ACME1", "own-rule", "message")], 1)
    assert page(local).data["rules"] == {"ACME1": {"name": "own-rule", "about": "", "page": ""}}


def test_without_scripts_findings_are_a_list_for_each_file() -> None:
    inside = rendered("html").partition("<noscript>")[2].partition("</noscript>")[0]
    assert re.findall("<h3>(.*?)</h3>", inside) == ["src/old.py", "src/train.py"]
    assert inside.count("<li>") == 3
    assert "<strong>5:5 error ROC501</strong>" in inside


def test_the_overview_has_the_numbers_the_families_and_the_problems() -> None:
    shown = page()
    assert [each.content for each in shown.all("dd")][:4] == ["2", "1", "2", "2"]
    assert [each.content for each in shown.all("th")] == ["ROC5", "ROC6", "ROC9"]
    assert "cache: no space" in [each.content for each in shown.all("li")]


def test_a_run_without_findings_is_a_page_that_says_so() -> None:
    shown = page(NOTHING)
    assert shown.data == {"rules": {}, "findings": []}
    assert "No issues found in 12 files." in [each.content for each in shown.all("p")]


# It needs nothing else, and nothing else runs


def test_only_the_script_of_the_page_may_run_and_nothing_is_loaded() -> None:
    shown = page()
    (policy,) = shown.all("meta", **{"http-equiv": "Content-Security-Policy"})
    told = str(policy.attributes["content"])
    assert told.startswith("default-src 'none';")
    assert "unsafe" not in told
    scripts = [each for each in shown.all("script") if "type" not in each.attributes]
    for (each,) in (scripts, shown.all("style")):
        digest = base64.b64encode(hashlib.sha256(each.content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in told
    loading = {"src", "srcset", "background", "action", "style"}
    assert not [e for e in shown.elements if loading & e.attributes.keys()]
    assert not shown.all("link")


def test_the_page_is_ascii_so_that_no_encoding_can_change_what_was_hashed() -> None:
    found = Finding("模.py", 1, 1, 1, 2, "ROC501", "name", "für")
    assert rendered("html", Report([found], 1, texts={"模.py": "模\n"})).isascii()


def skeleton(html: str) -> list[str]:
    return [each.tag for each in Page(html).elements]


@settings(max_examples=25)  # each is two pages to parse
@given(odd_reports())
def test_no_character_becomes_a_part_of_the_page(report: Report) -> None:
    html = rendered("html", report)
    (plain,) = report.findings
    fix = plain.fix and Fix("title", ())
    harmless = Finding("a", 1, 1, 1, 1, plain.code, plain.name, "m", help=plain.help, fix=fix)
    assert skeleton(html) == skeleton(rendered("html", Report([harmless], 1, ["problem"])))
    (found,) = Page(html).data["findings"]
    assert all(text.isprintable() for text in (found["path"], found["message"]))


def test_hostile_text_stays_text_wherever_it_is() -> None:
    found = Finding(
        HOSTILE, 1, 1, 1, 9, HOSTILE, HOSTILE, HOSTILE, help=HOSTILE,
        fix=Fix(HOSTILE, (Edit(1, 1, 1, 9, HOSTILE),)),
    )  # fmt: skip
    results = {"verdict": HOSTILE, "results": [{"verdict": HOSTILE, "claim": HOSTILE}, HOSTILE, 3]}
    shown = {"verdicts": [{"reason": HOSTILE}], "python": HOSTILE, "packages": {HOSTILE: HOSTILE}}
    attached = (Attached("verify", HOSTILE, results), Attached("stack", HOSTILE, shown))
    report = Report([found], 1, [HOSTILE], {HOSTILE: HOSTILE}, attached=attached)
    shown_page = page(report)
    assert len(shown_page.all("script")) == 2
    assert not shown_page.all("img")
    assert shown_page.data["findings"][0]["frame"][0][2] == HOSTILE[:8]


def test_a_line_of_a_megabyte_is_cut() -> None:
    line = "x" * 500_000 + "hot()" + "y" * 500_000
    edit = Edit(1, 500_001, 1, 500_006, "cold()")
    found = Finding(
        "a.py", 1, 500_001, 1, 500_006, "ROC501", "name", "message", fix=Fix("cool", (edit,))
    )
    html = rendered("html", Report([found], 1, texts={"a.py": line}))
    (shown,) = Page(html).data["findings"]
    assert shown["frame"][0][2] == "hot()"
    assert [part[1][57:68] for part in shown["fix"]["changes"]] == ["xxxxxxhot()", "xxxxxxcold("]
    assert len(html) < len(rendered("html", REPORT)) + 5_000


# What other verbs found


def write(path: Path, document: object) -> str:
    path.write_text(json.dumps(document))
    return str(path)


RESULT = {
    "check": "stock", "claim": "is as its wheel", "subject": "transformers",
    "verdict": "contradicted", "strength": "hashed", "seen": "1 file differs",
    "evidence": [{"name": "path", "value": "models/gemma.py"}],
    "reason": "a file was changed", "action": "pip install --force-reinstall transformers",
}  # fmt: skip
VERIFY = {"version": 1, "verdict": "contradicted", "results": [RESULT]}


def test_results_of_verify_are_shown_with_their_evidence(tmp_path: Path) -> None:
    attached = read(write(tmp_path / "verify.json", VERIFY))
    shown = page(NOTHING._replace(attached=(attached,)))
    assert [each.content for each in shown.all("span", **{"class": "badge error"})] == [
        "1 contradicted",
        "contradicted",
    ]
    told = [each.content for each in shown.all("dd")]
    assert "models/gemma.py" in told
    assert "a file was changed" in told


def test_the_stack_is_shown_with_what_is_not_compatible(tmp_path: Path) -> None:
    conflict = {"package": "vllm", "on": "torch", "judgement": "conflict", "reason": "needs 2.4"}
    fits = {"package": "numpy", "judgement": "fits", "reason": "is new enough"}
    document = {
        "version": 1, "verb": "show", "verdicts": [conflict, fits],
        "python": {"version": "3.12.1", "executable": "/usr/bin/python3"},
        "rocm": {"version": "7.1.0", "source": "/opt/rocm/.info/version"},
        "devices": {"names": ["gfx942", "gfx942"], "source": "rocminfo", "problems": []},
        "torch": None, "packages": {"numpy": "2.1"}, "unreadable": [],
    }  # fmt: skip
    attached = read(write(tmp_path / "stack.json", document))
    told = [each.content for each in page(NOTHING._replace(attached=(attached,))).all("dd")]
    assert told[:-KEYS] == [
        "3.12.1 /usr/bin/python3", "7.1.0 (/opt/rocm/.info/version)", "2 x gfx942 (rocminfo)",
        "not installed", "2.1", "needs 2.4",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "must be what"),
        ('{"version": 1, "findings": []}', "must be what"),
        ('{"version": 2, "verdict": "proven", "results": []}', "has version 2"),
    ],
)
def test_what_is_not_such_a_document_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=said):
        read(str(path))


def test_a_document_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nosuch.json: cannot be read"):
        read(str(tmp_path / "nosuch.json"))
