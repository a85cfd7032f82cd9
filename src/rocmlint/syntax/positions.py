"""Where nodes are in the text: what LibCST's PositionProvider says, of one statement at a time.

LibCST knows it only by generating code, which takes as long as to parse it. So code is generated
of the statement around a node, up to this node. Where that statement begins the text says; what is
generated must be the text there, else the code of all is generated.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst
from libcst._nodes.internal import CodegenState

from rocmlint.syntax.blocks import Block, starts_of_statements
from rocmlint.syntax.walk import children

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.text.text import Text

    Place = tuple[int, int]
    """Two offsets in the file."""

_FRAMES = 10_000
"""Enough for the deepest trees that are parsed; each level takes a few frames."""
_BODIES = frozenset({cst.IndentedBlock, cst.SimpleStatementSuite})
_CLAUSES = frozenset(
    {
        *(cst.If, cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.MatchCase),
    }
)
"""What holds the further bodies of a statement."""


class Positions:
    """Where the nodes of a piece are in its file, which it is one or two stretches of."""

    def __init__(
        self,
        module: cst.Module,
        stretches: Sequence[Block],
        text: Text,
        above: Mapping[cst.CSTNode, cst.CSTNode],
    ) -> None:
        """Take a piece, and the nodes above each of its nodes."""
        self._module = module
        self.stretches = stretches
        self._text = text
        self._above = above
        self._known: dict[cst.CSTNode, Place] = {}
        self._blocks: dict[cst.CSTNode, Block] = {}
        """The stretches of statements, see ``_find_statements``."""

    def of(self, node: cst.CSTNode) -> Place:
        """Return where a node begins and ends."""
        if node not in self._known:
            statement = self._statement(node)
            if statement is None or not self._find(node, statement):
                self._known |= self._all
        return self._known[node]

    def code_of(self, node: cst.CSTNode) -> str:
        """Return the code that LibCST generates from where a node begins to where it ends."""
        start, end = self._all[node]
        return self._code[self._in_piece(start) : self._in_piece(end)]

    # One statement

    def _find(self, node: cst.CSTNode, statement: cst.CSTNode) -> bool:
        """Find the place of a node in a statement; return whether that was possible."""
        begin = self._begin(statement)
        if begin is None:
            return False
        start, indents = begin
        last = _last_inside(statement) if node is statement else None
        above = _State(self._module, 0, indents)
        for line in getattr(statement, "leading_lines", ()):
            line._codegen(above)  # noqa: SLF001 - LibCST's providers call it in the same way
        state = _State(self._module, start - above.offset, indents, node, before_body=bool(last))
        _generate(statement, state)
        code = "".join(state.tokens)[above.offset :]
        if not self._text.text.startswith(code, start):
            return False
        self._known.update(state.places)
        if last is not None:
            self._known[node] = state.begin, self.of(last)[1]
        return True

    def _statement(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Return the innermost statement around a node, or itself; None for the module."""
        above = self._above.get(node)
        while above is not None and above.__class__ not in (cst.Module, cst.IndentedBlock):
            node, above = above, self._above.get(above)
        return None if above is None else node

    def _begin(self, statement: cst.CSTNode) -> tuple[int, list[str]] | None:
        """Return where the first line of a statement begins, and its indentation, if certain."""
        container = self._above[statement]
        indents: list[str] = []
        outer: cst.CSTNode | None = None
        if container.__class__ is cst.IndentedBlock:
            outer = self._statement(container)
            begin = None if outer is None else self._begin(outer)
            if outer is None or begin is None:
                return None
            indents = [*begin[1], *self._deeper(container, outer)]
        if statement not in self._blocks:
            self._find_statements(container, outer, indents)
        block = self._blocks.get(statement)
        return None if block is None else (block.start, indents)

    def _deeper(self, body: cst.CSTNode, outer: cst.CSTNode) -> list[str]:
        """Return how much deeper a body is than its statement."""
        levels = [outer, body] if outer.__class__ is cst.Match else [body]
        found = [getattr(each, "indent", None) for each in levels]
        return [self._module.default_indent if each is None else each for each in found]

    def _find_statements(
        self, container: cst.CSTNode, outer: cst.CSTNode | None, indents: list[str]
    ) -> None:
        """Note the stretches of the statements in a container, and in others like it in ``outer``.

        That is where the text shows as many as the tree has.
        """
        if outer is None:
            area, alike = self.stretches[0], [container]
        else:
            in_class = len(self.stretches) > 1 and self._above[outer].__class__ is cst.Module
            area = self.stretches[-1] if in_class else self._blocks[outer]
            deeper = self._deeper(container, outer)
            alike = [each for each in _bodies(outer) if self._deeper(each, outer) == deeper]
        inside = [each for body in alike for each in children(body)]
        starts = starts_of_statements(self._text, area, "".join(indents))
        if len(starts) == len(inside):
            ends = [*starts[1:], area.end]
            self._blocks.update(zip(inside, map(Block, starts, ends), strict=True))

    # The whole piece

    @cached_property
    def _all(self) -> dict[cst.CSTNode, Place]:
        state = self._generated
        return {
            node: (self._in_file(start), self._in_file(end))
            for node, (start, end) in state.places.items()
        }

    @cached_property
    def _generated(self) -> _State:
        state = _State(self._module, 0, [])
        _generate(self._module, state)
        return state

    @cached_property
    def _code(self) -> str:
        return "".join(self._generated.tokens)

    def _in_file(self, offset: int) -> int:
        first, last = self.stretches[0], self.stretches[-1]
        if first is not last and offset >= first.end - first.start:
            offset += last.start - first.end
        return min(first.start + offset, last.end)

    def _in_piece(self, offset: int) -> int:
        first, last = self.stretches[0], self.stretches[-1]
        if first is not last and offset >= last.start:
            offset -= last.start - first.end
        return offset - first.start


