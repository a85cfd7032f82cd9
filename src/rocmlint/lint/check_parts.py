"""What rules find in the commands, requirements and URLs of a file; no Python is parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.findings import Finding
    from rocmlint.rule.rule import Rule
    from rocmlint.source.file import File


def check_parts(file: File, rules: Iterable[Rule[Any]]) -> list[Finding]:
    """Return what the rules find in the parts of a file, sorted, before any suppression."""
    active = [rule for rule in rules if not rule.skips & file.kinds]
    return sorted(set(_check(file, active)), key=lambda finding: finding.sort_key)


def _check(file: File, rules: Iterable[Rule[Any]]) -> Iterator[Finding]:
    for rule in rules:
        for trigger in rule.on:
            if trigger.part and any(word in file.text for word in trigger.words):
                for part in getattr(file.parts, trigger.part):
                    yield from rule.check(part, file)
