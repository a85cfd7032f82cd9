"""Syntax trees of formats that tree-sitter has a grammar for; loaded when first needed."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser


def tree(language: str, text: str) -> Node:
    """Parse a text of ASCII only (:attr:`Excerpt.plain`): what nodes count are characters."""
    return _parser(language).parse(text.encode()).root_node


def inside(node: Node) -> Iterator[Node]:
    """Yield a node and all below it in the order of the text, however deep they nest."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(each.children)


def with_parents(node: Node) -> Iterator[tuple[Node, str]]:
    """Yield what ``inside`` does, each with the type of the node above: to ask a node takes long.

    The grammar's library looks for the node above, and for the one before, from the root.
    """
    waiting = [(node, "")]
    while waiting:
        each, above = waiting.pop()
        yield each, above
        waiting += ((child, each.type) for child in reversed(each.children))


@cache
def _parser(language: str) -> Parser:
    from tree_sitter import Language, Parser  # noqa: PLC0415 - most runs read Python only

    grammar = importlib.import_module(f"tree_sitter_{language}")
    return Parser(Language(grammar.language()))
