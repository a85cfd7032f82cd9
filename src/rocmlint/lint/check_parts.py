"""What rules find in the commands, requirements and URLs of a file; no Python is parsed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from rocmlint.syntax.unparsable import UnparsableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rocmlint.findings import Finding
    from rocmlint.rule.rule import ClaimRule, Rule
    from rocmlint.rule.triggers import Trigger
    from rocmlint.source.file import File

    Asked = Rule[Any] | ClaimRule[Any]

Checked = TypeVar("Checked", bound="File")


def check_parts(file: File, rules: Iterable[Rule[Any]]) -> list[Finding]:
    """Return what the rules find in the parts of a file, sorted, before any suppression."""
    rules = list(rules)
    active = [rule for rule in rules if not rule.skips & file.kinds]
    if file.kept_back is not None:
        note_skipped(file, rules, _check)
    return sorted(set(_check(file, active)), key=lambda finding: finding.sort_key)


def asked(rule: Asked, node: Any, file: Any) -> Iterator[Any]:
    """Ask a rule about a node, comment or part; where it matters, note that it was asked."""
    if file.kept_back is not None:
        file.kept_back.ask(getattr(rule, "code", ""), node, file.span)
    return rule.check(node, file)


def note_skipped(
    file: Checked,
    rules: Iterable[Rule[Any]],
    check: Callable[[Checked, list[Rule[Any]]], Iterable[Finding]],
) -> None:
    """Note what the rules that skip a file because of its kind would find in it."""
    kept_back, file.kept_back = file.kept_back, None
    try:
        for rule in rules:
            skipped = rule.skips & file.kinds
            if skipped and kept_back is not None:
                with suppress(UnparsableError):
                    kept_back.skip(check(file, [rule]), skipped)
    finally:
        file.kept_back = kept_back


def _check(file: File, rules: Iterable[Rule[Any]]) -> Iterator[Finding]:
    for rule in rules:
        for trigger in rule.on:
            if trigger.part and any(word in file.text for word in trigger.words):
                for part in _parts(trigger, file):
                    yield from asked(rule, part, file)


def _parts(trigger: Trigger, file: File) -> Iterable[Any]:
    if trigger.part != "comments":
        parts: Iterable[Any] = getattr(file.parts, trigger.part)
        return parts
    return (each for each in file.comments if any(word in each.text for word in trigger.words))
