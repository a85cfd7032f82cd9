"""One file as a rule sees it: its text, its nodes, its names; all made on demand, and once."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import libcst as cst

from rocmlint.findings import Edit
from rocmlint.lint.names import Binding, Names
from rocmlint.lint.pieces import Pieces
from rocmlint.lint.place import kinds, package_of, place_of
from rocmlint.lint.positions import Span
from rocmlint.lint.syntax import dotted_text
from rocmlint.lint.text import Comment, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

Wanted = TypeVar("Wanted", bound=cst.CSTNode)


class Source:
    """One file.

    ``path`` is what is printed; ``place`` is the path inside its project, with ``/``.
    """

    def __init__(
        self, path: str, text: str, *, place: str | None = None, whole: bool = False
    ) -> None:
        """Take a path and its decoded text with ``\\n`` line ends.

        With ``whole`` the file is parsed in one piece. The place is found on disk where it is not
        given.
        """
        self.path = path
        self.looked_at: dict[str, bool] = {}
        self._place = place
        self._text = Text(text)
        self.pieces = Pieces(self._text, whole=whole)
        self.names = Names(self._text, self.pieces)

    # What the path says

    @cached_property
    def place(self) -> str:
        """The path inside the project, with ``/``."""
        return place_of(self.path) if self._place is None else self._place

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of file that this is: test, benchmark, example, script, docs, setup."""
        return kinds(self.place)

    @cached_property
    def package(self) -> tuple[str, str] | None:
        """The top-level package that the file belongs to and the folder that holds it."""
        return package_of(self.path, self.exists)

    def exists(self, path: str) -> bool:
        """Say whether a path exists, and note the answer: the cache forgets what hangs on it."""
        if path not in self.looked_at:
            self.looked_at[path] = os.path.exists(path)
        return self.looked_at[path]

    # Text

    @property
    def text(self) -> str:
        """The decoded text, lines ended by ``\\n``."""
        return self._text.text

    @property
    def code(self) -> str:
        """The text with comments and the inside of strings blanked; same offsets."""
        return self._text.code

    @property
    def lines(self) -> list[str]:
        """The lines without their ends; line n is ``lines[n - 1]``."""
        return self._text.lines

    @property
    def comments(self) -> list[Comment]:
        """Every comment of the file, in order."""
        return self._text.comments

    def line_of(self, offset: int) -> int:
        """Give the line (from 1) of a character of ``text`` or ``code``."""
        return self._text.line_of(offset)

    def offset_of(self, line: int) -> int:
        """Give the offset in ``text`` and ``code`` of the first character of a line (from 1)."""
        return self._text.offset_of(line)

    def span(self, node: cst.CSTNode | Comment) -> Span:
        """Give the place of a node or comment in the file."""
        if isinstance(node, Comment):
            return Span(node.line, node.column, node.line, node.column + len(node.text))
        return self.pieces.piece_of(node).span(node)

    def text_of(self, node: cst.CSTNode) -> str:
        """Give the text of a node, without the whitespace and comments around it."""
        span = self.span(node)
        start = self.offset_of(span.line) + span.column - 1
        return self.text[start : self.offset_of(span.end_line) + span.end_column - 1]

    # Trees

    @property
    def module(self) -> cst.Module:
        """The tree of the whole file. Dear: only when nothing smaller answers.

        Its nodes are not those of the piece that ``check`` got.
        """
        return self.pieces.whole.module

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the nodes above a node, the nearest first.

        For a node in a method the chain ends with the class (of which it may hold only this one
        method, see ``whole_class``) and a module (of which it may hold only this statement).
        """
        return self.pieces.ancestors(node)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Give the node directly above."""
        return self.pieces.parent(node)

    def enclosing(self, node: cst.CSTNode, *kinds: type[Wanted]) -> Wanted | None:
        """Give the nearest node above that is of one of these types."""
        return next((each for each in self.ancestors(node) if isinstance(each, kinds)), None)

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """Give the innermost function around a node."""
        return self.enclosing(node, cst.FunctionDef)

    def is_for_types_only(self, node: cst.CSTNode) -> bool:
        """Say whether a node stands below ``if TYPE_CHECKING``, so that it never runs."""
        return any(
            isinstance(above, cst.If) and "TYPE_CHECKING" in (dotted_text(above.test) or "")
            for above in self.ancestors(node)
        )

    def whole_class(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """Give the innermost class around a node with all its members."""
        return self.names.whole_class(node)

    def definition(self, name: str) -> cst.FunctionDef | cst.ClassDef | None:
        """Give the one top-level function or class of this file with this name, whole."""
        return self.names.definition(name)

    # Names

    def resolve(self, node: cst.CSTNode) -> str | None:
        """Give the full dotted name, through imports and aliases; see :meth:`Names.resolve`."""
        return self.names.resolve(node)

    def value_of(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """Give the expression that a name or ``self.name`` is assigned once, else None."""
        return self.names.value_of(node)

    def bindings(self, name: str, at: cst.CSTNode) -> list[Binding]:
        """Give all bindings of a name in the innermost scope around a node that binds it."""
        return self.names.bindings(name, at)

    # Edits

    def replace(self, node: cst.CSTNode | Comment, replacement: str) -> Edit:
        """Make the edit that replaces a node."""
        return Edit(*self.span(node), replacement)

    def remove_statement(self, node: cst.CSTNode) -> Edit:
        """Make the edit that takes away the statement around a node.

        Its whole lines go where it stands alone on them; ``pass`` comes where a block would be
        empty.
        """
        line = node if isinstance(node, cst.SimpleStatementLine) else None
        line = line or self.enclosing(node, cst.SimpleStatementLine)
        if line is None or len(line.body) > 1:
            message = "only a statement that stands alone on its line can be removed"
            raise ValueError(message)
        block = self.parent(line)
        if isinstance(block, cst.IndentedBlock) and len(block.body) == 1:
            return self.replace(line.body[0], "pass")
        span = self.span(line)
        return Edit(span.line, 1, span.end_line + 1, 1, "")


__all__ = ["Binding", "Comment", "Source", "Span"]
