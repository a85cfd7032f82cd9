"""New and known findings, compared by what they point at, however lines have moved."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.report.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocmlint.findings import Finding
    from rocmlint.report.lines import Lines


class KnownFinding(NamedTuple):
    """One known finding: its file, its rule, its text, and its text with the lines around it."""

    path: str
    code: str
    text: str
    around: str


class Compared(NamedTuple):
    """The findings that are not known, and the known ones that nothing matches."""

    new: Sequence[Finding]
    left: Sequence[KnownFinding]


def as_known(finding: Finding, path: str, lines: Lines) -> KnownFinding:
    """Return what a finding is known by; ``path`` is that of its file for this purpose."""
    return KnownFinding(path, finding.code, *fingerprint(finding, lines.lines_of(finding.path)))


def compare(
    findings: Iterable[tuple[Finding, KnownFinding]], known: Iterable[KnownFinding]
) -> Compared:
    """Match findings, each with what it is known by, with known ones; each of these counts once."""
    left = Counter(known)
    # Of several alike, those between the same neighbours are the known ones; only then any.
    unknown = [pair for pair in findings if not _take(left, pair[1])]
    alike = Counter(entry[:3] for entry in left.elements())
    new = [finding for finding, entry in unknown if not _take(alike, entry[:3])]
    return Compared(new, [entry for entry in sorted(left.elements()) if _take(alike, entry[:3])])


def _take(counts: Counter[Any], entry: Any) -> bool:
    """Take one out, if there is one."""
    if counts[entry] <= 0:
        return False
    counts[entry] -= 1
    return True
