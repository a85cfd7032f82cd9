"""Words of a shell: from what is written to what the program gets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import Word
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tree_sitter import Node

    Value = str | tuple[str, ...] | None
    Lookup = Callable[[str, str | None], Value]

EXPANSIONS = frozenset(
    {
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    }
)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?:\[[@*]\])?\})\Z")
_WITH_DEFAULT = re.compile(r"\$\{([A-Za-z_]\w*):?[-=]([^{}$`\"'\\\n]+)\}\Z")
_ALTERNATIVES = re.compile(r"\{[^{}]*,[^{}]*\}|\{\w+\.\.\w+\}")
"""What braces expand to several words."""
_PLAIN = re.compile(r"[\w./:=@%+,-]+\Z")
"""Words that are what is written: most are."""
_ESCAPED_IN_QUOTES = '$`"\\\n'


class Written(NamedTuple):
    """A word as it is written: from where to where, and the expansions in it."""

    start: int
    end: int
    expansions: Mapping[int, int]
    """Where each begins, and where it ends; without those inside others."""


def written_words(excerpt: Excerpt, nodes: Iterable[Node]) -> list[Written]:
    """Return the words that nodes are, in order: the grammar takes ``''\\>`` for two."""
    found: list[Written] = []
    for node in sorted(nodes, key=lambda node: node.start_byte):
        start, end = node.start_byte, node.end_byte
        expansions = _expansions(excerpt, node)
        if found and found[-1].end == start:
            before = found.pop()
            start, expansions = before.start, {**before.expansions, **expansions}
        found.append(Written(start, end, expansions))
    return found


def words_of(excerpt: Excerpt, word: Written, lookup: Lookup) -> list[Word]:
    """Return the words that one written word becomes: mostly one, but ``$PACKAGES`` may be several.

    ``lookup`` gives a variable's value, a tuple of values for an array, None if unknown; and the
    default of one that the script does not set.
    """
    start, end = word.start, word.end
    span = excerpt.span(start, end)
    written = excerpt.text[start:end]
    if not excerpt.unknown and _PLAIN.match(written):
        return [Word(written, span, quoted=not excerpt.is_literal(start, end))]
    values = _split_values(written, lookup)
    if values is not None and excerpt.is_known(start, end):
        return [Word(value, span) for value in values]
    value = value_of(excerpt, word, lookup)
    quoted = any(sign in written for sign in "'\"\\") or not excerpt.is_literal(start, end)
    known = not value.unknown and not (not quoted and _ALTERNATIVES.search(written))
    return [Word(value.text, span, known=known, quoted=quoted)]


def value_of(excerpt: Excerpt, word: Written, lookup: Lookup, *, splits: bool = True) -> Excerpt:
    """Return what a word is worth, in one piece; its characters know where they come from.

    Where the shell splits values at blanks, one that it would split is unknown: not so in
    assignments.
    """
    pieces: list[Excerpt] = []
    start, end, expansions = word
    quote = ""
    position = begun = start

    def take(upto: int) -> None:
        if upto > begun:
            pieces.append(excerpt.part(begun, upto))

    while position < end:
        sign = excerpt.plain[position]
        if position in expansions and quote in ("", '"'):
            take(position)
            after = expansions[position]
            pieces.append(_expanded(excerpt.part(position, after), lookup, splits and not quote))
            position = begun = after
        elif sign == "\\" and (quote == "" or (quote == '"' and _escapes(excerpt, position))):
            take(position)
            begun = position + 1 + (excerpt.text[position + 1 : position + 2] == "\n")
            position += 2
        elif sign == "\\" and quote == "$'":
            take(position)  # \n, \x41: rare enough to stay unread
            pieces.append(_unknown(excerpt.part(position, min(position + 2, end))))
            position = begun = min(position + 2, end)
        elif quote == "" and excerpt.plain.startswith(("'", '"', "$'", '$"'), position):
            take(position)
            quote = excerpt.plain[position : position + 2] if sign == "$" else sign
            position = begun = position + len(quote)
            quote = '"' if quote == '$"' else quote
        elif quote and sign == quote[-1]:
            take(position)
            quote = ""
            position = begun = position + 1
        else:
            position += 1
    take(end)
    return Excerpt.joined(excerpt.file, pieces)


def _escapes(excerpt: Excerpt, position: int) -> bool:
    return excerpt.text[position + 1 : position + 2] in _ESCAPED_IN_QUOTES


def _expansions(excerpt: Excerpt, node: Node) -> dict[int, int]:
    """Find the expansions in a word, from where to where, without those inside others."""
    found: dict[int, int] = {}
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type in EXPANSIONS:
            start = each.start_byte  # the grammar counts blanks before it in, inside of quotes
            start += len(excerpt.plain[start : each.end_byte]) - len(
                excerpt.plain[start : each.end_byte].lstrip()
            )
            found[start] = each.end_byte
        else:
            waiting += each.children
    return found


def _expanded(written: Excerpt, lookup: Lookup, splits: bool) -> Excerpt:
    value = None if written.unknown else _looked_up(written.text, lookup)
    if isinstance(value, tuple) or value is None or (splits and _is_split(value)):
        return _unknown(written)
    return Excerpt.standing_for(
        written.file, value, written.starts[0] if written.starts else 0, written.ends[-1]
    )


def _looked_up(written: str, lookup: Lookup) -> Value:
    """Return the value of a lone expansion: ``$INDEX``, ``${INDEX:-https://…}``."""
    match = _VARIABLE.match(written)
    if match is not None:
        return lookup(match[1] or match[2], None)
    match = _WITH_DEFAULT.match(written)
    return None if match is None else lookup(match[1], match[2])


def _unknown(written: Excerpt) -> Excerpt:
    everything = ((0, len(written.text)),) if written.text else ()
    return Excerpt(written.file, written.text, written.starts, written.ends, everything)


def _is_split(value: str) -> bool:
    return not value or any(sign.isspace() or sign in "*?[" for sign in value)


def _split_values(written: str, lookup: Lookup) -> list[str] | None:
    """Return the words that a lone expansion becomes where it can be more or less than one."""
    value = _looked_up(written.strip('"') if written.count('"') == 2 else written, lookup)
    if isinstance(value, tuple):
        return list(value) if "[" in written else None
    if value is None or written.startswith('"') or not _is_split(value) or "*" in value:
        return None
    return value.split()
