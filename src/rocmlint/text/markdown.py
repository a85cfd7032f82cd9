"""Text of others in Markdown: it means nothing but itself."""

from __future__ import annotations

import re

from rocmlint.text.visible import visible

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&#]")


def prose(text: str) -> str:
    """Write a text so that it means nothing but itself, apart from its ``code``."""
    parts = visible(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:  # a single backtick
        return _escaped("`".join(parts))
    return "".join(
        code_span(part) if number % 2 else _escaped(part) for number, part in enumerate(parts)
    )


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def code_span(text: str) -> str:
    """Write a code span: between more backticks than there are in it."""
    text = visible(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if not text.strip() or "`" in (text[0], text[-1]) else ""
    return f"{fence}{pad}{text}{pad}{fence}"
