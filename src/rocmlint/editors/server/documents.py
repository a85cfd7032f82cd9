"""The documents that the editor has open: text files, and notebooks with a document for each cell.

pygls keeps them; here they become what is linted, and places in it become those of the protocol.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from lsprotocol import types
from pygls.uris import to_fs_path, uri_scheme
from pygls.workspace import TextDocument, Workspace

from rocmlint.editors.server.messages import Unsaved
from rocmlint.formats import NOTEBOOK
from rocmlint.text.text import with_plain_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders of installed packages: an editor opens their files to read them."""
_UNTITLED = "untitled"
_BOM = "\ufeff"


class Document(TextDocument):
    """A text document whose lines end where the protocol says, and not at form feeds too."""

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends."""
        return tuple(_LINE.findall(self.source))


class Documents(Workspace):
    """The open documents."""

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> TextDocument:
        codec = self.position_codec
        return Document(doc_uri, source, version, language_id, position_codec=codec)

    def update_text_document(
        self,
        text_doc: types.VersionedTextDocumentIdentifier,
        change: types.TextDocumentContentChangeEvent,
    ) -> None:
        """Change an open document; of one that is not open there is nothing to change."""
        if unquote(text_doc.uri) in self.text_documents:
            super().update_text_document(text_doc, change)

    def update_notebook_document(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Change an open notebook; of one that is not open there is nothing to change."""
        if unquote(params.notebook_document.uri) in self.notebook_documents:
            super().update_notebook_document(params)

    def subject_of(self, uri: str) -> str:
        """Return what is linted as a whole: the notebook of a cell, else the document itself."""
        notebook = self.get_notebook_document(cell_uri=uri)
        return uri if notebook is None else notebook.uri

    def is_open(self, uri: str) -> bool:
        """Return whether the editor has a text document open."""
        return uri in self._addresses()

    def _addresses(self) -> list[str]:
        return [each.uri for each in self.text_documents.values()]

    def unsaved(self, subject: str) -> Unsaved | None:
        """Return a document or a notebook as it is linted, None for one that is no file."""
        notebook = self.get_notebook_document(notebook_uri=subject)
        if notebook is not None:
            path = _path_of(notebook.uri, NOTEBOOK)
            text = None if path is None else json.dumps(self._notebook(notebook))
        elif self.is_open(subject):
            document = self.get_text_document(subject)
            ending = ".py" if document.language_id == "python" else ""
            path, text = _path_of(subject, ending), document.source
        else:
            return None
        if path is None or text is None or not _INSTALLED.isdisjoint(path.split(os.sep)):
            return None
        path = path if os.path.isabs(path) else os.path.join(self._root(), path)
        return Unsaved(path, text, self._root_of(path))

    def _notebook(self, notebook: types.NotebookDocument) -> dict[str, Any]:
        """Return a notebook as its file has it, as far as it is linted."""
        about: Any = notebook.metadata or {}
        return {
            "cells": [self._cell(each) for each in notebook.cells],
            "metadata": about.get("metadata", about),  # VS Code has it one level deeper
            "nbformat": 4,
            "nbformat_minor": 5,
        }

    def _cell(self, cell: types.NotebookCell) -> dict[str, Any]:
        document = self.get_text_document(cell.document)
        is_code = cell.kind == types.NotebookCellKind.Code
        language = document.language_id or "python"
        return {
            "cell_type": "code" if is_code else "markdown",
            "metadata": {"vscode": {"languageId": language}},
            "source": with_plain_ends(document.source),
        }

    def _root_of(self, path: str) -> str:
        """Return the outermost folder of the workspace that a file is in, else its own."""
        inside = [each for each in self._roots() if path.startswith(os.path.join(each, ""))]
        return min(inside, key=len, default=os.path.dirname(path))

    def _roots(self) -> list[str]:
        found = [to_fs_path(each) for each in self.folders]
        found += [self.root_path] if not found else []
        return [os.path.normpath(each) for each in found if each]

    def _root(self) -> str:
        return min(self._roots(), key=len, default=os.getcwd())


class Placed(NamedTuple):
    """A text of the editor, to say where something in it is.

    ``lines`` are those that are linted, without their ends.
    """

    lines: Sequence[str]
    document: TextDocument
    has_bom: bool

    @classmethod
    def of(cls, document: TextDocument) -> Placed:
        """Take a document as it is."""
        lines = with_plain_ends(document.source).split("\n")
        return cls(lines, document, document.source.startswith(_BOM))

    def position(self, line: int, column: int) -> types.Position:
        """Return a place, counted from 1 in characters, as the protocol does."""
        if line > len(self.lines):
            return types.Position(len(self.lines), 0)
        before = self.lines[line - 1][: column - 1]
        if self.has_bom and line == 1:
            before = _BOM + before  # one unit, or three, as the editor counts
        return types.Position(line - 1, self.document.position_codec.client_num_units(before))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Return the line from 1 and the offset in it, from 0, of a position."""
        found = self.document.position_from_client_units(position)
        return found.line + 1, found.character - (self.has_bom and found.line == 0)


def _path_of(uri: str, ending: str) -> str | None:
    """Return the path of a file, or of one that is not saved yet; None for what is no file."""
    scheme = uri_scheme(uri)
    if scheme == "file":
        path = to_fs_path(uri)
        return None if path is None else os.path.normpath(path)
    if scheme == _UNTITLED:
        name = os.path.basename(uri.partition(":")[2]) or _UNTITLED
        return name if name.endswith(ending) else name + ending
    return None
