"""What the nodes of a script say: their text, and what part of it they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.readers.grammar import inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_RUNS_ARGUMENTS = re.compile(
    r"(?:^|[;&|({]|\b(?:if|then|else|do|until|while|!|sudo|timeout \S+))\s*"
    r"(?:\"\$@\"|\$@|\$\*)",
    re.MULTILINE,
)
"""Where ``"$@"`` stands as a command of its own."""

_DEFAULT = re.compile(r"(\$\{\w+:?[-+=?])([^{}$`\"'\\\n]*)(?=\})")
"""The default in ``${ARCH:-gfx942;gfx950}``, whose signs the grammar does not take for text."""
_NO_WORD = re.compile(r"\W")
_LAST_WORD = re.compile(r"(?<!\S)(?:==|=~)(?=[ \t]*(?:[\n;&|)]|\Z))")
"""A word that the grammar takes for an operator, with what ends the command as its operand."""


def for_grammar(text: str) -> str:
    """Return a script, as long, with letters for the signs that the grammar misunderstands."""
    return _LAST_WORD.sub("xx", _DEFAULT.sub(_masked, text))


def _masked(match: re.Match[str]) -> str:
    return match[1] + _NO_WORD.sub("x", match[2])


def is_run(name: str, text: str) -> bool:
    """Return whether a variable stands where a command may."""
    pattern = rf"(?m)(?:^|[;&|]|\beval\b|\bexec\b|\s-[mc]\b)\s*[\"']*\$\{{?{name}\b"
    return re.search(pattern, text) is not None


def text_of(node: Node | None, text: str) -> str:
    """Return the text of a node, empty for none."""
    return "" if node is None else text[node.start_byte : node.end_byte]


def running_functions(root: Node, text: str) -> Iterator[tuple[str, str]]:
    """Yield the functions that run the command that they are given, with their code."""
    if '"$@"' not in text and "$*" not in text:
        return
    for node in inside(root):
        name = node.child_by_field_name("name") if node.type == "function_definition" else None
        if name is not None and _RUNS_ARGUMENTS.search(text, node.start_byte, node.end_byte):
            yield text_of(name, text), text_of(node, text)


def without_comments(node: Node) -> list[Node]:
    """Return the parts of a node that are no comments."""
    return [child for child in node.named_children if child.type != "comment"]


def is_fallback(before: Node | None) -> bool:
    """Return whether a node runs only where another fails, by what is before it."""
    return before is not None and before.type == "||"
