"""One file: from its text and the rules that may apply to its findings."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.lint.check_parts import asked, check_parts, note_skipped
from rocmlint.rule.spelling import matches_at, renamed_in
from rocmlint.syntax.partial_parse import MAXIMUM_LENGTH
from rocmlint.syntax.unparsable import TooLongError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from rocmlint.findings import Claim, Finding
    from rocmlint.formats.model import Command
    from rocmlint.rule.rule import ClaimRule, Rule
    from rocmlint.rule.triggers import Trigger
    from rocmlint.source.python import Source
    from rocmlint.syntax.partial_parse import Piece

    Asked = Rule[Any] | ClaimRule[Any]
    Triggers = Sequence[tuple[Trigger, Asked]]

_WORD = re.compile(r"\b\w+")


def check(source: Source, rules: Iterable[Rule[Any]], *, shortcuts: bool = True) -> list[Finding]:
    """Return what the rules find in a file, sorted, before any suppression.

    ``rules`` may be what a scan found: then no word is searched for again. Without ``shortcuts``,
    and where they may miss something, the whole file is parsed and walked, whatever the triggers
    say: dear, and the findings must be the same. Raises UnparsableError where a part that a rule
    must see is not Python.
    """
    active = [rule for rule in rules if not rule.skips & source.kinds]
    if source.kept_back is not None:
        note_skipped(source, [*rules], _found_by)
    is_too_long = len(source.code) > MAXIMUM_LENGTH  # then to miss something beats to see nothing
    shortcuts = shortcuts and (is_too_long or not source.is_oddly_spaced)
    triggers = _triggers(source, rules, active, shortcuts=shortcuts)
    check_code = _check_code if shortcuts else _check_all_code
    found = [*_check_comments(source, triggers), *check_code(source, triggers)]
    found += check_parts(source, active)
    return sorted(set(_judged(found, source)), key=lambda finding: finding.sort_key)


def _found_by(source: Source, rules: Sequence[Rule[Any]]) -> Iterator[Finding]:
    """Yield what rules find in the code of a file, whatever its kind."""
    triggers = _triggers(source, rules, rules)
    yield from _check_comments(source, triggers)
    yield from _check_code(source, triggers)


def claims(source: Source, rules: Iterable[ClaimRule[Any]]) -> list[Claim]:
    """Return what a file's code claims, sorted. Raises UnparsableError as :func:`check` does."""
    active = [rule for rule in rules if not rule.skips & source.kinds]
    return sorted(set(_check_code(source, _triggers(source, rules, active))))


def _judged(findings: list[Finding], source: Source) -> list[Finding]:
    """Leave out the fixes that would delete a comment: no rule need think of it."""
    if not any(finding.fix is not None for finding in findings):
        return findings
    from rocmlint.change.fix import without_losses  # noqa: PLC0415 - most files have nothing to fix

    return [without_losses(finding, source) for finding in findings]


def _triggers(
    source: Source, rules: Iterable[Asked], active: Sequence[Asked], *, shortcuts: bool = True
) -> Triggers:
    """Return the triggers of the active rules; with ``shortcuts`` those with a word in the file."""
    if not shortcuts:
        return [(each, rule) for rule in active for each in rule.on]
    if isinstance(rules, dict):
        return [(each, rule) for rule in active for each in rules[rule]]
    return [(each, rule) for rule in active for each in rule.on if each.has_word(source)]


def _check_comments(source: Source, triggers: Triggers) -> Iterator[Any]:
    for trigger, rule in triggers:
        # To look at the text first saves most files from being searched for comments.
        if trigger.region == "comments" and trigger.is_in_comments(source.text):
            for comment in source.comments:
                if trigger.pattern.search(comment.text):
                    yield from asked(rule, comment, source)


def _check_code(source: Source, triggers: Triggers) -> Iterator[Any]:
    """Yield whatever the rules yield: findings of rules, claims of claim rules."""
    if not any(trigger.node_types for trigger, _ in triggers):
        return
    renamed = _renamed(source)
    handlers: dict[str, list[tuple[Trigger, Asked]]] = {}
    offsets: set[int] = set()
    for trigger, rule in triggers:
        found = _hits(source, trigger, renamed) if trigger.node_types else set()
        offsets |= found
        for node_type in trigger.node_types if found else ():
            handlers.setdefault(node_type, []).append((trigger, rule))
    for piece in _pieces(source, sorted(offsets)):
        for node in piece.nodes:
            if wanted := handlers.get(node.__class__.__name__):
                yield from _dispatch(node, source, wanted, renamed)


def _check_all_code(source: Source, triggers: Triggers) -> Iterator[Any]:
    renamed = _renamed(source)
    handlers: dict[str, list[tuple[Trigger, Asked]]] = {}
    for trigger, rule in triggers:
        for node_type in trigger.node_types:
            handlers.setdefault(node_type, []).append((trigger, rule))
    for node in source.pieces.whole.nodes:
        if wanted := handlers.get(node.__class__.__name__):
            yield from _dispatch(node, source, wanted, renamed)


def _renamed(source: Source) -> dict[str, str]:
    """Map the names that ``as`` gives to the original ones."""
    return {new: old for old, new in renamed_in(source.code)}


def _hits(source: Source, trigger: Trigger, renamed: Mapping[str, str]) -> set[int]:
    """Find where a trigger matches; where it names something, its aliases count too."""
    if not trigger.may_match(source):
        return set()
    found = {match.start() for match in trigger.matches(source)}
    for new, old in renamed.items():
        if old in trigger.renameable:
            # To compile an expression for each name takes longer than all else.
            words = matches_at(new, _WORD, source.code)
            found |= {match.start() for match in words if match[0] == new}
    return found


def _pieces(source: Source, offsets: list[int]) -> Iterator[Piece]:
    seen: set[Piece] = set()
    for offset in offsets:
        piece = source.pieces.around(offset)
        if piece not in seen:
            seen.add(piece)
            yield piece


def _dispatch(
    node: cst.CSTNode, source: Source, wanted: Triggers, renamed: Mapping[str, str]
) -> Iterator[Any]:
    for trigger, rule in wanted:
        if trigger.accepts(node, renamed):
            # A rule that would have to see too much at once cannot tell, and is silent.
            with suppress(TooLongError):
                for seen in _commands(node, source) if trigger.part else (node,):
                    yield from asked(rule, seen, source)


def _commands(node: cst.CSTNode, source: Source) -> list[Command]:
    """Return the commands that a call runs."""
    from rocmlint.source.called_commands import commands_called  # noqa: PLC0415 - few files run any

    return commands_called(cst.ensure_type(node, cst.Call), source)
