"""Adopting the tool on old code: a comment with a reason beside each finding that is to stay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.lint.change import Change, Outcome, change_bytes
from rocmlint.lint.closing import closing_line, open_lines
from rocmlint.lint.fix import parser_of
from rocmlint.lint.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocmlint.findings import Finding
    from rocmlint.lint.change import Lint

_LISTED = re.compile(r"#\s*rocmlint:\s*ignore\s*\[(?P<listed>[^\]]*)(?=\])")


def ignore_bytes(path: str, data: bytes, lint: Lint, reason: str) -> Change:
    """Add ``# rocmlint: ignore[CODE] reason`` for all that ``lint`` finds in the bytes of a file.

    Nothing is written: see :mod:`rocmlint.lint.change`.
    """

    def change(
        text: str, found: Sequence[Finding], lint_text: Callable[[str], Sequence[Finding]]
    ) -> Outcome:
        after = add_ignores(text, found, reason)
        parses = parser_of(text)
        if parses is None or not parses(after):
            return Outcome(text, (), found, "no comments were added: it cannot be parsed")
        left = lint_text(after)
        still = {(finding.line, finding.code) for finding in left}
        settled = [each for each in found if (each.line, each.code) not in still]
        return Outcome(after, settled, left)

    return change_bytes(path, data, lint, change)


def add_ignores(text: str, findings: Iterable[Finding], reason: str) -> str:
    r"""Add the comments to a text with ``\n`` line ends.

    Each stands on the first line of its finding at whose end a comment may stand, and joins the
    comment of this kind that is already there.
    """
    source = Text(text)
    without_end = open_lines(source)
    codes: dict[int, list[str]] = {}
    for finding in findings:
        codes.setdefault(closing_line(finding.line, without_end), []).append(finding.code)
    lines = source.lines.copy()
    comments = {comment.line: comment.column - 1 for comment in source.comments}
    for number, added in codes.items():
        line = lines[number - 1]
        lines[number - 1] = _with_ignore(line, comments.get(number, len(line)), added, reason)
    return "\n".join(lines)


def _with_ignore(line: str, comment: int, codes: Iterable[str], reason: str) -> str:
    """Add codes to a line; ``comment`` is the offset at which its comment begins, or its end."""
    there = _LISTED.search(line, comment)
    listed = re.split(r"[,\s]+", there["listed"].strip()) if there else []
    merged = ",".join(dict.fromkeys(code for code in [*listed, *codes] if code))
    if there:
        return line[: there.start("listed")] + merged + line[there.end() :]
    addition = f"# rocmlint: ignore[{merged}] {' '.join(reason.split())}".rstrip()
    return f"{line.rstrip()}  {addition}" if line.strip() else addition
