"""Cutting a file into top-level statements and methods, and parsing only those that are asked for.

LibCST parses about half a megabyte a second, so what is parsed decides how long a run takes.
A piece is a whole top-level statement, or one method (or other member) of a top-level class under
the line of its class. Where a cut does not parse, the next larger piece is tried, up to the file.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.syntax.blocks import Block, block_at, blocks_of
from rocmlint.syntax.known_trees import tree_of
from rocmlint.syntax.positions import Positions
from rocmlint.syntax.unparsable import TooLongError, UnparsableError
from rocmlint.syntax.walk import with_parents
from rocmlint.text.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.text.text import Text

_CLASS = re.compile(
    r"""
    (?: @[^\n]*\n (?: [ \t)\]}][^\n]*\n | \n )* )*
    class\b [^\n:]* (?: \n[ \t)\]}][^\n:]* )* : [ \t]*\n
    (?: [ \t]*\n )* (?P<indent>[ \t]+) (?=\S)
    """,
    re.VERBOSE,
)
"""Decorators and bases may go on over indented lines and lines that close a bracket."""
_LINE_END = re.compile("\n")
_BLANKS = re.compile(r"\s+")
_TABS = re.compile(r"^ *\t[ \t]*", re.MULTILINE)
"""Python takes indentation only if it nests alike for tabs of any width, so one blank will do."""
_BRACKET = re.compile(r"[()\[\]{}]")
_DEEPENS = re.compile(r"[.(\[{~+*/%@|&^<>=-]|\b(?:lambda|not|if|elif|and|or|in|is|await)\b")
_CASE = re.compile(r"^[ \t]+case\b[ \t]*(?![\s=.])", re.MULTILINE)
_BRACKET_OR_LINE = re.compile(r"[()\[\]{}\n]")
_DOUBLINGS = {"(": 1, "[": 1, "{": 2, ")": -1, "]": -1, "}": -2}
"""How often a bracket in a pattern doubles the time of LibCST's parser."""
MAXIMUM_DOUBLINGS = 14
"""At 30 a parse would never end."""
MAXIMUM_BRACKETS = 200
"""Brackets in brackets; CPython's own parser gives up here too (MAXLEVEL in its tokenizer)."""
MAXIMUM_DEPTH = 1000
"""Levels of the syntax tree; at a few thousand LibCST's parser overflows the stack and kills us."""
MAXIMUM_LENGTH = 1_000_000
"""Characters in one piece; LibCST needs several hundred bytes of memory for each."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A parsed part of a file, made of whole lines; ``block`` is the last stretch of them.

    ``nodes`` are all of its nodes, in the order of ``walk``.
    """

    module: cst.Module
    nodes: tuple[cst.CSTNode, ...]
    block: Block
    is_member: bool
    """Whether it is one member of a class, below the line of that class."""
    positions: Positions
    _text: Text

    def span(self, node: cst.CSTNode) -> Span:
        """Return the place of a node of this piece in the file."""
        start, end = self.positions.of(node)
        return Span(*self._text.place_of(start), *self._text.place_of(end))

    def code_of(self, node: cst.CSTNode) -> str:
        """Return the text that stands at the place of a node, as far as LibCST knows."""
        return self.positions.code_of(node)


class Pieces:
    """The parsed pieces of one file; each is parsed once."""

    def __init__(self, text: Text, *, whole: bool = False) -> None:
        """Take a file; with ``whole`` nothing is cut (to compare, and for small texts)."""
        self._text = text
        self._cut = not whole
        self._members: dict[Block, list[Block]] = {}
        self._parsed: dict[tuple[Block, ...], Piece] = {}
        self._parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self._piece_of: dict[cst.CSTNode, Piece] = {}

    @cached_property
    def statements(self) -> list[Block]:
        """The top-level statements, compound ones and decorated definitions whole."""
        return list(blocks_of(self._text, Block(0, len(self._text.text)), ""))

    @cached_property
    def whole(self) -> Piece:
        """The whole file."""
        return self._parse(Block(0, len(self._text.text)))

    def around(self, offset: int) -> Piece:
        """Return the smallest piece with the character at this offset.

        Raises UnparsableError.
        """
        if not self._cut:
            return self.whole
        statement = self.statement_at(offset)
        for blocks in (self._member(statement, offset), (statement,)):
            try:
                return self._parse(*blocks)
            except UnparsableError:
                continue
        return self.whole

    def statement(self, block: Block) -> Piece:
        """Parse a whole top-level statement. Raises UnparsableError."""
        if not self._cut:
            return self.whole
        try:
            return self._parse(block)
        except UnparsableError:
            return self.whole

    def opening(self, block: Block) -> Piece:
        """Parse a statement of the module, of a class one member alone. Raises UnparsableError."""
        header = _CLASS.match(self._text.code, block.start, block.end)
        return self.around(block.start if header is None else header.end())

    def statement_at(self, offset: int) -> Block:
        """Return the top-level statement with the character at this offset."""
        text = self._text
        if text.text != text.written:  # a statement may begin later than its line
            blanks = _BLANKS.match(text.text, offset)
            offset = blanks.end() if blanks else offset
        return block_at(self.statements, offset) or Block(0, len(self._text.text))

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Return the node above, or None for a module."""
        return self._parents.get(node)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the nodes above, the nearest first, the module of the piece last."""
        current = self._parents.get(node)
        while current is not None:
            yield current
            current = self._parents.get(current)

    def piece_of(self, node: cst.CSTNode) -> Piece:
        """Return the piece that a node belongs to."""
        root = node
        for root in self.ancestors(node):  # noqa: B007 - the last one counts
            pass
        return self._piece_of[root]

    def _member(self, statement: Block, offset: int) -> tuple[Block, ...]:
        header = _CLASS.match(self._text.code, statement.start, statement.end)
        if header is None or offset < header.end():
            return (statement,)
        body = Block(header.start("indent"), statement.end)
        if body not in self._members:
            self._members[body] = list(blocks_of(self._text, body, header["indent"]))
        member = block_at(self._members[body], offset)
        return (statement,) if member is None else (Block(statement.start, body.start), member)

    def _parse(self, *blocks: Block) -> Piece:
        if blocks not in self._parsed:
            module = self._module(blocks)
            above = with_parents(module)
            self._parents.update(above)
            piece = Piece(
                module,
                (module, *above),
                blocks[-1],
                len(blocks) > 1,
                Positions(module, blocks, self._text, self._parents),
                self._text,
            )
            self._piece_of[module] = piece
            self._parsed[blocks] = piece
        return self._parsed[blocks]

    def _module(self, blocks: tuple[Block, ...]) -> cst.Module:
        code = "".join(self._text.code[block.start : block.end] for block in blocks)
        text = "".join(self._text.text[block.start : block.end] for block in blocks)
        try:
            _refuse_what_breaks_parsers(code, text)
            _refuse_null(text)
            return tree_of(text, _module)
        except TooLongError:
            raise
        except UnparsableError as error:
            if self._text.text == self._text.written:
                raise
            # Fewer lines may be left of the text than the file has.
            starts = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
            offset = starts[min(error.line, len(starts)) - 1] + error.column - 1
            place = self._text.place_of(blocks[0].start + min(offset, len(text)))
            raise UnparsableError(error.reason, *place) from error


