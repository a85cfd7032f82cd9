"""Symbols of C++ (Itanium ABI) as far as messages need them: the name, and what it says."""

from __future__ import annotations

import re
from typing import NamedTuple

_LENGTH = re.compile(r"\d+")
_TAG = re.compile(r"B5cxx11")


class Symbol(NamedTuple):
    """A symbol. ``name`` is "c10::cuda::SetDevice"; of C it is the symbol itself."""

    name: str
    arguments: str
    """The encoded types of the parameters, empty for C."""
    has_new_strings: bool
    """Whether it uses the strings of the C++11 ABI."""
    has_old_strings: bool

    @property
    def namespace(self) -> str:
        """The first part of the name: "c10"."""
        return self.name.partition("::")[0] if "::" in self.name else ""


def symbol_of(text: str) -> Symbol:
    """Read a symbol; what cannot be read stays as it is written."""
    if not text.startswith("_Z"):
        return Symbol(text, "", has_new_strings=False, has_old_strings=False)
    at = next((place for place, each in enumerate(text) if place > 1 and each in "NS123456789"), 2)
    parts, end = _parts(text, at + (text[at : at + 1] == "N"))
    rest = text[end:]
    is_new = "__cxx11" in text or _TAG.search(text) is not None
    name = "::".join(parts) or text
    return Symbol(name, rest, has_new_strings=is_new, has_old_strings=not is_new and "Ss" in rest)


def _parts(text: str, at: int) -> tuple[list[str], int]:
    """Return the names that follow each other, each behind its length, and where they end."""
    parts: list[str] = []
    while at < len(text):
        if text[at] in "KVLr" and not parts:
            at += 1
            continue
        if text.startswith(("St", "Sa"), at) and not parts:
            parts.append("std")
            at += 2
            continue
        if text.startswith("B5cxx11", at):
            at += 7
            continue
        found = _LENGTH.match(text, at)
        if found is None:
            break
        length = int(found[0])
        name = text[found.end() : found.end() + length]
        if not length or len(name) < length:
            break
        parts.append(name)
        at = found.end() + length
    if text[at : at + 1] == "E":
        at += 1
    return parts, at
