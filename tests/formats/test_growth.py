"""No format takes more than time in proportion to the size of a file, whatever it is full of."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rocmlint.formats import parse
from tests.support.format_examples import REAL

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

ROW = {
    "an open bracket": "[",
    "an open parenthesis": "(",
    "an open brace": "{",
    "a substitution": "$(",
    "a variable": "${a:-",
    "a quotation mark": '"',
    "a closing parenthesis": ")",
    "a pipe": "a | ",
    "and": "a && ",
    "a condition": "if a; then ",
    "a mark of a block": "- ",
    "a key": "a: ",
    "a part of a key": "a.",
    "a word": "torch ",
    "a digit": "1",
    "a specifier": "torch>=2,",
    "an anchor": "&a *a ",
    "a sign of a comment": "# ",
    "a blank": " ",
    "a line": "\n",
    "a line of a list": "- a\n",
    "a line of a table": "a = 1\n",
    "a line of keys": "a: b\n",
    "a header": "[a]\n",
    "a comment": "# a\n",
    "a command": "pip install a\n",
    "a command that goes on": "pip install a \\\n",
    "an instruction": "RUN pip install a\n",
    "a here-document": "<<EOF\n",
    "a requirement": "a==1\n",
}
"""What a file is full of."""
SHAPES: dict[str, Callable[[str, int], str]] = {
    "alone": lambda part, times: part * times,
    "behind a real file": lambda part, times: part * times,
    "with its end": lambda part, times: part * times + _ends(part) * times,
}
TIMES = 500
MOST = 3.5
"""By how much twice as much may take longer, at most: four times would be quadratic."""
NOTHING = 0.05
"""Seconds in which nothing can be measured."""


def _ends(part: str) -> str:
    ends = {"[": "]", "(": ")", "{": "}", "$(": ")", "${a:-": "}", "if a; then ": "; fi"}
    return ends.get(part, "")


def seconds(name: str, text: str) -> float:
    """Return the time of this processor for a file."""
    started = time.process_time()
    parse(name, text)
    return time.process_time() - started


def slower(name: str, texts: list[str]) -> str:
    """Return the times for texts each twice as long where they grow more; "" where they do not.

    What was slow because the machine is busy is not slow each time.
    """
    for _ in range(3):
        once, twice, four_times = (seconds(name, text) for text in texts)
        if four_times < NOTHING or four_times < MOST * twice or twice < MOST * once:
            return ""
    return f"{once:.3f}, {twice:.3f}, {four_times:.3f} s"


@pytest.mark.parametrize("name", sorted(REAL))
def test_twice_the_text_takes_twice_the_time(name: str) -> None:
    slow = []
    for row, part in ROW.items():
        for shape, made in SHAPES.items():
            begins = REAL[name] if shape == "behind a real file" else ""
            if shape == "with its end" and not _ends(part):
                continue
            texts = [begins + made(part, TIMES * factor) for factor in (1, 2, 4)]
            if times := slower(name, texts):
                slow.append(f"{row} {shape}: {times}")
    assert not slow
