"""Fingerprints of findings, unchanged when lines move: the rule and the text it points at."""

from __future__ import annotations

import os
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.report.place import paths_in_repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.findings import Finding
    from rocmlint.report.lines import Lines
    from rocmlint.report.place import PathOf


class Fingerprint(NamedTuple):
    """The text of a finding's lines, and the same with the nearest lines above and below it.

    Both are hashes of text without blanks, so that indenting and wrapping change nothing.
    """

    text: str
    around: str


def fingerprint(finding: Finding, lines: Sequence[str]) -> Fingerprint:
    """Return the fingerprint of a finding in a file with these lines."""
    first, last = finding.line - 1, max(finding.line, finding.end_line)
    text = _squeeze(lines[first:last])
    above = _nearest(lines, range(min(first, len(lines)) - 1, -1, -1))
    below = _nearest(lines, range(last, len(lines)))
    return Fingerprint(_hash(text), _hash(above, text, below))


def identities(
    findings: Iterable[Finding], lines: Lines, path_of: PathOf | None = None
) -> Iterator[str]:
    """Yield an identity for each finding: unique in a run, and the same in the next one.

    It is the same from any working folder of the repository, as ``path_of`` writes the path in it.
    Findings alike in path, rule and text are numbered by their order.
    """
    path_of = path_of or paths_in_repository()
    seen: Counter[str] = Counter()
    for finding in findings:
        text = fingerprint(finding, lines.lines_of(finding.path)).text
        alike = _hash(path_of(finding.path), finding.code, text)
        yield _hash(alike, str(seen[alike]))
        seen[alike] += 1


def posix(path: str) -> str:
    """Write a path in its one shortest form, with ``/``."""
    return os.path.normpath(path).replace(os.sep, "/")


def _nearest(lines: Sequence[str], numbers: Iterable[int]) -> str:
    return next((text for text in (_squeeze([lines[n]]) for n in numbers) if text), "")


def _squeeze(lines: Sequence[str]) -> str:
    return "".join("".join(lines).split())


def _hash(*parts: str) -> str:
    data = "\n".join(parts).encode("utf-8", "backslashreplace")
    return blake2b(data, digest_size=8).hexdigest()
