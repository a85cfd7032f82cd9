"""Texts with findings that have fixes, and what becomes of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.change.fix import fix_bytes
from rocmlint.findings import Edit, Finding, Fix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.change.change import Change


Replacement = tuple[int, int, str]


def place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")


def finding(text: str, *replacements: Replacement, safe: bool = True, title: str = "") -> Finding:
    """Make a finding whose fix replaces ranges of offsets."""
    edits = tuple(
        Edit(*place(text, start), *place(text, end), new) for start, end, new in replacements
    )
    span = (*place(text, replacements[0][0]), *place(text, replacements[0][1]))
    fix = Fix(title, edits, safe=safe)
    return Finding("train.py", *span, "ROC402", "whole-model-cast", "…", fix=fix)


def replacing(
    pattern: str, replacement: str, *, safe: bool = True
) -> Callable[[str], list[Finding]]:
    """Make a linter that finds a pattern and replaces it."""
    return lambda text: [
        finding(text, (match.start(), match.end(), match.expand(replacement)), safe=safe)
        for match in re.finditer(pattern, text)
    ]


HALF = replacing(r"\.half\(\)", ".bfloat16()")


def lint_bytes(data: bytes) -> list[Finding]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return HALF(re.sub("\r\n?", "\n", text.removeprefix("\ufeff")))


def fixed(data: bytes, lint: Callable[[bytes], Sequence[Finding]] = lint_bytes) -> Change:
    return fix_bytes("train.py", data, lint, unsafe=False)


def ranges(text: str, found: Finding) -> list[Replacement]:
    assert found.fix is not None
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return sorted(
        (
            starts[e.line - 1] + e.column - 1,
            starts[e.end_line - 1] + e.end_column - 1,
            e.replacement,
        )
        for e in found.fix.edits
    )
