"""The variables that a script sets for the programs that it starts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rocmlint.formats.model import Setting, Word
from rocmlint.formats.scripts.shell.nodes import text_of
from rocmlint.formats.scripts.shell.words import value_of, written_words
from rocmlint.formats.scripts.shell.wrappers import program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from rocmlint.formats.model import Branch
    from rocmlint.formats.readers.excerpt import Excerpt
    from rocmlint.formats.scripts.shell.variables import Variables
    from rocmlint.text.text import Span

_PAIR = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_CONTAINERS = frozenset({"docker", "podman", "nerdctl"})
_OPTIONS = ("-e", "--env")


def setting(
    excerpt: Excerpt,
    node: Node,
    variables: Variables,
    branches: tuple[Branch, ...],
    holder: Span | None = None,
) -> Iterator[Setting]:
    """Yield what an assignment, or ``unset``, does to the variables."""
    span = excerpt.span(node.start_byte, node.end_byte)
    if node.type == "unset_command":
        for child in node.named_children:
            yield Setting(text_of(child, excerpt.text), None, span, holder, branches)
        return
    name, value = (node.child_by_field_name(field) for field in ("name", "value"))
    if value is None or value.type == "array":
        return
    (written, *_) = written_words(excerpt, [value])
    text = value_of(excerpt, written, variables.within_limits(), splits=False)
    origin = variables.origin(text.text) if text.unknown else ""
    word = Word(text.text, text.span(), known=not text.unknown, origin=origin)
    yield Setting(text_of(name, excerpt.text), word, span, holder, branches)


def given(
    excerpt: Excerpt, node: Node, variables: Variables, branches: tuple[Branch, ...]
) -> Iterator[Setting]:
    """Yield what stands before a command that alone gets it: ``NAME=value command``."""
    holder = excerpt.span(node.start_byte, node.end_byte)
    for child in node.children:
        if child.type == "variable_assignment":
            yield from setting(excerpt, child, variables, branches, holder)


def handed_over(words: Sequence[Word], branches: tuple[Branch, ...]) -> Iterator[Setting]:
    """Yield the variables that a command gives to what it starts: ``docker run -e``, ``env``."""
    words = words[1:] if program(words[0]) == "sudo" else words
    name = program(words[0]) if words else ""
    if name == "env":
        pairs = [(each, each.text) for each in words[1:]]
    elif name in _CONTAINERS:
        pairs = list(_options(words))
    else:
        return
    for word, text in pairs:
        match = _PAIR.match(text)
        if match is not None:
            value = replace(word, text=match[2])
            yield Setting(match[1], value, word.span, words[0].span, branches)


def _options(words: Sequence[Word]) -> Iterator[tuple[Word, str]]:
    for before, word in pairwise(words):
        if before.text in _OPTIONS:
            yield word, word.text
        elif word.text.startswith("--env="):
            yield word, word.text.removeprefix("--env=")
