"""Where nodes stand in the text: what LibCST's PositionProvider says, without its start-up cost."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from libcst._nodes.internal import CodegenState

from rocmlint.text.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst


_FRAMES = 10_000
"""Enough for the deepest trees that are parsed; each level takes a few frames."""


class _PositionState(CodegenState):
    """Generates code only to count lines and columns."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(
            default_indent=module.default_indent, default_newline=module.default_newline
        )
        self.line = 1
        self.column = 1
        self.spans: dict[cst.CSTNode, Span] = {}
        self._starts: list[tuple[int, int]] = []

    def add_token(self, value: str) -> None:
        lines = value.count("\n")
        if lines:
            self.line += lines
            self.column = len(value) - value.rindex("\n")
        else:
            self.column += len(value)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def before_codegen(self, node: cst.CSTNode) -> None:  # noqa: ARG002 - LibCST's interface
        self._starts.append((self.line, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        # A node that recorded its syntactic position (without surrounding whitespace) keeps it.
        start = self._starts.pop()
        self.spans.setdefault(node, Span(*start, self.line, self.column))

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Iterator[None]:
        start = (self.line, self.column)
        yield
        end = (self.line, self.column)
        if start_node is not None:
            start = self.spans[start_node][:2]
        if end_node is not None:
            end = self.spans[end_node][2:]
        self.spans[node] = Span(*start, *end)


def positions(module: cst.Module) -> dict[cst.CSTNode, Span]:
    """Map each node to its span."""
    state = _PositionState(module)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        module._codegen(state)  # noqa: SLF001 - LibCST's providers call it in the same way
    finally:
        sys.setrecursionlimit(limit)
    return state.spans
