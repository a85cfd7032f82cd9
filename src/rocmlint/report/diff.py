"""Showing what a fix would change: exact for a program, coloured and harmless on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.text.secrets import with_starred_credentials
from rocmlint.text.visible import BLUE, BOLD, GREEN, RED, paint, source

if TYPE_CHECKING:
    from typing import TextIO

_STYLES = {"---": BOLD, "+++": BOLD, "@@ ": BLUE, "-": RED, "+": GREEN}


def write_diff(diff: bytes, stream: TextIO, *, color: bool) -> None:
    """Write a unified diff: byte for byte, unless it goes to a terminal."""
    binary = getattr(stream, "buffer", None)
    if binary is not None and not color and not stream.isatty():
        stream.flush()
        binary.write(diff)
        binary.flush()
        return
    for line in diff.splitlines():
        text = source(with_starred_credentials(line.decode("utf-8", "backslashreplace")))
        style = next((style for start, style in _STYLES.items() if text.startswith(start)), None)
        stream.write((paint(text, style, color=color) if style else text) + "\n")