def _module(text: str) -> cst.Module:
    try:
        return cst.parse_module(text)
    except Exception as error:
        spaced = _TABS.sub(lambda tabs: " " * len(tabs[0]), text)
        if spaced != text and _refused_by_python(text) is None:
            return _module(spaced)
        raise refusal(text, error) from error
    except BaseException as error:
        # LibCST's parser is written in Rust; its panics are no Exception.
        if type(error).__name__ != "PanicException":
            raise
        reason = f"LibCST's parser failed: {error}"
        raise UnparsableError(reason) from error


def refusal(text: str, error: Exception) -> UnparsableError:
    """Return what is wrong as Python does, who knows it better and names no later line."""
    known = _refused_by_python(text)
    if isinstance(known, SyntaxError):
        return UnparsableError(known.msg, known.lineno or 1, known.offset or 1)
    if isinstance(error, cst.ParserSyntaxError):
        return UnparsableError(error.message, error.raw_line, error.raw_column + 1)
    return error if isinstance(error, UnparsableError) else UnparsableError(str(error))


def _refused_by_python(text: str) -> Exception | None:
    try:
        _parsed_by_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error
    return None


def _parsed_by_python(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _refuse_what_breaks_parsers(code: str, text: str) -> None:
    if len(code) > MAXIMUM_LENGTH:
        reason = f"one statement of {len(code):,} characters is too long"
        raise TooLongError(reason)
    _refuse_deep_patterns(code)
    deepening = len(_DEEPENS.findall(code))
    if deepening > MAXIMUM_BRACKETS:
        _refuse_deep_brackets(code)
    if deepening > MAXIMUM_DEPTH and _depth(code, text) > MAXIMUM_DEPTH:
        reason = f"the code is nested more than {MAXIMUM_DEPTH} levels deep"
        raise UnparsableError(reason)


def _refuse_null(text: str) -> None:
    """Refuse what Python does, and LibCST takes inside strings."""
    above, null, _ = text.partition("\0")
    if null:
        reason = "source code cannot contain null bytes"
        raise UnparsableError(reason, above.count("\n") + 1, len(above) - above.rfind("\n"))


def _refuse_deep_patterns(code: str) -> None:
    for case in _CASE.finditer(code):
        doublings = 0
        for mark in _BRACKET_OR_LINE.finditer(code, case.end()):
            doublings += _DOUBLINGS.get(mark[0], 0)
            if doublings > MAXIMUM_DOUBLINGS:
                reason = "the brackets of a pattern are nested too deep"
                raise UnparsableError(reason, _line(code, mark))
            if mark[0] == "\n" and not doublings:
                break


def _refuse_deep_brackets(code: str) -> None:
    depth = 0
    for bracket in _BRACKET.finditer(code):
        depth += 1 if bracket[0] in "([{" else -1
        if depth > MAXIMUM_BRACKETS:
            reason = f"brackets are nested more than {MAXIMUM_BRACKETS} deep"
            raise UnparsableError(reason, _line(code, bracket))


def _line(code: str, mark: re.Match[str]) -> int:
    return code.count("\n", 0, mark.start()) + 1


def _marks(code: str) -> Iterator[int]:
    """Yield, for each line, how much may deepen the tree in its statement up to there."""
    marks = depth = 0
    for line in code.split("\n"):
        marks += len(_DEEPENS.findall(line))
        deeper = sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        depth = max(0, depth + deeper)
        yield marks
        if not depth and not line.endswith("\\"):
            marks = 0


def _depth(code: str, text: str) -> int:
    """Measure how deep LibCST's tree is, with the parser that refuses what is far too deep.

    Of what Python refuses it is at most what one statement of the code, without its strings, holds.
    """
    try:
        stack: list[tuple[ast.AST, int]] = [(_parsed_by_python(text), 1)]
    except (RecursionError, MemoryError):
        return MAXIMUM_DEPTH + 1
    except (SyntaxError, ValueError):
        return max(_marks(code))
    deepest = 0
    while stack:
        node, depth = stack.pop()
        if isinstance(node, ast.BoolOp):  # one node for ``a and b and c``, and two in LibCST
            depth += len(node.values) - 2
        elif isinstance(node, ast.alias):
            depth += node.name.count(".")
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return deepest
