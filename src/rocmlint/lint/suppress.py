"""Which findings the comments of a file hide, and which of these comments hide nothing.

``# noqa: ROC101`` means what it means to flake8, to the letter. Our own ``# rocmlint:
ignore[ROC101] reason`` counts on every line of the finding, and ``ignore-file`` everywhere.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from rocmlint.findings import Edit, Fix
from rocmlint.lint.closing import closing_line, open_lines
from rocmlint.lint.text import Comment
from rocmlint.options import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from collections.abc import Set as AbstractSet
    from typing import Any

    from rocmlint.findings import Finding
    from rocmlint.lint.source import Source
    from rocmlint.registry import RuleType
    from rocmlint.rule import Rule

UNREADABLE = "ROC900"
UNUSED = "ROC901"
UNKNOWN = "ROC902"

_ANY = re.compile(r"noqa|rocmlint:", re.IGNORECASE)
_NOQA = re.compile(r"# noqa(?::\s?(?P<listed>(?:[A-Z]+[0-9]+[,\s]*)+))?", re.IGNORECASE)
_NOQA_FILE = re.compile(r"^[^\S\n]*# flake8[:=][^\S\n]*noqa", re.IGNORECASE | re.MULTILINE)
_IGNORE = re.compile(
    r"#\s*rocmlint:\s*(?P<kind>ignore(?:-file)?)(?![\w-])(?:\s*\[(?P<listed>[^\]]*)\])?"
    r"(?:(?!\s+#\s).)*"  # the reason, up to the next comment on the line
)
_SEPARATOR = re.compile(r"[,\s]+")


@dataclass(frozen=True)
class Suppression:
    """A comment, or the part of one, that names what it hides.

    ``start`` and ``end`` are offsets in the text of the comment; so are those of ``listed``,
    the part with the selectors.
    """

    kind: Literal["noqa", "ignore", "ignore-file"]
    selectors: tuple[str, ...]
    comment: Comment
    start: int
    end: int
    listed: tuple[int, int]

    @property
    def part(self) -> Comment:
        """The part of the comment that is this suppression."""
        text = self.comment.text[self.start : self.end]
        column = self.comment.column + self.start
        return Comment(text, self.comment.line, column, own_line=self.comment.own_line)

    def covers(self, finding: Finding, last: int) -> bool:
        """Say whether a finding is in reach; what ``noqa`` reaches is for flake8 to say.

        ``last`` is the line behind which a comment can stand where the finding's last cannot
        have one.
        """
        if self.kind == "ignore":
            return finding.line <= self.comment.line <= last
        return self.kind == "ignore-file"


def suppress(
    source: Source,
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
    if not _ANY.search(source.text):
        return findings
    if noqa and _NOQA_FILE.search(source.text):
        return []
    comments = _Suppressions(source, noqa=noqa)
    judge = _Judge(source, comments, {rule.code: rule for rule in enabled}, known)
    shown = comments.not_hidden(findings)
    shown += comments.not_hidden(judge.unknown())
    if not any(finding.code == UNREADABLE for finding in findings):
        # What hides ROC901 would hide what is said about it too.
        judged = judge.enabled.keys() - {UNREADABLE, UNUSED}
        shown += comments.not_hidden(judge.unused(judged))
    return sorted(shown, key=lambda finding: finding.sort_key)


class _Suppressions:
    """The suppressions of a file; remembers which of their selectors have hidden something."""

    def __init__(self, source: Source, *, noqa: bool) -> None:
        self.all = list(_suppressions(source.comments))
        self.used: set[tuple[Suppression, str]] = set()
        self._source = source
        self._noqa = noqa
        self._joined_in: dict[int, dict[int, tuple[int, int]]] = {}

    def not_hidden(self, findings: Iterable[Finding]) -> list[Finding]:
        return [finding for finding in findings if not self._hides(finding)]

    def _hides(self, finding: Finding) -> bool:
        last = closing_line(finding.end_line, self._open_lines)
        uses = [
            (suppression, selector)
            for suppression in self.all
            if suppression.covers(finding, last)
            for selector in suppression.selectors
            if _means(selector, finding)
        ]
        self.used.update(uses)
        return self._noqa_hides(finding) or bool(uses)

    def _noqa_hides(self, finding: Finding) -> bool:
        line, text = self._noqa_line(finding.line)
        match = _NOQA.search(text)
        if match is None:
            return False
        if match["listed"] is None:
            return self._noqa
        selectors = [each for each in _split(match["listed"]) if finding.code.startswith(each)]
        suppression = self._noqa_at.get(self._source.offset_of(line) + match.start())
        if suppression is not None:
            self.used.update((suppression, selector) for selector in selectors)
        return self._noqa and bool(selectors)

    @cached_property
    def _open_lines(self) -> frozenset[int]:
        return open_lines(self._source)

    @cached_property
    def _noqa_at(self) -> dict[int, Suppression]:
        return {
            self._source.offset_of(each.comment.line) + each.part.column - 1: each
            for each in self.all
            if each.kind == "noqa"
        }

    def _noqa_line(self, line: int) -> tuple[int, str]:
        """Give the text in which flake8 looks for ``noqa``, and its first line.

        flake8 joins lines only where no token ends between them: inside a string, and after
        a backslash.
        """
        offset = self._source.offset_of(line)
        block = self._source.pieces.statement_at(offset)
        text = self._source.text[block.start : block.end]
        if "noqa" not in text.lower():
            return line, ""
        if block.start not in self._joined_in:
            self._joined_in[block.start] = _joined_lines(text)
        above = self._source.line_of(block.start) - 1
        within = line - above
        first, last = self._joined_in[block.start].get(within, (within, within))
        lines = self._source.lines[above + first - 1 : above + last]
        return above + first, "\n".join([*lines, ""])


def _joined_lines(text: str) -> dict[int, tuple[int, int]]:
    """Map each line that is joined with others to the first and the last of them."""
    joined: dict[int, tuple[int, int]] = {}
    lines: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in {tokenize.ENDMARKER, tokenize.DEDENT}:
                continue
            lines += (token.start[0], token.end[0])
            if token.type in {tokenize.NL, tokenize.NEWLINE}:
                first, last = min(lines), max(lines)
                if first < last:
                    joined.update(dict.fromkeys(range(first, last + 1), (first, last)))
                lines = []
    except (tokenize.TokenError, SyntaxError, ValueError):
        return {}
    return joined


@dataclass(frozen=True)
class _Judge:
    """Says what is wrong with suppressions."""

    source: Source
    comments: _Suppressions
    enabled: dict[str, Rule[Any]]
    known: Collection[RuleType]

    def unknown(self) -> Iterator[Finding]:
        """Find the selectors that mean no rule."""
        for suppression in self.comments.all:
            wrong = [each for each in _ours(suppression) if not self._meant(each)]
            if wrong:
                yield from self._about(suppression, wrong, UNKNOWN, self._unknown_message(wrong))
            elif not suppression.selectors:
                message = (
                    f"This names no rule and hides nothing: write "
                    f"`# rocmlint: {suppression.kind}[CODE] reason`."
                )
                yield from self._about(suppression, wrong, UNKNOWN, message)

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
                finds = "finds" if len(idle) == 1 else "find"
                message = (
                    f"{_enumerated(idle)} {finds} nothing here: take it away, "
                    f"or the comment hides the next real problem."
                )
                yield from self._about(suppression, idle, UNUSED, message)

    def _meant(self, selector: str) -> set[str]:
        return {rule.code for rule in self.known if _means(selector, rule)}

    def _unknown_message(self, wrong: list[str]) -> str:
        labels = [label for rule in self.known for label in (rule.code, rule.name)]
        names = "names" if len(wrong) == 1 else "name"
        proposal = did_you_mean(wrong[0], labels) if len(wrong) == 1 else ""
        return (
            f"{_enumerated(wrong)} {names} no rule, so nothing is hidden: write the code or name "
            f"that was meant, or take it away{proposal or '.'}"
        )

    def _about(
        self, suppression: Suppression, gone: list[str], code: str, message: str
    ) -> Iterator[Finding]:
        rule = self.enabled.get(code)
        if rule is not None:
            title = f"Take away {_enumerated(gone)}"
            edit = _without(suppression, gone, self.source)
            fix = Fix(title, (edit,), safe=True) if gone else None
            yield rule.finding(suppression.part, self.source, message, fix=fix)


def _suppressions(comments: Iterable[Comment]) -> Iterator[Suppression]:
    for comment in comments:
        for match in _NOQA.finditer(comment.text):
            if match["listed"] is not None:
                yield _suppression("noqa", comment, match)
        for match in _IGNORE.finditer(comment.text):
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
    return Suppression(kind, _split(listed), comment, match.start(), end, bounds)


def _split(listed: str) -> tuple[str, ...]:
    return tuple(each for each in _SEPARATOR.split(listed) if each)


def _ours(suppression: Suppression) -> list[str]:
    """Give the selectors that are about rules of rocmlint: in ``noqa`` others may stand."""
    selectors = dict.fromkeys(suppression.selectors)
    if suppression.kind == "noqa":
        return [selector for selector in selectors if selector.startswith("ROC")]
    return list(selectors)


def _means(selector: str, what: Finding | RuleType) -> bool:
    """Say whether a selector is the name of a rule, its code, or the beginning of its code."""
    return selector == what.name or (selector[-1:].isdigit() and what.code.startswith(selector))


def _without(suppression: Suppression, gone: Collection[str], source: Source) -> Edit:
    """Make the edit that takes selectors away, and the whole suppression if none is left."""
    comment = suppression.comment
    end = comment.column + len(comment.text)
    kept = [selector for selector in suppression.selectors if selector not in gone]
    if kept:
        first, last = (comment.column + offset for offset in suppression.listed)
        return Edit(comment.line, first, comment.line, last, ", ".join(kept))
    rest = _rest(comment.text[: suppression.start], comment.text[suppression.end :])
    if rest:
        return Edit(comment.line, comment.column, comment.line, end, rest)
    if comment.own_line:
        return Edit(comment.line, 1, comment.line + 1, 1, "")
    code = source.lines[comment.line - 1][: comment.column - 1].rstrip()
    return Edit(comment.line, len(code) + 1, comment.line, end, "")


def _rest(before: str, after: str) -> str:
    """Give what is left of a comment; words behind a ``noqa`` stay as a comment of their own."""
    after = after.strip(" \t\f,;:-")
    if after and not after.startswith("#"):
        after = f"# {after}"
    return "  ".join(part for part in (before.rstrip(), after) if part)


def _enumerated(labels: list[str]) -> str:
    return " and ".join(f"`{label}`" for label in labels)
