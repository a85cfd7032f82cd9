"""Notebooks whose cells are documents of their own: what is shown in each, and what is fixed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.acme import FILES
from tests.support.editor import Editor, applied, marked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.editors.server.conftest import Start

pytest.importorskip("pygls")
Cell = tuple[str, str]
"""The language of a cell, and its text."""
CELLS: list[Cell] = [
    ("markdown", "# Serve"),
    ("python", "import os\n!pip install vllm"),
    ("python", "name = '🤗'; os.system('pip install vllm')"),
    ("shellscript", "%%bash\npip install vllm"),
]


class Notebook:
    """A notebook that is open in an editor."""

    def __init__(self, editor: Editor, name: str, cells: list[Cell]) -> None:
        self.editor = editor
        self.uri = editor.uri(name)
        self.version = 1
        self.texts = {f"{self.uri}#cell{number}": text for number, (_, text) in enumerate(cells)}
        languages = dict(zip(self.texts, (language for language, _ in cells), strict=True))
        document = {
            "uri": self.uri,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [
                {"kind": 1 if language == "markdown" else 2, "document": uri}
                for uri, language in languages.items()
            ],
        }
        items = [
            {"uri": uri, "languageId": languages[uri], "version": 1, "text": text}
            for uri, text in self.texts.items()
        ]
        params = {"notebookDocument": document, "cellTextDocuments": items}
        editor.notify("notebookDocument/didOpen", params)

    def change(self, cells: dict[str, Any]) -> None:
        """Change cells."""
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        params = {"notebookDocument": document, "change": {"cells": cells}}
        self.editor.notify("notebookDocument/didChange", params)

    def cell(self, number: int) -> str:
        """Return the address of a cell."""
        return f"{self.uri}#cell{number}"

    def wait_for(self, *shown: list[str]) -> None:
        """Wait until the texts of the findings in each cell are these."""
        self.editor.wait(lambda: [*self._shown()] == [*shown])

    def _shown(self) -> Iterator[list[str]]:
        for uri, text in self.texts.items():
            found = self.editor.published.get(uri, {}).get("diagnostics", [])
            yield [marked(text, each["range"]) for each in found]


@pytest.fixture(scope="module")
def notebook(editor: Editor) -> Notebook:
    return Notebook(editor, "cells.ipynb", CELLS)


def test_each_cell_shows_its_own_findings(notebook: Notebook) -> None:
    notebook.wait_for([], ["vllm"], ["vllm"], [])


def test_they_are_those_of_the_file(editor: Editor) -> None:
    (code,) = (each for each in json.loads(FILES["serve.ipynb"])["cells"] if "outputs" in each)
    same = Notebook(editor, "same.ipynb", [("python", "".join(code["source"]))])
    same.wait_for(["vllm", "vllm"])
    editor.open("file.ipynb", FILES["serve.ipynb"])
    codes = [each["code"] for each in editor.published[same.cell(0)]["diagnostics"]]
    assert codes == editor.codes("file.ipynb")


def test_cells_that_change_come_and_go(editor: Editor) -> None:
    notebook = Notebook(editor, "changed.ipynb", CELLS[:3])
    notebook.wait_for([], ["vllm"], ["vllm"])
    change = {"text": "import os\n!pip install numpy"}
    document = {"uri": notebook.cell(1), "version": 2}
    notebook.change({"textContent": [{"document": document, "changes": [change]}]})
    notebook.wait_for([], [], ["vllm"])
    gone = {"array": {"start": 2, "deleteCount": 1}, "didClose": [{"uri": notebook.cell(2)}]}
    notebook.change({"structure": gone})
    notebook.wait_for([], [], [])
    cell = {"kind": 2, "document": notebook.cell(9)}
    item = {"uri": cell["document"], "languageId": "python", "version": 1, "text": CELLS[1][1]}
    notebook.texts[notebook.cell(9)] = CELLS[1][1]
    array = {"start": 0, "deleteCount": 0, "cells": [cell]}
    notebook.change({"structure": {"array": array, "didOpen": [item]}})
    notebook.wait_for([], [], [], ["vllm"])


def test_a_fix_changes_the_cell_that_it_is_in(editor: Editor) -> None:
    cells = [(language, text.replace("\n", "\r\n")) for language, text in CELLS]
    notebook = Notebook(editor, "fixed.ipynb", cells)
    notebook.wait_for([], ["vllm"], ["vllm"], [])
    uri, text = notebook.cell(1), cells[1][1]
    (found,) = editor.published[uri]["diagnostics"]
    fix, hide, all_safe = editor.actions(uri, found["range"])
    assert applied(text, fix["edit"]["changes"][uri]) == text.replace("vllm", "aphrodite")
    assert applied(text, hide["edit"]["changes"][uri]).endswith(
        "install vllm  # rocmlint: ignore[ACME001] TODO: say why"
    )
    assert {*all_safe["edit"]["changes"]} == {notebook.cell(1), notebook.cell(2)}


def test_a_notebook_in_another_language_shows_nothing(editor: Editor) -> None:
    notebook = Notebook(editor, "none.ipynb", [("julia", "pip install vllm")])
    notebook.wait_for([])
    editor.wait(lambda: notebook.cell(0) in editor.published)


def test_a_closed_notebook_shows_nothing(editor: Editor) -> None:
    notebook = Notebook(editor, "closed.ipynb", CELLS[:2])
    notebook.wait_for([], ["vllm"])
    closed = [{"uri": uri} for uri in notebook.texts]
    params = {"notebookDocument": {"uri": notebook.uri}, "cellTextDocuments": closed}
    editor.notify("notebookDocument/didClose", params)
    notebook.wait_for([], [])


def test_cells_are_told_of_even_to_editors_that_ask(start: Start) -> None:
    editor = start(
        capabilities={
            "textDocument": {"diagnostic": {}},
            "notebookDocument": {"synchronization": {}},
        }
    )
    assert editor.server["notebookDocumentSync"]["notebookSelector"]
    notebook = Notebook(editor, "told.ipynb", CELLS[:2])
    notebook.wait_for([], ["vllm"])
    document = {"textDocument": {"uri": notebook.cell(1)}}
    assert editor.request("textDocument/diagnostic", document)["items"] == []