def _bodies(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the indented bodies of a statement, not those of statements in them."""
    for each in children(statement):
        if each.__class__ is cst.IndentedBlock:
            yield each
        elif each.__class__ in _CLAUSES:
            yield from _bodies(each)


def _last_inside(statement: cst.CSTNode) -> cst.CSTNode | None:
    """Return the statement at whose end a statement ends that has bodies."""
    while statement.__class__ not in _BODIES:
        inside = [each for each in children(statement) if each.__class__ in _CLAUSES | _BODIES]
        if not inside:
            return None
        statement = inside[-1]
    inner = children(statement) if statement.__class__ is cst.IndentedBlock else ()
    return inner[-1] if inner else None


class _Reached(Exception):  # noqa: N818 - it is none
    """Code need not be generated further."""


class _State(CodegenState):
    """Generates code up to a node, and notes where each node begins and ends."""

    def __init__(
        self,
        module: cst.Module,
        offset: int,
        indents: list[str],
        until: cst.CSTNode | None = None,
        *,
        before_body: bool = False,
    ) -> None:
        super().__init__(
            default_indent=module.default_indent,
            default_newline=module.default_newline,
            indent_tokens=[*indents],
        )
        self.offset = offset
        self.begin = offset
        """Where the node begins."""
        self.until = until
        self.before_body = before_body
        self.places: dict[cst.CSTNode, Place] = {}
        self._starts: list[int] = []

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.offset += len(value)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def before_codegen(self, node: cst.CSTNode) -> None:
        if self.before_body and node.__class__ is cst.IndentedBlock:
            raise _Reached
        self._starts.append(self.offset)

    def after_codegen(self, node: cst.CSTNode) -> None:
        # A node that recorded its syntactic position (without surrounding whitespace) keeps it.
        self.places.setdefault(node, (self._starts.pop(), self.offset))
        if node is self.until:
            raise _Reached

    def record_syntactic_position(  # type: ignore[override] # any context manager will do
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recorded:
        return _Recorded(self, node, start_node, end_node)


class _Recorded:
    """Notes where a node begins and ends; faster than a generator."""

    __slots__ = ("_begin", "_first", "_last", "_node", "_state")

    def __init__(
        self,
        state: _State,
        node: cst.CSTNode,
        first: cst.CSTNode | None,
        last: cst.CSTNode | None,
    ) -> None:
        self._state = state
        self._node = node
        self._first = first
        self._last = last

    def __enter__(self) -> None:
        self._begin = self._state.offset
        if self._node is self._state.until:
            self._state.begin = self._begin

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            places = self._state.places
            begin = self._begin if self._first is None else places[self._first][0]
            end = self._state.offset if self._last is None else places[self._last][1]
            places[self._node] = begin, end


def _generate(node: cst.CSTNode, state: _State) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        with suppress(_Reached):
            node._codegen(state)  # noqa: SLF001 - LibCST's providers call it in the same way
    finally:
        sys.setrecursionlimit(limit)
