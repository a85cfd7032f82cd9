"""Adopting the tool on old code: each finding that is to stay gets a comment with a reason."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.change.change import Change, ChangedText, change_bytes
from rocmlint.change.fix import parser_of
from rocmlint.findings import UNREADABLE_FILE
from rocmlint.formats import Role, format_of, is_notebook, is_python, parse
from rocmlint.source.document import plain_text
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocmlint.change.change import Lint
    from rocmlint.findings import Finding

    LintText = Callable[[str], Sequence[Finding]]

_LISTED = re.compile(r"#\s*rocmlint:\s*ignore\s*\[(?P<listed>[^\]]*)(?=\])")


def ignore_bytes(path: str, data: bytes, lint: Lint, reason: str) -> Change:
    """Add ``# rocmlint: ignore[CODE] reason`` for all that ``lint`` finds in the bytes of a file.

    Nothing is written: see :mod:`rocmlint.change.change`.
    """
    is_code = is_python(path, data) or is_notebook(path)
    change = _ignore_in_code if is_code else _ignore_in_document
    return change_bytes(path, data, lint, partial(change, path, reason))


def _ignore_in_code(
    path: str, reason: str, text: str, found: Sequence[Finding], lint: LintText
) -> ChangedText:
    # In a cell that cannot be parsed no comment is seen.
    wanted = [each for each in found if not is_notebook(path) or each.code != UNREADABLE_FILE]
    after = add_ignores(path, text, wanted, reason)
    parses = parser_of(path, text)
    if parses is None or not parses(after):
        return ChangedText(text, (), found, "no comments were added: the file cannot be parsed")
    left = lint(after)
    still = {(finding.line, finding.code) for finding in left}
    settled = [each for each in found if (each.line, each.code) not in still]
    return ChangedText(after, settled, left)


def _ignore_in_document(
    path: str, reason: str, text: str, found: Sequence[Finding], lint: LintText
) -> ChangedText:
    """Put each comment to the first place where it hides a finding and changes nothing else.

    From the end of the file on, so that what is still to be done keeps its line.
    """
    before, left = _said(path, text), found
    stuck = 0
    while stuck < len(left):
        finding = left[-1 - stuck]
        for place in _places(path, text):
            after = place(path, text, [finding], reason)
            now = lint(after) if _said(path, after) == before else left
            if len(now) < len(left):
                text, left = after, now
                break
        else:
            stuck += 1
    remaining = Counter((each.code, each.message) for each in left)
    settled = []
    for each in found:
        remaining[each.code, each.message] -= 1
        if remaining[each.code, each.message] < 0:
            settled.append(each)
    codes = ", ".join(sorted({each.code for each in left}))
    problem = f"cannot add a comment for {codes} here; exclude the file instead" if codes else None
    return ChangedText(text, settled, left, problem)


def add_ignores(path: str, text: str, findings: Iterable[Finding], reason: str) -> str:
    r"""Add the comments to a text with ``\n`` line ends.

    Each is added to the first line of its finding that can end with a comment, and joins the
    comment of this kind that is already there.
    """
    source = _text(path, text)
    codes: dict[int, list[str]] = {}
    for finding in findings:
        codes.setdefault(source.closing_line(finding.line), []).append(finding.code)
    lines = source.written_lines.copy()
    comments = {comment.line: comment.column - 1 for comment in source.written_comments}
    for number, added in codes.items():
        line = lines[number - 1]
        lines[number - 1] = _with_ignore(line, comments.get(number, len(line)), added, reason)
    return "\n".join(lines)


def _add_above(path: str, text: str, findings: Iterable[Finding], reason: str) -> str:
    """Add the comments on lines of their own, above the findings'."""
    lines = text.split("\n")
    found = format_of(path, text)
    opener = "#" if found is None else found.comment
    for finding in findings:
        _insert(lines, finding.line - 1, finding.code, reason, opener)
    return "\n".join(lines)


def _add_above_instruction(path: str, text: str, findings: Iterable[Finding], reason: str) -> str:
    """Add the comments above the first of the lines that backslashes join."""
    source = plain_text(path, text)
    opening = [replace(each, line=source.opening_line(each.line)) for each in findings]
    return _add_above(path, text, opening, reason)


def _insert(lines: list[str], index: int, code: str, reason: str, opener: str) -> None:
    """Add a code to the comment above a line, or make one."""
    above = lines[index - 1] if index else ""
    if above.lstrip().startswith(opener) and _LISTED.search(above):
        lines[index - 1] = _with_ignore(above, 0, [code], reason)
    else:
        indent = lines[index][: len(lines[index]) - len(lines[index].lstrip())]
        opening = "" if opener == "#" else f"{opener} "
        lines.insert(index, indent + opening + _with_ignore("", 0, [code], reason))


def _places(path: str, text: str) -> tuple[Callable[[str, str, Sequence[Finding], str], str], ...]:
    """Return the ways to place a comment, the best first: in a Dockerfile none ends a line."""
    above = (_add_above, _add_above_instruction)
    found = format_of(path, text)
    has_lines_only = found is not None and (
        Role.INSTRUCTIONS in found.roles or found.comment != "#"
    )
    return above if has_lines_only else (add_ignores, *above)


def _said(path: str, text: str) -> list[Any]:
    """Return what the parts of a file say, wherever they are in it."""
    parts = parse(path, text)
    return [
        *(
            (
                [(word.text, word.known) for word in each.words],
                [(redirect.operator, redirect.target.text) for redirect in each.redirects],
            )
            for each in parts.commands
        ),
        *((each.text, each.group, each.constraint) for each in parts.declared),
        *((each.url, each.extra) for each in parts.indexes),
        *((each.path, each.constraint) for each in parts.inclusions),
        *(each.text for each in parts.images),
        *(each.reason for each in parts.problems),
    ]


def _text(path: str, text: str) -> Text:
    if is_notebook(path):
        from rocmlint.notebook.magics import code_of  # noqa: PLC0415 - few files are notebooks

        return code_of(text).text
    return Text(text) if is_python(path, text) else plain_text(path, text)


def _with_ignore(line: str, comment: int, codes: Iterable[str], reason: str) -> str:
    """Add codes to a line; ``comment`` is the offset at which its comment begins, or its end."""
    there = _LISTED.search(line, comment)
    listed = re.split(r"[,\s]+", there["listed"].strip()) if there else []
    merged = ",".join(dict.fromkeys(code for code in [*listed, *codes] if code))
    if there:
        return line[: there.start("listed")] + merged + line[there.end() :]
    addition = f"# rocmlint: ignore[{merged}] {' '.join(reason.split())}".rstrip()
    return f"{line.rstrip()}  {addition}" if line.strip() else addition
