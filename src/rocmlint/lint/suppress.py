"""Which findings the comments of a file hide, and which of these comments hide nothing.

``# noqa: ROC101`` means what it means to flake8, to the letter. Our own ``# rocmlint:
ignore[ROC101] reason`` counts on every line of the finding (in files beside Python above it, too),
and ``ignore-file`` everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from rocmlint.findings import UNREADABLE_FILE, Edit, Fix
from rocmlint.lint.selection import near_rule
from rocmlint.text.suppressions import IGNORE, NOQA, has_suppressions
from rocmlint.text.text import OPENERS, Comment
from rocmlint.text.words import few, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from typing import Any

    from rocmlint.findings import Finding
    from rocmlint.rule.registry import RuleType
    from rocmlint.rule.rule import Rule
    from rocmlint.source.file import File

UNUSED = "ROC901"
UNKNOWN = "ROC902"

_NOQA_FILE = re.compile(r"^[^\S\n]*# flake8[:=][^\S\n]*noqa", re.IGNORECASE | re.MULTILINE)
_LONGEST, _SHOWN = 24, 2
"""How long a label in a message may be, and how many there are."""
_SEPARATOR = re.compile(r"[,\s]+")
_BETWEEN = " \t\f,;:-"
"""What stands between the selectors and the words behind them."""


@dataclass(frozen=True)
class Suppression:
    """A comment, or the part of one, that names what it hides.

    ``start`` and ``end`` are offsets in the text of the comment; so are those of ``listed``,
    the part with the selectors. ``reason`` is what a person wrote behind them.
    """

    kind: Literal["noqa", "ignore", "ignore-file"]
    selectors: tuple[str, ...]
    comment: Comment
    start: int
    end: int
    listed: tuple[int, int]
    reason: str = ""

    @property
    def part(self) -> Comment:
        """The part of the comment that is this suppression."""
        text = self.comment.text[self.start : self.end]
        column = self.comment.column + self.start
        return Comment(text, self.comment.line, column, own_line=self.comment.own_line)

    def covers(self, finding: Finding, last: int, above: frozenset[int]) -> bool:
        """Return whether a finding is in reach; what ``noqa`` reaches is for flake8 to say.

        ``last`` is the line behind which a comment can stand where the finding's last cannot
        have one; ``above`` are the lines above the finding whose comments count for it.
        """
        if self.kind == "ignore":
            return finding.line <= self.comment.line <= last or self.comment.line in above
        return self.kind == "ignore-file"


def suppress(
    source: File,
    findings: Iterable[Finding],
    enabled: Collection[Rule[Any]],
    known: Collection[RuleType],
    *,
    noqa: bool = True,
) -> list[Finding]:
    """Leave out the findings that comments hide, and add what is wrong with these comments.

    ``enabled`` are the rules that would have spoken had they found something in this file;
    ``known`` are all rules. Without ``noqa`` hiding by ``noqa`` is left to flake8.
    """
    findings = list(findings)
    if source.settings.ignore_noqa:
        return findings
    # Comments that name none of our rules hide findings, where there are any; nothing else.
    any_hides = findings and "noqa" in source.written.lower()
    if not any_hides and not has_suppressions(source.written):
        return findings
    if noqa and _NOQA_FILE.search(source.written):
        return []
    comments = _Suppressions(source, current_labels(known), noqa=noqa)
    judge = _Judge(source, comments, {rule.code: rule for rule in enabled}, known)
    shown = comments.not_hidden(findings)
    shown += comments.not_hidden(judge.unknown())
    if not any(finding.code == UNREADABLE_FILE for finding in findings):
        # What hides ROC901 would hide what is said about it too.
        judged = judge.enabled.keys() - {UNREADABLE_FILE, UNUSED}
        shown += comments.not_hidden(judge.unused(judged))
    return sorted(shown, key=lambda finding: finding.sort_key)


def current_labels(rules: Iterable[RuleType]) -> dict[str, str]:
    """Return the codes and names of retired rules, each with the code that took it over."""
    return {label: rule.code for rule in rules for pair in rule.retired.items() for label in pair}


class _Suppressions:
    """The suppressions of a file; remembers which of their selectors have hidden something."""

    def __init__(self, source: File, current: Mapping[str, str], *, noqa: bool) -> None:
        self.current = current
        self.all = list(_suppressions(source.written_comments))
        self.used: set[tuple[Suppression, str]] = set()
        self._source = source
        self._noqa = noqa

    def not_hidden(self, findings: Iterable[Finding]) -> list[Finding]:
        return [finding for finding in findings if not self._hides(finding)]

    def _hides(self, finding: Finding) -> bool:
        last = self._source.closing_line(finding.end_line)
        above = self._source.comments_above(finding.line)
        uses = [
            (suppression, selector)
            for suppression in self.all
            if suppression.covers(finding, last, above)
            for selector in suppression.selectors
            if self.means(selector, finding)
        ]
        self.used.update(uses)
        return self._noqa_hides(finding) or bool(uses)

    def _noqa_hides(self, finding: Finding) -> bool:
        line, text = self._source.noqa_line(finding.line)
        match = NOQA.search(text)
        if match is None:
            return False
        if match["listed"] is None:
            return self._noqa
        selectors = [
            each
            for each in _split(match["listed"])
            if finding.code.startswith(self.current.get(each, each))
        ]
        suppression = self._noqa_at.get(self._source.offset_of(line) + match.start())
        if suppression is not None:
            self.used.update((suppression, selector) for selector in selectors)
        # flake8 does not know which rule took over a retired code.
        return bool(selectors) and (self._noqa or not self.current.keys().isdisjoint(selectors))

    def means(self, selector: str, what: Finding | RuleType) -> bool:
        """Return whether a selector is a name or code of a rule, or the beginning of its code."""
        selector = self.current.get(selector, selector)
        return selector == what.name or (selector[-1:].isdigit() and what.code.startswith(selector))

    @cached_property
    def _noqa_at(self) -> dict[int, Suppression]:
        return {
            self._source.offset_of(each.comment.line) + each.part.column - 1: each
            for each in self.all
            if each.kind == "noqa"
        }


@dataclass(frozen=True)
class _Judge:
    """Says what is wrong with suppressions."""

    source: File
    comments: _Suppressions
    enabled: dict[str, Rule[Any]]
    known: Collection[RuleType]

    def unknown(self) -> Iterator[Finding]:
        """Find the selectors that mean no rule."""
        all_known = not self.source.settings.unloaded_rules
        for suppression in self.comments.all:
            wrong = [each for each in _ours(suppression) if all_known and not self._meant(each)]
            if wrong:
                yield from self._about(suppression, wrong, UNKNOWN, *self._unknown_words(wrong))
            elif not suppression.selectors:
                message = "This suppression names no rule, so it hides no finding"
                advice = f"Write `# rocmlint: {suppression.kind}[CODE] reason`."
                yield from self._about(suppression, wrong, UNKNOWN, message, advice)

    def unused(self, judged: AbstractSet[str]) -> Iterator[Finding]:
        """Find the selectors that mean only rules among ``judged`` and have hidden nothing."""
        for suppression in self.comments.all:
            idle = [
                each
                for each in _ours(suppression)
                if (suppression, each) not in self.comments.used
                and self._meant(each)
                and self._meant(each) <= judged
            ]
            if idle:
                message = f"No {_enumerated(idle)} here: this suppression hides no finding"
                advice = "Remove it, so that it cannot hide a future problem."
                yield from self._about(suppression, idle, UNUSED, message, advice)

    def _meant(self, selector: str) -> set[str]:
        return {rule.code for rule in self.known if self.comments.means(selector, rule)}

    def _unknown_words(self, wrong: list[str]) -> tuple[str, str]:
        """Return the message and the help about selectors that mean no rule."""
        labels = [label for rule in self.known for label in (rule.code, rule.name)]
        proposal = near_rule(wrong[0], labels) if len(wrong) == 1 else ""
        message = f"Unknown rule {_enumerated(wrong)}: nothing is suppressed"
        question = proposal.replace("; did", "Did", 1)
        write = question or "Write the code or name of a rule."
        return message, f"{write} If not, delete the comment."

    def _about(
        self, suppression: Suppression, gone: list[str], code: str, message: str, advice: str
    ) -> Iterator[Finding]:
        rule = self.enabled.get(code)
        if rule is not None:
            title = f"Remove {_enumerated(gone)}"
            edit = _without(suppression, gone, self.source)
            fix = Fix(title, (edit,), safe=True) if gone else None
            yield rule.finding(suppression.part, self.source, message, help=advice, fix=fix)


def _suppressions(comments: Iterable[Comment]) -> Iterator[Suppression]:
    for comment in comments:
        for match in NOQA.finditer(comment.text):
            if match["listed"] is not None:
                yield _suppression("noqa", comment, match)
        for match in IGNORE.finditer(comment.text):
            kind: Literal["ignore", "ignore-file"] = (
                "ignore" if match["kind"] == "ignore" else "ignore-file"
            )
            yield _suppression(kind, comment, match)


def _suppression(
    kind: Literal["noqa", "ignore", "ignore-file"], comment: Comment, match: re.Match[str]
) -> Suppression:
    listed = match["listed"] or ""
    start = match.start("listed")
    end = match.start() + len(match[0].rstrip(", \t\f"))
    bounds = (start, start + len(listed.rstrip(", \t\f")))
    reason = "" if kind == "noqa" else match["reason"].strip(_BETWEEN)
    return Suppression(kind, _split(listed), comment, match.start(), end, bounds, reason)


def _split(listed: str) -> tuple[str, ...]:
    return tuple(each for each in _SEPARATOR.split(listed) if each)


def _ours(suppression: Suppression) -> list[str]:
    """Return the selectors that are about rules of rocmlint: in ``noqa`` others may stand."""
    selectors = dict.fromkeys(suppression.selectors)
    if suppression.kind == "noqa":
        return [selector for selector in selectors if selector.startswith("ROC")]
    return list(selectors)


def _without(suppression: Suppression, gone: Collection[str], source: File) -> Edit:
    """Make the edit that removes selectors, and the suppression if none is left; words stay."""
    comment = suppression.comment
    end = comment.column + len(comment.text)
    kept = [selector for selector in suppression.selectors if selector not in gone]
    if kept:
        first, last = (comment.column + offset for offset in suppression.listed)
        was = comment.text[slice(*suppression.listed)]
        return Edit(comment.line, first, comment.line, last, ", ".join(kept), was=was)
    before, after = comment.text[: suppression.start], comment.text[suppression.end :]
    rest = _rest(before, suppression.reason, after)
    if rest:
        return Edit(comment.line, comment.column, comment.line, end, rest, was=comment.text)
    if comment.own_line:
        return Edit(comment.line, 1, comment.line + 1, 1, "", was=f"{comment.text}\n")
    code = source.written_lines[comment.line - 1][: comment.column - 1].rstrip()
    return Edit(comment.line, len(code) + 1, comment.line, end, "", was=comment.text)


def _rest(before: str, reason: str, after: str) -> str:
    """Return what is left of a comment; words behind the codes stay as a comment of their own."""
    words = (part.strip(_BETWEEN) for part in (reason, after))
    kept = [part if part.startswith("#") else f"# {part}" for part in words if part]
    if before.strip().upper() in OPENERS:
        return f"{before.rstrip()} {'  '.join(kept)}" if kept else ""
    return "  ".join(part for part in (before.rstrip(), *kept) if part)


def _enumerated(labels: list[str]) -> str:
    return few([f"`{shortened(label, _LONGEST)}`" for label in labels], _SHOWN)
