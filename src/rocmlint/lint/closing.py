"""Where a comment can stand: behind every line but those that a string or a backslash joins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.lint.text import LEXEME

if TYPE_CHECKING:
    from rocmlint.lint.source import Source
    from rocmlint.lint.text import Text

_TOKEN = re.compile(LEXEME, re.DOTALL)


def open_lines(file: Text | Source) -> frozenset[int]:
    """Give the lines (from 1) at whose end no comment can stand."""
    found = {number for number, line in enumerate(file.code.split("\n"), 1) if line.endswith("\\")}
    for match in _TOKEN.finditer(file.text):
        if "\n" in match[0]:
            found.update(range(file.line_of(match.start()), file.line_of(match.end() - 1)))
    return frozenset(found)


def closing_line(line: int, open_lines: frozenset[int]) -> int:
    """Give the first line, from this one on, at whose end a comment can stand."""
    while line in open_lines:
        line += 1
    return line
