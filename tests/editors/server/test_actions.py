"""What can be done about a finding: fix it, fix all that is safe, hide it with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.acme import FILES
from tests.support.editor import Editor, applied

if TYPE_CHECKING:
    from tests.editors.server.conftest import Start

pytest.importorskip("pygls")
INSTALLS = "import os\n\nos.system('pip install vllm')  # why\n"
TURNED = """\
from PIL import Image, ImageOps

image = Image.open("a.png")
ImageOps.exif_transpose(image)
image.save("b.png")
"""
VERSIONED = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
IGNORED = "  # rocmlint: ignore[ACME001] TODO: say why"


def edits_of(editor: Editor, action: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the edits of an action that is about one file."""
    ((uri, edits),) = action["edit"]["changes"].items()
    assert uri == editor.uri(name)
    found: list[dict[str, Any]] = edits
    return found


def offered(editor: Editor, name: str, text: str) -> dict[str, str]:
    """Return the titles of the actions for the first finding, and the text after each."""
    editor.open(name, text)
    first = editor.diagnostics(name)[0]
    actions = editor.actions(name, first["range"])
    return {each["title"]: applied(text, edits_of(editor, each, name)) for each in actions}


def test_a_safe_fix_is_preferred_and_an_unsafe_one_says_so(editor: Editor, start: Start) -> None:
    editor.open("fixed.py", INSTALLS)
    (found,) = editor.diagnostics("fixed.py")
    safe, hide, _ = editor.actions("fixed.py", found["range"])
    assert (safe["title"], safe["kind"]) == ("Name the other (ACME001)", "quickfix")
    assert (safe["isPreferred"], hide["isPreferred"]) == (True, False)
    assert safe["diagnostics"] == [found]
    strict = start("--isolated")
    strict.open("turned.py", TURNED)
    unsafe, _ = strict.actions("turned.py", strict.diagnostics("turned.py")[0]["range"])
    assert (unsafe["title"], unsafe["isPreferred"]) == ("Assign the result (ROC602, unsafe)", False)


def test_an_edit_replaces_no_more_than_what_changes(editor: Editor) -> None:
    editor.open("least.py", INSTALLS)
    (found,) = editor.diagnostics("least.py")
    fix = editor.actions("least.py", found["range"])[0]
    assert edits_of(editor, fix, "least.py") == [{"range": found["range"], "newText": "aphrodite"}]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_marks_stay(editor: Editor, end: str, mark: str) -> None:
    text = mark + INSTALLS.replace("\n", end)
    name = f"ends_{len(end)}{len(mark)}.py"
    after = offered(editor, name, text)
    assert after == {
        "Name the other (ACME001)": text.replace("vllm", "aphrodite"),
        "Ignore ACME001 here, with a reason": text.replace("# why", f"# why{IGNORED}"),
        "Apply all safe fixes of rocmlint": text.replace("vllm", "aphrodite"),
    }


def test_a_dockerfile_gets_the_comment_on_a_line_of_its_own(editor: Editor) -> None:
    text = FILES["Dockerfile"].replace("\n", "\r\n")
    after = offered(editor, "docker/Dockerfile", text)["Ignore ACME001 here, with a reason"]
    assert after == text.replace("    pip", f"    {IGNORED.strip()}\r\n    pip")


def test_a_fix_that_cannot_be_written_back_is_not_offered(editor: Editor) -> None:
    """The editor would write the file as Latin-1, which has no such character."""
    text = f"# coding: latin-1\n{INSTALLS}x = '🤗'\n"
    assert offered(editor, "latin.py", text) == {}


def test_text_that_cannot_be_parsed_is_left_alone(editor: Editor) -> None:
    assert offered(editor, "broken.py", INSTALLS + "\n\ndef f():\n    x = = 1\n") == {}


def test_fix_all_takes_what_is_safe_and_no_more(editor: Editor, start: Start) -> None:
    text = INSTALLS + "\n\ndef f():\n    os.system('pip install vllm')\n"
    editor.open("all.py", text)
    (action,) = editor.actions("all.py", only=["source.fixAll"])
    assert action["kind"] == "source.fixAll.rocmlint"
    after = applied(text, edits_of(editor, action, "all.py"))
    assert after == text.replace("vllm", "aphrodite")
    strict = start("--isolated")
    strict.open("turned.py", TURNED)
    assert strict.codes("turned.py") == ["ROC602"]
    assert strict.actions("turned.py", only=["source.fixAll.rocmlint"]) == []


def test_only_the_kinds_that_are_asked_for_are_offered(editor: Editor) -> None:
    editor.open("kinds.py", INSTALLS)
    (found,) = editor.diagnostics("kinds.py")

    def kinds(*only: str) -> set[str]:
        return {each["kind"] for each in editor.actions("kinds.py", found["range"], only)}

    assert kinds("quickfix") == {"quickfix"}
    assert kinds("source") == kinds("source.fixAll") == {"source.fixAll.rocmlint"}
    assert kinds("refactor") == kinds("source.organizeImports") == set()


def test_edits_name_the_version_of_the_text_that_they_are_for(start: Start) -> None:
    editor = start(capabilities=VERSIONED)
    editor.open("version.py", INSTALLS)
    editor.change("version.py", {"text": "\n" + INSTALLS})
    (found,) = editor.diagnostics("version.py")
    action = editor.actions("version.py", found["range"])[0]
    (change,) = action["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": editor.uri("version.py"), "version": 2}


def test_the_text_of_a_notebook_is_fixed_in_its_json(editor: Editor) -> None:
    text = FILES["serve.ipynb"]
    after = offered(editor, "fixed.ipynb", text)
    assert after["Apply all safe fixes of rocmlint"] == text.replace("vllm", "aphrodite")
