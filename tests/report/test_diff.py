"""Diffs: exact for a program, harmless for a person."""

from __future__ import annotations

import io
import re

from rocmlint.report.diff import write_diff

DIFF = "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-half()\r\n+bfloat16()  # \x1b[2J ü\r\n".encode("latin-1")


def test_a_diff_for_a_program_is_exact() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    write_diff(DIFF, stream, color=False)
    assert stream.buffer.getvalue() == DIFF


def test_a_diff_for_a_person_is_harmless() -> None:
    stream = io.StringIO()
    write_diff(DIFF, stream, color=False)
    assert stream.getvalue().replace("\n", "").isprintable()
    assert stream.getvalue().endswith("-half()\n+bfloat16()  # \\x1b[2J \\xfc\n")


def test_a_diff_in_colour_is_the_same_diff() -> None:
    plain, colored = io.StringIO(), io.StringIO()
    write_diff(DIFF, plain, color=False)
    write_diff(DIFF, colored, color=True)
    assert "\x1b[31m-half()" in colored.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored.getvalue()) == plain.getvalue()
