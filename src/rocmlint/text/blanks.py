"""Python's text with nothing but blanks between tokens: no tabs, form feeds or lone backslashes.

Python takes form feeds and backslashes even in front of a statement, where LibCST loses sight of
them: what it parses would stand a line or a column off. And every expression that looks for
``import torch`` would have to know all the ways to write a blank.
"""

from __future__ import annotations

import re
from functools import cached_property

from rocmlint.text.text import LEXEME, Text, without_strings

_ODD = re.compile(
    rf"(?P<lexeme>{LEXEME})"
    # In front of a statement, with the line end above, so that as many lines are left.
    r"|(?P<first>(?:\A|\n)[ \t]*(?:\f|\\\n)(?:[ \t\f]|\\\n)*)"
    r"|(?P<indent>^[ \t]+)"
    r"|(?P<inner>\\\n(?:[ \t\f]|\\\n)*|[\t\f]+)",
    re.DOTALL | re.MULTILINE,
)
_BEGINS_WITH_BACKSLASH = re.compile(r"^ *\\\n", re.MULTILINE)
_HANDLER = re.compile(r"(?P<handler>except\b[^:#\"']*?)(?P<gap>(?:[ \t\f]|\\\n)+):")
_HANDLERS = re.compile(rf"{LEXEME}|{_HANDLER.pattern}", re.DOTALL)
_TO_BLANKS = str.maketrans("\t\f", "  ")
_ALL_TO_BLANKS = str.maketrans("\t\f\\", "   ")


MARKS = (b"\t", b"\f", b"\\\n", b"\\\r", b"from  ", b"import  ")
"""One of them stands in whatever :func:`has_torn_code`."""
_OPERATORS = ("or", "and", "not", "in", "is", "if", "elif", "else", "assert", "return", "yield")
_TORN = re.compile(
    # What begins with a fixed character is searched much faster.
    rb"\t(?:(?<!\s\t)|(?<= \t))[ \t\f]*[^\s#]"
    rb"|\f[ \t\f]*[^\s#]"
    rb"|from  +\w|import  +\w"
    rb"|import (?:(?<=\nimport )|(?<=    import ))[^\n\\]*,\\\n"
    rb"|\\\n(?:"
    rb"(?<=[\w.(\[]\\\n)|(?<=from \\\n)|(?<=\Was \\\n)|(?<=def \\\n)"
    rb"|(?<=except \\\n)|(?<=class \\\n)|(?<=[.(] \\\n)|(?<=\nimport \\\n)|(?<=    import \\\n)"
    rb"|(?<=\Wor \\\n)(?:\\\n|[ \t(])*True\b"
    rb"|(?:\\\n|[ \t])*(?::|=(?!=)|(?:import|as|lambda)\b|or\b[\s\\(]*True)"
    rb"|(?<=\w \\\n)(?:\\\n|[ \t])*[.,]"
    # A bracket belongs to what stands above, if that is no operator.
    rb"|(?<=[\w)\]] \\\n)"
    + "".join(rf"(?<!\W{each} \\\n)" for each in _OPERATORS).encode()
    + rb"(?:\\\n|[ \t])*[(\[]"
    rb")"
)
"""A tab or form feed between tokens, or a backslash where nobody parts a line."""


def has_torn_code(data: bytes) -> bool:
    """Check whether tokens stand apart as in one of five hundred files.

    Then no search for words and expressions finds them; it is enough to look without.
    """
    if b"\r" in data:
        # A comment ends there, and a backslash parts a line.
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    # Two of three such places stand in a docstring or a comment.
    return _TORN.search(data) is not None and _TORN.search(without_strings(data)) is not None


class PythonText(Text):
    """The characters of a Python file, with plain blanks between tokens and for suppressions."""

    def __init__(
        self, text: str, *, is_oddly_spaced: bool | None = None, may_suppress: bool = True
    ) -> None:
        r"""Take text with line ends ``\n``, and whether it is oddly spaced if that is known.

        Without ``may_suppress`` it is known to have no suppressions.
        """
        super().__init__(with_plain_blanks(text), written=text)
        self._is_oddly_spaced = is_oddly_spaced
        if may_suppress:
            self.text = self.without_suppressions()

    @cached_property
    def is_oddly_spaced(self) -> bool:
        """Whether expressions with plain blanks may miss something in this text."""
        if self._is_oddly_spaced is not None:
            return self._is_oddly_spaced
        data = self.written.encode(errors="replace")
        return any(mark in data for mark in MARKS) and has_torn_code(data)


def with_plain_blanks(text: str) -> str:
    """Put a blank for each tab and form feed, and leave out backslashes in front of statements.

    The length stays the same, and what is not a blank stays where it is. Strings, comments and
    indentation stay as they are, and so does what Python refuses.
    """
    # To look for one character is much faster than for an expression; few files have any.
    odd = "\t" in text or "\f" in text
    is_joined = "\\" in text and "\\\n" in text
    if odd or (is_joined and _BEGINS_WITH_BACKSLASH.search(text)):
        text = _ODD.sub(_plain, text)
    if (is_joined or " :" in text) and _HANDLER.search(text):
        return _HANDLERS.sub(_with_colon, text)
    return text


def _plain(match: re.Match[str]) -> str:
    if match["first"] is not None:
        return _before_statement(match[0], match.string[match.end() : match.end() + 1])
    return match[0] if match["inner"] is None else match[0].translate(_TO_BLANKS)


def _with_colon(match: re.Match[str]) -> str:
    """Put the blanks in front of a handler's colon behind it: LibCST forgets them."""
    if match["gap"] is None:
        return match[0]
    return f"{match['handler']}:{' ' * len(match['gap'])}"


def _before_statement(run: str, follows: str) -> str:
    """Return blank lines and the indentation that Python sees: the first that is not empty.

    A form feed sets the column back.
    """
    if not follows and "\\" in run:
        return run  # Python refuses a file that ends so
    blank = run.translate(_ALL_TO_BLANKS)
    parts = run.removeprefix("\n").split("\\\n")
    indents = [part.rpartition("\f")[2] for part in parts]
    indent = next(filter(None, indents), "")
    if follows in {"", "\n", "#"} or indent == parts[-1]:
        return blank[: len(run) - len(parts[-1])] + parts[-1].translate(_TO_BLANKS)
    # The last line begins later, at what is really its indentation.
    before = blank[: len(run) - len(indent) - 1]
    last = before.rfind("\n")
    if last >= 0 or run.startswith("\n"):
        before = before[:last] + " " + before[last + 1 :]
    return f"{before}\n{indent}"
