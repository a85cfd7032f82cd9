"""The last line of a report: counts of what a run found."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.text.visible import at_line_start, visible
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding


class Counts(NamedTuple):
    """How many findings there are, of what kind, and how many of them can be fixed.

    Notes count for themselves: ``findings`` are the errors and the warnings.
    """

    findings: int
    errors: int
    warnings: int
    notes: int
    safe_fixes: int
    unsafe_fixes: int


def counts(findings: Sequence[Finding]) -> Counts:
    """Count findings."""
    severities = Counter(finding.severity for finding in findings)
    safe = Counter(finding.fix.safe for finding in findings if finding.fix is not None)
    kinds = severities["error"], severities["warning"], severities["note"]
    return Counts(len(findings) - severities["note"], *kinds, safe[True], safe[False])


def summary(
    findings: Sequence[Finding], files: int, *, fixed: int = 0, notes_fail: bool = False
) -> str:
    """Return in one line what was fixed, what is left of how many files, and what can be fixed."""
    done = f"Fixed {counted(fixed, 'finding')}. " if fixed else ""
    if not files and not findings:
        return "No files to check."
    count = counts(findings)
    if not count.findings and not (count.notes and notes_fail):
        notes = f"; {counted(count.notes, 'note')}" if count.notes else ""
        none = f"{done}No issues {'remaining' if fixed else 'found'} in {counted(files, 'file')}"
        return f"{none}{notes}.{_how_to_fix(count)}"
    where = counted(len({finding.path for finding in findings}), "file")
    found = _kinds(count, " remaining" if fixed else "")
    found = found if fixed else f"Found {found}"
    return f"{done}{found} in {where} ({files:,} checked).{_how_to_fix(count)}"


def _kinds(count: Counts, left: str) -> str:
    """Return how many there are of each kind: ``3 findings (1 error, 2 warnings) and 4 notes``."""
    kinds = [(count.errors, "error"), (count.warnings, "warning")]
    severities = ", ".join(counted(number, kind) for number, kind in kinds if number)
    found = [f"{counted(count.findings, 'finding')}{left} ({severities})"] if severities else []
    notes = [counted(count.notes, "note") + ("" if found else left)] if count.notes else []
    return " and ".join([*found, *notes])


def number_of(findings: Sequence[Finding]) -> str:
    """Return how many findings and notes there are: ``3 findings and 1 note``."""
    count = counts(findings)
    found = counted(count.findings, "finding") if count.findings or not count.notes else ""
    notes = counted(count.notes, "note") if count.notes else ""
    return " and ".join(filter(None, (found, notes)))


def fixed_rules(fixed: Sequence[Finding]) -> Iterator[str]:
    """Yield how many findings of each rule were fixed, file by file."""
    by_path: dict[str, Counter[tuple[str, str]]] = {}
    for each in fixed:
        by_path.setdefault(each.path, Counter())[each.code, each.name] += 1
    for path, rules in sorted(by_path.items()):
        yield f"{at_line_start(visible(path))}:\n"
        for (code, name), number in sorted(rules.items()):
            yield f"  {number:,} x {code} {name}\n"


def _how_to_fix(count: Counts) -> str:
    parts = []
    if count.safe_fixes:
        parts.append(f"{count.safe_fixes:,} can be fixed with --fix")
    if count.unsafe_fixes:
        more = " more" if parts else " can be fixed"
        parts.append(f"{count.unsafe_fixes:,}{more} with --unsafe-fixes")
    return f" {', '.join(parts)}." if parts else ""
