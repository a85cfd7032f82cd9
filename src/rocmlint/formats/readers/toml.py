"""TOML with the places of its values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from rocmlint.formats.model import Problem
from rocmlint.formats.readers.grammar import tree
from rocmlint.text.toml import loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from rocmlint.formats.readers.excerpt import Excerpt

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\Z")


@dataclass(frozen=True)
class Value:
    """A value and where it stands: a str, a bool, a list of values, a Table, or else its text.

    ``excerpt`` is what is written, for a string without its quotes.
    """

    content: object
    excerpt: Excerpt

    @property
    def text(self) -> str | None:
        """The string that it is, or None."""
        return self.content if isinstance(self.content, str) else None

    @property
    def string(self) -> Excerpt:
        """The string that it is: its characters' places where it has no escapes."""
        written, text = self.excerpt, self.text or ""
        if written.text == text or not written.starts:
            return written
        start, end = written.starts[0], written.ends[-1]
        return type(written).standing_for(written.file, text, start, end)

    def items(self) -> Iterator[Value]:
        """Yield the elements of an array; nothing of anything else."""
        if isinstance(self.content, list):
            yield from cast("list[Value]", self.content)

    @property
    def table(self) -> Table:
        """The table that it is, an empty one of anything else."""
        return self.content if isinstance(self.content, Table) else Table()


@dataclass
class Table:
    """A table: values by key, and the places of the keys."""

    values: dict[str, Value] = field(default_factory=dict)
    keys: dict[str, Excerpt] = field(default_factory=dict)

    def get(self, *path: str) -> Value | None:
        """Return what stands at a path of keys; None where nothing does."""
        table = self
        for key in path[:-1]:
            below = table.values.get(key)
            if below is None:
                return None
            table = below.table
        return table.values.get(path[-1])

    def table(self, *path: str) -> Table:
        """Return the table at a path, an empty one where none is."""
        found = self.get(*path)
        return Table() if found is None else found.table


def read(excerpt: Excerpt) -> Table | Problem:
    """Read a document; a Problem says why it is not valid TOML."""
    problem = invalid(excerpt.text)
    if problem is not None:
        return problem
    root = Table()
    for node in tree("toml", excerpt.plain).children:
        if node.type == "pair":
            _add_pair(root, node, excerpt)
        elif node.type in ("table", "table_array_element"):
            _add_table(root, node, excerpt)
    return root


def invalid(text: str) -> Problem | None:
    """Return what is wrong with a document, None if nothing is."""
    try:
        loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error)
        place = _PLACE.search(reason)
        reason = _PLACE.sub("", reason)
        if place is None or place[1] is None:
            return Problem(f"not valid TOML: {reason}", text.count("\n") + 1, 1)
        return Problem(f"not valid TOML: {reason}", int(place[1]), int(place[2]))
    return None


def _add_table(root: Table, node: Node, excerpt: Excerpt) -> None:
    header = next((child for child in node.named_children if child.type.endswith("_key")), None)
    if header is None:
        return
    path = _path(header, excerpt)
    *above, (last, place) = path
    table = _enter(root, above)
    own = Table()
    if node.type == "table_array_element":
        existing = table.values.get(last)
        elements = list(existing.items()) if existing is not None else []
        table.values[last] = Value([*elements, Value(own, place)], place)
    else:
        own = _enter(table, [(last, place)])
    table.keys.setdefault(last, place)
    for child in node.children:
        if child.type == "pair":
            _add_pair(own, child, excerpt)


def _add_pair(table: Table, node: Node, excerpt: Excerpt) -> None:
    named = [child for child in node.named_children if child.type != "comment"]
    if len(named) != 2:
        return
    *above, (last, place) = _path(named[0], excerpt)
    table = _enter(table, above)
    table.values[last] = _value(named[1], excerpt)
    table.keys[last] = place


def _enter(table: Table, path: list[tuple[str, Excerpt]]) -> Table:
    """Go to a table below, made where it is not there yet; of arrays of tables the last counts."""
    for key, place in path:
        below = table.values.setdefault(key, Value(Table(), place))
        table.keys.setdefault(key, place)
        elements = list(below.items())
        table = elements[-1].table if elements else below.table
    return table


def _path(node: Node, excerpt: Excerpt) -> list[tuple[str, Excerpt]]:
    if node.type == "dotted_key":
        return [each for child in node.named_children for each in _path(child, excerpt)]
    written = excerpt.part(node.start_byte, node.end_byte)
    quoted = node.type == "quoted_key"
    return [(_loads(written.text) if quoted else written.text, written)]


def _value(node: Node, excerpt: Excerpt) -> Value:
    written = excerpt.part(node.start_byte, node.end_byte)
    children = [child for child in node.named_children if child.type != "comment"]
    if node.type == "array":
        return Value([_value(child, excerpt) for child in children], written)
    if node.type == "inline_table":
        table = Table()
        for child in children:
            if child.type == "pair":
                _add_pair(table, child, excerpt)
        return Value(table, written)
    if node.type == "string":
        quotes = 3 if written.text.startswith(('"""', "'''")) else 1
        inner = written.part(quotes, max(len(written.text) - quotes, quotes))
        return Value(_loads(written.text), inner)
    return Value({"true": True, "false": False}.get(written.text, written.text), written)


def _loads(written: str) -> str:
    """Return the string that is written in quotes."""
    if "\\" not in written and not written.startswith(('"""', "'''")):
        return written[1:-1]
    return str(loads(f"value = {written}")["value"])
