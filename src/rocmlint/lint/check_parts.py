"""What rules find in the commands, requirements and URLs of a file; no Python is parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.findings import Finding
    from rocmlint.rule.rule import Rule
    from rocmlint.rule.triggers import Trigger
    from rocmlint.source.file import File


def check_parts(file: File, rules: Iterable[Rule[Any]]) -> list[Finding]:
    """Return what the rules find in the parts of a file, sorted, before any suppression."""
    active = [rule for rule in rules if not rule.skips & file.kinds]
    return sorted(set(_check(file, active)), key=lambda finding: finding.sort_key)


def _check(file: File, rules: Iterable[Rule[Any]]) -> Iterator[Finding]:
    for rule in rules:
        for trigger in rule.on:
            if trigger.part and any(word in file.text for word in trigger.words):
                for part in _parts(trigger, file):
                    yield from rule.check(part, file)


def _parts(trigger: Trigger, file: File) -> Iterable[Any]:
    if trigger.part != "comments":
        parts: Iterable[Any] = getattr(file.parts, trigger.part)
        return parts
    return (each for each in file.comments if any(word in each.text for word in trigger.words))
