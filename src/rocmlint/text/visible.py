"""Text that is safe to print: it cannot steer a terminal, hide what it says or tell a password."""

from __future__ import annotations

from rocmlint.text.secrets import without_credentials

RED, GREEN, YELLOW, BLUE, BOLD = "31", "32", "33", "34", "1"
_TAB = " " * 4


def visible(text: str) -> str:
    """Write what does not print (controls, surrogates, marks of direction) as escapes.

    The credentials of URLs are masked.
    """
    return _escaped(without_credentials(text))


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def at_line_start(text: str) -> str:
    """Write a text that begins with a path so that a line may begin with it.

    To GitHub's runner a line that begins with ``::``, after blanks too, is a command.
    """
    return f"./{text}" if text.lstrip().startswith("::") else text


def source(text: str) -> str:
    """Write a line of code, or a part of one: what does not print as escapes, blanks for tabs."""
    return _escaped(text.replace("\t", _TAB))


def width(text: str) -> int:
    """Count the columns that a printable text takes on a terminal."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415 - most code is ASCII

    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )


def linked(text: str, address: str | None) -> str:
    """Return a text that a terminal shows as a link (OSC 8); the same text without an address."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\" if address else text


def style_of(severity: str) -> str:
    """Return the colour of a severity."""
    return {"error": RED, "warning": YELLOW}.get(severity, BLUE)


def paint(text: str, *styles: str, color: bool) -> str:
    """Return the text its colours."""
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if color and text else text
