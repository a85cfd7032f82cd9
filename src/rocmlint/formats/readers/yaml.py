"""YAML with the places of its values, down to the characters of folded and escaped strings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.formats.model import Problem
from rocmlint.formats.readers.grammar import inside, tree
from rocmlint.formats.readers.yaml_strings import block_text, flow_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from rocmlint.formats.readers.excerpt import Excerpt

_DEEPEST = 60
"""Nobody nests deeper. Beyond 250 levels tree-sitter-yaml 0.7.2 brings the process down, as
docs/development/tree-sitter-yaml.md shows."""
_BEGINNING = re.compile(r" *(?:[-?:][ \t]+)*")
_LEVEL = re.compile(r"[-?:][ \t]+")
_TOO_MANY = re.compile(rf"(?:{_LEVEL.pattern}){{{_DEEPEST}}}")
"""Marks that open blocks, wherever they are: the parser counts those after a value, too."""
_MOST_VALUES = 100_000
"""Beyond, aliases stand for nothing: a few lines of them can stand for more than memory holds."""


@dataclass(frozen=True)
class Scalar:
    """A value that is neither list nor mapping, as a string."""

    text: Excerpt


@dataclass(frozen=True)
class Sequence:
    """A list."""

    values: tuple[Value, ...]


@dataclass(frozen=True)
class Mapping:
    """Keys and values in the order of the text; a key may stand there twice."""

    pairs: tuple[tuple[Excerpt, Value], ...]

    def get(self, key: str) -> Value | None:
        """Return the value of a key, None if it is not there."""
        return next((value for name, value in self.pairs if name.text == key), None)

    def text(self, key: str) -> str:
        """Return the string at a key, empty if there is none."""
        value = self.get(key)
        return value.text.text if isinstance(value, Scalar) else ""


Value = Scalar | Sequence | Mapping


def read(excerpt: Excerpt) -> list[Value] | Problem:
    """Read the documents of a file; a Problem says where it is not YAML."""
    line = _too_deep(excerpt.text)
    if line is not None:
        return Problem("nested too deeply", line, 1)
    root = tree("yaml", excerpt.plain)
    if root.has_error:
        return _problem(root, excerpt)
    reader = _Reader(excerpt)
    found = []
    for document in root.named_children:
        for node in document.named_children if document.type == "document" else ():
            value = reader.value(node)
            if value is not None:
                found.append(value)
    return found


def _too_deep(text: str) -> int | None:
    """Return a line that lies in too many blocks, None if none does."""
    marks = _TOO_MANY.search(text)
    if marks is not None:
        return text.count("\n", 0, marks.start()) + 1
    columns: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        beginning = _BEGINNING.match(line)
        if not line.strip() or beginning is None:
            continue
        first = len(line) - len(line.lstrip(" "))
        while columns and columns[-1] >= first:
            columns.pop()
        columns += [first, *(level.end() for level in _LEVEL.finditer(beginning[0], first))]
        if len(columns) > _DEEPEST:
            return number
    return None


def _problem(root: Node, excerpt: Excerpt) -> Problem:
    """Return where a text is not YAML.

    An error that begins with the document holds what could be read up to the fault, and maybe a
    smaller error that ends there.
    """
    errors = [node for node in inside(root) if node.is_error or node.is_missing]
    wrong = errors[0] if errors else root
    at = wrong.start_byte
    if wrong.named_children and not excerpt.text[:at].strip():
        at = min((node.end_byte for node in errors), default=at)
    text = excerpt.text[at:]
    span = excerpt.span(at + len(text) - len(text.lstrip()))
    return Problem("not valid YAML", span.line, span.column)


class _Reader:
    def __init__(self, excerpt: Excerpt) -> None:
        self.excerpt = excerpt
        self.anchors: dict[str, tuple[Value, int]] = {}  # each with the number of its values
        self.values = 0

    def value(self, node: Node, depth: int = 0) -> Value | None:
        """Read a value; None of an empty one."""
        anchor = ""
        found: Value | None = None
        self.values += 1
        before = self.values
        for child in node.named_children if node.type in ("block_node", "flow_node") else [node]:
            if child.type == "anchor":
                anchor = self._written(child)[1:]
            elif child.type not in ("tag", "comment"):
                found = self._content(child, depth + 1) if depth < _DEEPEST else None
        if anchor and found is not None:
            self.anchors[anchor] = found, self.values - before + 1
        return found

    def _content(self, node: Node, depth: int) -> Value | None:
        part = self.excerpt.part(node.start_byte, node.end_byte)
        if node.type in ("block_mapping", "flow_mapping"):
            return self._mapping(node, depth)
        if node.type in ("block_sequence", "flow_sequence"):
            items = (self._item(child, depth) for child in node.named_children)
            return Sequence(tuple(item for item in items if item is not None))
        if node.type == "alias":
            value, size = self.anchors.get(part.text[1:], (None, 0))
            self.values += size
            return value if self.values <= _MOST_VALUES else None
        if node.type == "block_scalar":
            return Scalar(block_text(part, self._indentation(node)))
        if node.type.endswith("_scalar"):
            return Scalar(flow_text(part))
        return None

    def _item(self, node: Node, depth: int) -> Value | None:
        if node.type == "block_sequence_item":
            children = [child for child in node.named_children if child.type != "comment"]
            return self.value(children[0], depth) if children else None
        if node.type == "flow_pair":
            pair = self._pair(node, depth)
            return None if pair is None else Mapping((pair,))
        return None if node.type == "comment" else self.value(node, depth)

    def _mapping(self, node: Node, depth: int) -> Mapping:
        pairs: list[tuple[Excerpt, Value]] = []
        for child in node.named_children:
            pair = self._pair(child, depth)
            if pair is not None:
                pairs.append(pair)
        return Mapping(tuple(pairs))

    def _pair(self, node: Node, depth: int) -> tuple[Excerpt, Value] | None:
        key, value = (node.child_by_field_name(field) for field in ("key", "value"))
        if key is None or value is None:
            return None
        name, content = self.value(key, depth), self.value(value, depth)
        if not isinstance(name, Scalar) or content is None:
            return None
        return name.text, content

    def _indentation(self, node: Node) -> int:
        """Return how far the lines are indented that a block scalar belongs to."""
        above = node.parent
        while above is not None and above.type not in ("block_mapping", "block_sequence"):
            above = above.parent
        return 0 if above is None else above.start_point[1]

    def _written(self, node: Node) -> str:
        return self.excerpt.text[node.start_byte : node.end_byte]
