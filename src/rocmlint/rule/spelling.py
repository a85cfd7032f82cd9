"""How the words of triggers may be spelt in code, and where they stand in a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.text.patterns import whole_word

if TYPE_CHECKING:
    from collections.abc import Iterator

_GAP = re.compile(r"(?<=\w) (?=\w)|(?<=[\w)]) ?(?=[.(\[=])|(?<=\.)(?=\w)|(?<==) (?=\w)")
_AS = re.compile(r" as[ \t]+(\w+)")
_NAME_BEFORE = re.compile(r"\w+(?=[ \t]*\Z)")


def matches_at(word: str, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Look only where a word stands: many times faster than to try every place."""
    start = text.find(word)
    while start >= 0:
        match = pattern.match(text, start)
        if match is not None:
            yield match
        start = text.find(word, start + 1)


def spelt(words: tuple[str, ...]) -> tuple[str, ...]:
    """Add how words of several tokens begin where more blanks than usual part these."""
    found = dict.fromkeys(words)
    for word in words:
        for gap in _GAP.finditer(word):
            before, after = word[: gap.start()], word[gap.end() :]
            two = f"{before}  {after}" if before.endswith((".", "=")) else f"{before}  "
            found |= dict.fromkeys((f"{before} {after}", two))
    return tuple(found)


def any_of(words: tuple[str, ...]) -> str:
    """Match one of the words, whole where it is an identifier."""
    return "|".join(whole_word(word) if word.isidentifier() else re.escape(word) for word in words)


def where_called(names: tuple[str, ...]) -> str:
    """Match one of the names where a call may stand: ``run(``, ``(run)(``, on one line or more.

    In text where comments are not blanked, one may stand between. Not where a function is defined.
    """
    called = "|".join(rf"{name}\b(?<!\w{name})(?<!def {name})" for name in names)
    return rf"(?:{called})(?=[\s\\)]*[(#])"


def renamed_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names that ``as`` gives another one, each with that."""
    for new in _AS.finditer(text):
        # To look back from a fixed word is twelve times faster than to try every name.
        line = text.rfind("\n", 0, new.start()) + 1
        old = _NAME_BEFORE.search(text[line : new.start()])
        if old is not None:
            yield old[0], new[1]
