"""A file that fixes or new comments change: what becomes of it, as a diff or on disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.change.rewrite import encode_like, save
from rocmlint.errors import RewriteError
from rocmlint.source.decoding import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rocmlint.findings import Finding

    Lint = Callable[[bytes], Sequence[Finding]]


class Change(NamedTuple):
    """The bytes of a file before and after, and the findings.

    Of those ``found`` before some are ``settled`` now; ``left`` are those that are found after.
    ``problem`` is a line that says what could not be done and why.
    """

    path: str
    before: bytes
    after: bytes
    found: Sequence[Finding]
    settled: Sequence[Finding]
    left: Sequence[Finding]
    problem: str | None = None


class ChangedText(NamedTuple):
    """A changed text, which findings that settles, which are left, and what went wrong."""

    text: str
    settled: Sequence[Finding]
    left: Sequence[Finding]
    problem: str | None = None


def change_bytes(
    path: str,
    data: bytes,
    lint: Lint,
    change: Callable[[str, Sequence[Finding], Callable[[str], Sequence[Finding]]], ChangedText],
) -> Change:
    """Change the text of a file as ``change`` does: it gets the text, the findings and a linter.

    Nothing is written. What cannot be decoded stays as it is.
    """
    found = lint(data)
    same = Change(path, data, data, found, (), found)
    try:
        text = text_of(path, data)
    except (SyntaxError, ValueError):
        return same
    try:
        outcome = change(text, found, lambda changed: lint(encode_like(path, data, changed)))
        after = encode_like(path, data, outcome.text)
    except RewriteError as error:
        return same._replace(problem=f"{path}: not changed: {error}")
    problem = None if outcome.problem is None else f"{path}: {outcome.problem}"
    return Change(path, data, after, found, outcome.settled, outcome.left, problem)


def write(change: Change) -> Change:
    """Write the file; where that fails, give it as it still is, with the problem."""
    if change.after == change.before:
        return change
    try:
        save(change.path, change.before, change.after)
    except RewriteError as error:
        path, before, found = change.path, change.before, change.found
        return Change(path, before, before, found, (), found, f"{path}: not changed: {error}")
    return change


def diff(change: Change) -> bytes:
    """Return a unified diff that ``patch -p0`` takes, in the file's own encoding."""
    from difflib import diff_bytes, unified_diff  # noqa: PLC0415 - only for --diff

    name = os.fsencode(change.path.replace(os.sep, "/").replace("\n", "\\n"))
    before, after = (list(_lines(data)) for data in (change.before, change.after))
    return b"".join(diff_bytes(unified_diff, before, after, name, name))


def _lines(data: bytes) -> Iterator[bytes]:
    for line in data.splitlines(keepends=True):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
