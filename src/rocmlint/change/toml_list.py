"""Adding to a list in a TOML file: every other byte stays, and what is read from it, too."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from rocmlint.errors import RewriteError
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.readers.grammar import tree
from rocmlint.text.toml import loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node


def with_items(text: str, table: tuple[str, ...], key: str, items: Sequence[str]) -> str:
    """Return a TOML document in which strings are added to the list at a key of a table.

    The table and the key are made where they are missing. Comments, layout and line ends stay.
    Raises RewriteError where that is not possible, as in an inline table.
    """
    try:
        before = loads(text)
        after = _edited(text, table, key, items)
        if loads(after) == _expected(before, table, key, items):
            return after
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise RewriteError(_refusal(table, key, items)) from error
    raise RewriteError(_refusal(table, key, items))


def _refusal(table: tuple[str, ...], key: str, items: Sequence[str]) -> str:
    where = f" to [{'.'.join(table)}]" if table else ""
    return f"cannot be edited without changing the rest of it; add `{_line(key, items)}`{where}"


def _expected(before: Any, table: tuple[str, ...], key: str, items: Sequence[str]) -> Any:
    whole = below = deepcopy(before)
    for each in table:
        below = below.setdefault(each, {})
    below.setdefault(key, []).extend(items)
    return whole


def _edited(text: str, table: tuple[str, ...], key: str, items: Sequence[str]) -> str:
    root = tree("toml", Excerpt.of(text).plain)
    newline = "\r\n" if "\r\n" in text else "\n"
    block = root if not table else _table(root, table, text)
    if block is None:
        gap = "" if not text else newline if text.endswith("\n") else 2 * newline
        return f"{text}{gap}[{'.'.join(table)}]{newline}{_line(key, items)}{newline}"
    pairs = [each for each in block.children if each.type == "pair"]
    values = [each.named_children[1] for each in pairs if _keys(each, text) == (key,)]
    if values:
        return _extended(text, values[0], [json.dumps(each) for each in items], newline)
    if not pairs and not table:
        return _at_top(text, root, _line(key, items), newline)
    anchor = pairs[-1] if pairs else next(each for each in block.children if each.type == "]")
    end = _end_of_line(text, anchor.end_byte)
    return f"{text[:end]}{newline}{_line(key, items)}{text[end:]}"


def _line(key: str, items: Sequence[str]) -> str:
    return f"{key} = [{', '.join(map(json.dumps, items))}]"


def _table(root: Node, path: tuple[str, ...], text: str) -> Node | None:
    tables = (each for each in root.children if each.type == "table")
    return next((each for each in tables if _keys(each, text) == path), None)


def _keys(node: Node, text: str) -> tuple[str, ...]:
    """Return the keys at the head of a table or a pair; quotes do not change what they mean."""
    head = next((each for each in node.named_children if each.type.endswith("_key")), None)
    if head is None:
        return ()
    written = text[head.start_byte : head.end_byte]
    return tuple(each.strip().strip("\"'") for each in written.split("."))


def _extended(text: str, array: Node, items: list[str], newline: str) -> str:
    """Add elements at the end of an array, each on a line of its own where the last one is."""
    elements = [each for each in array.named_children if each.type != "comment"]
    if array.type != "array":
        message = "not a list"
        raise TypeError(message)
    if not elements:
        start = array.start_byte + 1
        return f"{text[:start]}{', '.join(items)}{text[start:]}"
    last = elements[-1]
    begin = text.rfind("\n", 0, last.start_byte) + 1
    indent = text[begin : last.start_byte]
    commas = [each for each in array.children if each.type == "," and each.end_byte > last.end_byte]
    end = _end_of_line(text, commas[0].end_byte if commas else last.end_byte)
    if indent.strip() or end >= array.end_byte:
        joined = "".join(f", {each}" for each in items)
        return f"{text[: last.end_byte]}{joined}{text[last.end_byte :]}"
    lines = "".join(f"{newline}{indent}{each}," for each in items)
    comma = "" if commas else ","
    middle = text[last.end_byte : end]
    return f"{text[: last.end_byte]}{comma}{middle}{lines}{text[end:]}"


def _at_top(text: str, root: Node, line: str, newline: str) -> str:
    """Put a key above the first table and the comments that belong to it."""
    tables = [each.start_byte for each in root.children if each.type != "comment"]
    if not tables:
        gap = "" if not text or text.endswith("\n") else newline
        return f"{text}{gap}{line}{newline}"
    start = tables[0]
    while text[:start].endswith("\n"):
        above = text.rfind("\n", 0, start - 1) + 1
        if not text[above:start].lstrip().startswith("#"):
            break
        start = above
    return f"{text[:start]}{line}{newline}{newline}{text[start:]}"


def _end_of_line(text: str, offset: int) -> int:
    """Return where the line of an offset ends, before what ends it."""
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    return end - text[:end].endswith("\r")
