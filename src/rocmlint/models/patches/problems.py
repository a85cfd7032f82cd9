"""One problem of a patch, as the command and the rules report it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.models.patches.kinds import KINDS

if TYPE_CHECKING:
    import ast

    from rocmlint.models.patches.kinds import Gravity


@dataclass(frozen=True)
class Place:
    """Where in a file something is written; lines and columns from 1."""

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0

    @classmethod
    def of(cls, node: ast.AST, path: str, text: str) -> Place:
        """Return the place of a node; of a definition the line that names it."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line, end = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column)
        lines = text.split("\n")
        if hasattr(node, "body") and isinstance(node.body, list):  # a definition: its first line
            end_line, end = line, len(lines[line - 1].encode()) if line <= len(lines) else column
        return cls(
            path, line, _column(lines, line, column), end_line, _column(lines, end_line, end)
        )


def _column(lines: list[str], line: int, offset: int) -> int:
    """Return the column (from 1) of an offset in bytes, which Python's own trees have."""
    text = lines[line - 1] if line <= len(lines) else ""
    return len(text.encode()[:offset].decode(errors="replace")) + 1


@dataclass(frozen=True)
class Problem:
    """What is wrong with a patch, and where; ``original`` is the place of what it replaces."""

    kind: str
    patch: str
    target: str
    message: str
    help: str
    place: Place
    original: Place | None = None
    about: str = field(default="", compare=False)
    """What differs: the name of a parameter, a decorator, a function."""

    @property
    def gravity(self) -> Gravity:
        """How grave it is: error, warning or note."""
        return KINDS[self.kind].gravity

    @property
    def rule(self) -> str:
        """The code of the rule that reports it in editors; "" for notes."""
        return KINDS[self.kind].rule
