"""What is shown: in every format, for unsaved text, at the places that the editor counts."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.acme import FILES
from tests.support.editor import Editor, applied, marked

if TYPE_CHECKING:
    from pathlib import Path

    from tests.editors.server.conftest import Start

pytest.importorskip("pygls")
INSTALLS = 'import os\n\nos.system("pip install vllm")\n'
TURNED = """\
from PIL import Image, ImageOps

image = Image.open("a.png")
ImageOps.exif_transpose(image)
image.save("b.png")
"""
FORMATS = [
    "Dockerfile",
    ".github/workflows/ci.yml",
    "requirements.txt",
    "environment.yml",
    "install.sh",
    "Makefile",
    "docker-compose.yml",
    "tox.ini",
]


def replaced(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    """Return a change of a part of a line."""
    places = ({"line": line, "character": each} for each in (start, end))
    return {"range": dict(zip(("start", "end"), places, strict=True)), "text": text}


def test_a_diagnostic_says_what_the_command_says(editor: Editor) -> None:
    editor.open("said.py", INSTALLS)
    (found,) = editor.diagnostics("said.py")
    assert found == {
        "range": {"start": {"line": 2, "character": 23}, "end": {"line": 2, "character": 27}},
        "severity": 1,
        "code": "ACME001",
        "source": "rocmlint",
        "message": "vllm is installed",
    }


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_linted_before_it_is_saved(editor: Editor, name: str) -> None:
    path = f"unsaved/{name}"
    editor.open(path, FILES[name])
    shown = [marked(FILES[name], each["range"]) for each in editor.diagnostics(path)]
    assert shown
    assert [each for each in shown if "vllm" not in each and "cu121" not in each] == []


def test_the_text_of_a_notebook_is_marked_at_the_lines_of_its_json(editor: Editor) -> None:
    text = FILES["serve.ipynb"]
    editor.open("text.ipynb", text)
    shown = [marked(text, each["range"]).strip() for each in editor.diagnostics("text.ipynb")]
    assert shown == ['"!pip install vllm\\n",', "\"os.system('pip install vllm')\""]


def test_built_in_rules_have_a_page_help_and_a_severity(start: Start) -> None:
    editor = start("--isolated")
    editor.open("image.py", TURNED)
    (found,) = editor.diagnostics("image.py")
    assert found["codeDescription"]["href"].endswith("/rules/exif-transpose-no-effect/")
    assert found["message"].count("\n") == 1
    editor.open("unused.py", "x = 1  # rocmlint: ignore[ROC602] no image\n")
    (unused,) = editor.diagnostics("unused.py")
    assert (unused["code"], unused["severity"], unused["tags"]) == ("ROC901", 2, [1])


def test_a_note_is_information(project: Path, start: Start) -> None:
    rule = project / "own" / "no_vllm.py"
    rule.write_text(rule.read_text().replace('name = "', 'severity = "note"\n    name = "', 1))
    editor = start()
    editor.open("noted.py", INSTALLS)
    (found,) = editor.diagnostics("noted.py")
    assert (found["code"], found["severity"]) == ("ACME001", 3)
    (project / "rocmlint.toml").write_text(
        f'notes = "off"\n{(project / "rocmlint.toml").read_text()}'
    )
    editor = start()
    editor.open("noted.py", INSTALLS)
    assert editor.codes("noted.py") == []


def test_edits_of_parts_count_from_the_text_before(editor: Editor) -> None:
    editor.open("edited.py", INSTALLS)
    assert editor.codes("edited.py") == ["ACME001"]
    editor.change("edited.py", replaced(2, 23, 27, "numpy"))
    assert editor.codes("edited.py") == []
    editor.change("edited.py", replaced(2, 23, 28, "vl"), replaced(2, 25, 25, "lm"))
    assert editor.codes("edited.py") == ["ACME001"]
    editor.change("edited.py", {"text": "\n" + INSTALLS})
    assert editor.diagnostics("edited.py")[0]["range"]["start"]["line"] == 3


def test_lines_end_where_the_protocol_says(editor: Editor) -> None:
    text = "import os  # \x0c \x85 \u2028 \x1c\r\n\r\nos.system('pip install vllm')\r\n"
    editor.open("ends.py", text)
    assert editor.diagnostics("ends.py")[0]["range"]["start"]["line"] == 2
    editor.change("ends.py", replaced(2, 23, 27, "numpy"))
    assert editor.codes("ends.py") == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_count_in_the_units_that_were_agreed_on(start: Start, encoding: str) -> None:
    editor = start(capabilities={"general": {"positionEncodings": [encoding]}})
    assert editor.server["positionEncoding"] == encoding
    text = "import os\nname = '🤗 größe'; os.system('pip install vllm')\n"
    editor.open("units.py", text)
    (found,) = editor.diagnostics("units.py")
    assert marked(text, found["range"], encoding) == "vllm"
    change = {"range": found["range"], "text": "🤗 "}
    editor.change("units.py", change)
    assert editor.codes("units.py") == []
    undone = applied(text, [{"range": found["range"], "newText": "🤗 vllm"}], encoding)
    editor.change("units.py", {"text": undone})
    (found,) = editor.diagnostics("units.py")
    assert marked(undone, found["range"], encoding) == "vllm"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_byte_order_mark_takes_the_columns_that_it_has_for_the_editor(
    start: Start, encoding: str
) -> None:
    editor = start(capabilities={"general": {"positionEncodings": [encoding]}})
    text = "\ufeffimport os; os.system('pip install vllm')\n"
    editor.open("mark.py", text)
    range_ = editor.diagnostics("mark.py")[0]["range"]
    assert marked(text, range_, encoding) == "vllm"
    fix = editor.actions("mark.py", range_)[0]
    edits = fix["edit"]["changes"][editor.uri("mark.py")]
    assert applied(text, edits, encoding) == text.replace("vllm", "aphrodite")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.txt", "pip install vllm\n"),
        ("ignored/by_git.py", INSTALLS),
        (".venv/lib/module.py", INSTALLS),
        ("node_modules/pack/setup.py", INSTALLS),
        ("third_party/lib/module.py", INSTALLS),
        ("environment/lib/site-packages/a.py", INSTALLS),
    ],
)
def test_what_the_command_leaves_out_shows_nothing(editor: Editor, name: str, text: str) -> None:
    editor.open(name, text)
    assert editor.codes(name) == []


def test_comments_hide_as_they_do_for_the_command(editor: Editor) -> None:
    hidden = INSTALLS.rstrip() + "  # rocmlint: ignore[no-vllm] asked for\n"
    editor.open("hidden.py", hidden)
    assert editor.codes("hidden.py") == []
    editor.open("noqa.py", INSTALLS.rstrip() + "  # noqa: ACME001\n")
    assert editor.codes("noqa.py") == []


def test_a_baseline_hides_what_it_knows(project: Path, start: Start) -> None:
    (project / "known.py").write_text(INSTALLS)
    command = [sys.executable, "-m", "rocmlint", "--write-baseline", "--baseline=known.json", "."]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    configuration = project / "rocmlint.toml"
    configuration.write_text(f'baseline = "known.json"\n{configuration.read_text()}')
    editor = start()
    editor.open("known.py", "x = 1\n" + INSTALLS)
    assert editor.codes("known.py") == []
    editor.open("new.py", INSTALLS)
    assert editor.codes("new.py") == ["ACME001"]


def test_the_pins_of_other_files_count_as_they_are_on_disk(editor: Editor) -> None:
    folder = editor.folder / "pinned"
    folder.mkdir()
    (folder / "requirements.txt").write_text("torch==2.4.1\n")
    editor.open("pinned/constraints.txt", "vllm==0.5.0\n")
    (found,) = editor.diagnostics("pinned/constraints.txt")
    assert found["message"] == "vllm is declared beside torch==2.4.1"
    (folder / "requirements.txt").write_text("torch==2.5.0\n")
    editor.save("pinned/requirements.txt")
    uri = editor.uri("pinned/constraints.txt")
    editor.wait(lambda: "2.5.0" in editor.published[uri]["diagnostics"][0]["message"])


def test_a_script_without_a_suffix_is_told_by_its_first_line(editor: Editor) -> None:
    editor.open("serve", "#!/bin/sh\npip install vllm\n")
    assert editor.codes("serve") == ["ACME001"]


def test_a_file_that_was_never_saved_is_told_by_its_language(editor: Editor) -> None:
    editor.open("untitled:Untitled-1", INSTALLS, "python")
    assert editor.codes("untitled:Untitled-1") == ["ACME001"]


def test_what_is_no_file_shows_nothing(editor: Editor) -> None:
    editor.open("git:/a/serve.py", INSTALLS, "python")
    assert editor.codes("git:/a/serve.py") == []


def test_a_closed_file_shows_nothing(editor: Editor) -> None:
    editor.open("closed.py", INSTALLS)
    assert editor.codes("closed.py") == ["ACME001"]
    editor.shut("closed.py")
    editor.wait_for_codes("closed.py")


def test_of_many_quick_edits_only_the_last_text_counts(editor: Editor) -> None:
    editor.open("typed.py", "")
    for length in range(1, len(INSTALLS) + 1):
        editor.change("typed.py", {"text": INSTALLS[:length]})
    assert editor.codes("typed.py") == ["ACME001"]
    told = [
        message["params"]["version"]
        for way, message in editor.transcript
        if way == "<-" and message.get("params", {}).get("uri") == editor.uri("typed.py")
    ]
    assert told == sorted(told)
    assert len(told) < len(INSTALLS)


def test_an_editor_that_asks_is_answered_and_not_told(start: Start) -> None:
    pull = {
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    editor = start(capabilities=pull)
    editor.open("asked.py", INSTALLS)
    document = {"textDocument": {"uri": editor.uri("asked.py")}}
    first = editor.request("textDocument/diagnostic", document)
    assert [each["code"] for each in first["items"]] == ["ACME001"]
    again = {**document, "previousResultId": first["resultId"]}
    assert editor.request("textDocument/diagnostic", again)["kind"] == "unchanged"
    editor.change("asked.py", {"text": "x = 1\n"})
    assert editor.request("textDocument/diagnostic", again)["items"] == []
    assert editor.published == {}
    editor.save("asked.py")
    editor.wait(lambda: editor.refreshes)
