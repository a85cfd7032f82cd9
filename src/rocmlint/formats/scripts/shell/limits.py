"""Scripts that nobody writes and the grammar takes too long for: known by a look at the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.model import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"\s*\w+\s*")
_MOST_PIPES = 250
"""In one pipeline; for each of its commands the parser keeps those before in memory."""
_MOST_HEADS = 200
"""Of functions without a body, one behind the other."""
_MOST_HEREDOCS = 1_000
_MOST_OPEN = 3_000
"""Brackets without a partner, such as that of each pattern of ``case``; and NUL characters."""
_MOST_WORK = 100_000_000
"""Of these and the characters of the script, the product: each may be looked at again and again."""


def too_much(text: str) -> Problem | None:
    """Return what a script has too much of, None where the parser takes time in its size."""
    if text.count("|") > _MOST_PIPES // 5:
        for line, pipes in _pipes(text):
            if pipes > _MOST_PIPES or (pipes > _MOST_PIPES // 5 and _is_much(pipes, text)):
                return Problem(f"{pipes} pipes in one command", line, 1)
    if text.count("()") > _MOST_HEADS and _heads(text) > _MOST_HEADS:
        return Problem(f"more than {_MOST_HEADS} functions without a body", 1, 1)
    open_ = max(abs(text.count(left) - text.count(right)) for left, right in ("()", "[]", "{}"))
    for number, limit, what in (
        (open_, _MOST_OPEN, "brackets without a partner"),
        (text.count("\0"), _MOST_OPEN, "NUL characters"),
        (text.count("<<"), _MOST_HEREDOCS, "here-documents"),
    ):
        if number > limit or (number > limit // 10 and _is_much(number, text)):
            return Problem(f"{number:,} {what}", 1, 1)
    return None


def _is_much(number: int, text: str) -> bool:
    return number * len(text) > _MOST_WORK


def _pipes(text: str) -> Iterator[tuple[int, int]]:
    """Yield the number of each line and the pipes up to it in the command that it belongs to."""
    pipes = 0
    for number, line in enumerate(text.split("\n"), 1):
        pipes += line.count("|")
        yield number, pipes
        if line.strip() and not line.rstrip().endswith(("|", "\\")):
            pipes = 0


def _heads(text: str) -> int:
    """Count the heads of functions in the longest row of them."""
    longest = row = 0
    for each in text.split("()"):
        row = row + 1 if _NAME.fullmatch(each) else 0
        longest = max(longest, row)
    return longest
