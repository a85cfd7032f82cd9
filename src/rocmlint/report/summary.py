"""What a run found, counted: the last line of a report, and a table of rules."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.text.visible import BOLD, paint
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


def statistics(findings: Sequence[Finding], *, color: bool = False) -> Iterator[str]:
    """Yield a table: how often each rule found something and what of it can be fixed."""
    by_rule: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault((finding.code, finding.name), []).append(finding)
    rows = sorted(by_rule.items(), key=lambda item: (-len(item[1]), item[0]))
    number_width = max((len(str(len(found))) for _, found in rows), default=0)
    name_width = max((len(name) for (_, name), _ in rows), default=0)
    for (code, name), found in rows:
        count = counts(found)
        kinds = [(count.safe_fixes, "safe fix"), (count.unsafe_fixes, "unsafe fix")]
        fixes = ", ".join(counted(number, kind) for number, kind in kinds if number)
        number = paint(f"{len(found):>{number_width}}", BOLD, color=color)
        yield f"{number}  {code}  {name:<{name_width}}  {fixes}".rstrip() + "\n"


def _how_to_fix(count: Counts) -> str:
    parts = []
    if count.safe_fixes:
        parts.append(f"{count.safe_fixes:,} can be fixed with --fix")
    if count.unsafe_fixes:
        more = " more" if parts else " can be fixed"
        parts.append(f"{count.unsafe_fixes:,}{more} with --unsafe-fixes")
    return f" {', '.join(parts)}." if parts else ""
