"""A Python file as a rule sees it: its nodes, its names; all made on demand, and once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import libcst as cst

from rocmlint.findings import Edit
from rocmlint.formats import parse
from rocmlint.source.file import File
from rocmlint.syntax.names import Binding, Names
from rocmlint.syntax.nodes import dotted_text
from rocmlint.syntax.partial_parse import Pieces
from rocmlint.text.blanks import PythonText
from rocmlint.text.joined_lines import joined_lines
from rocmlint.text.python_ast import syntax_tree
from rocmlint.text.text import Comment, Span, Text

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from rocmlint.formats.model import Parts
    from rocmlint.project.project import Project

Wanted = TypeVar("Wanted", bound=cst.CSTNode)


class Source(File):
    """One Python file, or the code of a notebook."""

    def __init__(  # noqa: PLR0913 - what a file is made of; all but two have defaults
        self,
        path: str,
        text: str | Text,
        *,
        place: str | None = None,
        whole: bool = False,
        parts: Parts | None = None,
        project: Project | None = None,
    ) -> None:
        """Take a path and its decoded text with ``\\n`` line ends.

        Rules see plain blanks between tokens, see ``rocmlint.text.blanks``.

        With ``whole`` the file is parsed in one piece. ``parts`` are what the file holds besides
        Python's syntax, such as the commands in the cells of a notebook.
        """
        text = PythonText(text) if isinstance(text, str) else text
        super().__init__(path, text, place=place, project=project)
        self._parts = parts
        self.pieces = Pieces(text.python, whole=whole)
        self.names = Names(text.python, self.pieces)
        self._joined_in: dict[int, dict[int, tuple[int, int]]] = {}

    @classmethod
    def of(cls, file: File) -> Source:
        """Go on with a file for which no syntax was needed so far."""
        text, place, project = file.made_of
        source = cls(file.path, text, place=place, project=project)
        source.go_on_with(file)
        return source

    @cached_property
    def python_tree(self) -> ast.Module | None:
        """What Python's own parser makes of the text, None where the running Python refuses it."""
        return syntax_tree(self.text)

    # Text

    def span(self, node: Any) -> Span:
        """Return the position of a node, comment or part in the file."""
        if isinstance(node, cst.CSTNode):
            return self.pieces.piece_of(node).span(node)
        return super().span(node)

    @cached_property
    def code(self) -> str:
        """The text with everything but code blanked, same offsets; see ``File.code``.

        In an oddly spaced file each statement is on one line.
        """
        code = super().code
        return code.replace("\\\n", "  ") if self.is_oddly_spaced else code

    @property
    def is_oddly_spaced(self) -> bool:
        """Whether expressions with plain blanks may miss something in this file."""
        return self._text.python.is_oddly_spaced

    def noqa_line(self, line: int) -> tuple[int, str]:
        """Return the text in which flake8 looks for ``noqa``, and its first line."""
        python = self._text.python
        start = self.offset_of(line)
        end = start + len(self.lines[line - 1])
        if python.written[start:end] != self._text.written[start:end]:  # a command in a notebook
            return super().noqa_line(line)
        block = self.pieces.statement_at(start)
        text = python.written[block.start : block.end]
        if "noqa" not in text.lower():
            return line, ""
        if block.start not in self._joined_in:
            self._joined_in[block.start] = joined_lines(text)
        above = self.line_of(block.start) - 1
        within = line - above
        first, last = self._joined_in[block.start].get(within, (within, within))
        return above + first, "\n".join([*self.written_lines[above + first - 1 : above + last], ""])

    def text_of(self, node: cst.CSTNode) -> str:
        """Return the text of a node, without the whitespace and comments around it.

        Lines that a backslash joins are one, as in ``code``.
        """
        text = self.text_at(self.span(node))
        return text.replace("\\\n", "  ") if self.is_oddly_spaced else text

    # Parts

    @cached_property
    def parts(self) -> Parts:
        """The commands, declared requirements and index URLs in the Python code.

        The commands that calls run are not among them: rules get those from the calls.
        """
        if self._parts is not None:
            return self._parts
        return parse(self.path, self.written)

    # Trees

    @property
    def module(self) -> cst.Module:
        """The tree of the whole file. Expensive: use it only if nothing smaller is enough.

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
        """Return the node directly above."""
        return self.pieces.parent(node)

    def enclosing(self, node: cst.CSTNode, *kinds: type[Wanted]) -> Wanted | None:
        """Return the nearest node above that is of one of these types."""
        return next((each for each in self.ancestors(node) if isinstance(each, kinds)), None)

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """Return the innermost function around a node."""
        return self.enclosing(node, cst.FunctionDef)

    def is_for_types_only(self, node: cst.CSTNode) -> bool:
        """Return whether a node is below ``if TYPE_CHECKING``, so that it never runs."""
        return any(
            isinstance(above, cst.If) and "TYPE_CHECKING" in (dotted_text(above.test) or "")
            for above in self.ancestors(node)
        )

    def whole_class(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """Return the innermost class around a node with all its members."""
        return self.names.whole_class(node)

    def definition(self, name: str) -> cst.FunctionDef | cst.ClassDef | None:
        """Return the one top-level function or class of this file with this name, whole."""
        return self.names.definition(name)

    def declaration(self, name: str) -> cst.FunctionDef | cst.ClassDef | None:
        """Return what ``definition`` does, but of a class at least its bases and first member."""
        return self.names.declaration(name)

    # Names

    def resolve(self, node: cst.CSTNode) -> str | None:
        """Return the full dotted name, through imports and aliases; see ``Names.resolve``."""
        return self.names.resolve(node)

    def value_of(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """Return the expression that a name or ``self.name`` is assigned once, else None."""
        return self.names.value_of(node)

    def bindings(self, name: str, at: cst.CSTNode) -> list[Binding]:
        """Return all bindings of a name in the innermost scope around a node that binds it."""
        return self.names.bindings(name, at)

    # Edits

    def _own_text(self, node: Any) -> str:
        """Return the text that a node has in the tree, wherever it seems to stand in the file."""
        if isinstance(node, cst.CSTNode):
            return self.pieces.piece_of(node).code_of(node)
        return super()._own_text(node)

    def remove_statement(self, node: cst.CSTNode) -> Edit:
        """Return the edit that removes the statement around a node.

        Its whole lines go where it stands alone on them; ``pass`` comes where a block would be
        empty.
        """
        line = node if isinstance(node, cst.SimpleStatementLine) else None
        line = line or self.enclosing(node, cst.SimpleStatementLine)
        if line is None or len(line.body) > 1:
            message = "only a statement on a line of its own can be removed"
            raise ValueError(message)
        block = self.parent(line)
        if isinstance(block, cst.IndentedBlock) and len(block.body) == 1:
            return self.replace(line.body[0], "pass")
        span = self.span(line)
        whole = cst.Module([]).code_for_node(line.with_changes(leading_lines=()))
        return Edit(span.line, 1, span.end_line + 1, 1, "", was=whole)


__all__ = ["Binding", "Comment", "Source", "Span"]
