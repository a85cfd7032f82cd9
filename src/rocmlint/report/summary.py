"""What a run found, counted: the last line of a report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.text.visible import at_line_start, visible
from rocmlint.text.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding


class Counts(NamedTuple):
    """How many findings there are, of what kind, and how many of them can be fixed."""

    findings: int
    errors: int
    warnings: int
    safe_fixes: int
    unsafe_fixes: int


def counts(findings: Sequence[Finding]) -> Counts:
    """Count findings."""
    severities = Counter(finding.severity for finding in findings)
    safe = Counter(finding.fix.safe for finding in findings if finding.fix is not None)
    numbers = severities["error"], severities["warning"], safe[True], safe[False]
    return Counts(len(findings), *numbers)


def summary(findings: Sequence[Finding], files: int, *, fixed: int = 0) -> str:
    """Return in one line what was fixed, what is left of how many files, and what can be fixed."""
    done = f"Fixed {counted(fixed, 'finding')}. " if fixed else ""
    if not files and not findings:
        return "No files to check."
    if not findings:
        return f"{done}No issues {'remaining' if fixed else 'found'} in {counted(files, 'file')}."
    count = counts(findings)
    kinds = [(count.errors, "error"), (count.warnings, "warning")]
    severities = ", ".join(counted(number, kind) for number, kind in kinds if number)
    where = counted(len({finding.path for finding in findings}), "file")
    number = counted(len(findings), "finding")
    number = f"{number} remaining" if fixed else f"Found {number}"
    found = f"{number} ({severities}) in {where}"
    return f"{done}{found} ({files:,} checked).{_how_to_fix(count)}"


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
