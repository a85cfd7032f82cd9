"""Numbers and lists, as people write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily
from rocmlint.text.secrets import without_credentials

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized


_LONGEST_NAME = 160
_NAME = compile_lazily(r"[\w.,:/\\@%+~^=<>!*\[\]-]+")
"""What has no blanks, calls, quotes or braces."""
_LONGEST_CALLED = 40
_END = compile_lazily(r"\w+\Z")
_START = compile_lazily(r"\A\w+")


def counted(what: int | Sized, noun: str) -> str:
    """Return a number, or how many there are, and the noun: ``1 file``, ``2,000 files``."""
    number = what if isinstance(what, int) else len(what)
    plural = "" if number == 1 else "es" if noun.endswith(("s", "x")) else "s"
    return f"{number:,} {noun}{plural}"


def few(names: Sequence[str], shown: int) -> str:
    """Name the first, and count the others: ``one, two and 3 more``."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more:,} more" if more > 0 else "")


def shortened(text: str, most: int = 40) -> str:
    """Return text on one line, with an ellipsis in the middle where it is longer than ``most``.

    A name, path, requirement or option stays whole, and so does each name in code: people search
    for it. Of a call the arguments are left out.
    """
    text = without_credentials(" ".join(text.split()))  # half of a URL would not look like one
    if len(text) <= most or (len(text) <= _LONGEST_NAME and _NAME.fullmatch(text)):
        return text
    called, _, rest = text.partition("(")
    behind = _behind_bracket(rest)
    if len(called + behind) < _LONGEST_CALLED and _NAME.fullmatch(called + behind):
        return f"{called}(…){behind}"
    kept = most - 1
    begun, ended = text[: kept - kept // 2], text[-(kept // 2) :]
    return f"{_END.sub('', begun) or begun}…{_START.sub('', ended) or ended}"


def _behind_bracket(text: str) -> str:
    """Return what is behind the bracket that opened before a text; all where it does not close."""
    depth = 1
    for at, each in enumerate(text, 1):
        depth += (each in "([{") - (each in ")]}")
        if not depth:
            return text[at:]
    return text


def fitted(template: str, *texts: str, most: int = 100, **whole: str) -> str:
    """Return a constant template with texts in it, so that all of it fits if that can be.

    What replaces ``{}`` is shortened until the message fits, but for names, see ``shortened``; what
    replaces ``{name}`` is not. A template is written in the code (tests/test_templates.py): what a
    file says may contain braces.
    """
    for each in range(most, 8, -2):
        filled = template.format(*(shortened(text, each) for text in texts), **whole)
        if len(filled) <= most:
            break
    return filled
