"""What the excuses of rules keep back in one file: noted only where somebody asks for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocmlint.findings import Excused
from rocmlint.text.text import Comment, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.findings import Cell, Finding

_PLACES = ("node", "place", "word", "call")
"""The attributes of candidates that hold what a finding would be placed at."""


class KeptBack:
    """The candidates that were kept back, and what rules were asked about."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.excused: list[Excused] = []
        self.asked: list[tuple[str, Span]] = []
        """The codes of rules, and the places of the nodes that their ``check`` was called with."""
        self._node: object = None

    def ask(self, code: str, node: object, span_of: Callable[[Any], Span]) -> None:
        """Note that a rule is about to look at a node, comment or part."""
        self._node = node
        span = _span(node, span_of)
        if span is not None:
            self.asked.append((code, span))

    def place_of(self, candidate: object, span_of: Callable[[Any], Span]) -> Span | None:
        """Return the place of a candidate, else that of the node that a rule looks at."""
        held = (getattr(candidate, each, None) for each in _PLACES)
        found = (_span(each, span_of) for each in (candidate, *held, self._node))
        return next((each for each in found if each is not None), None)

    def add(self, excused: Excused) -> None:
        """Note a candidate that is kept back, once."""
        if excused not in self.excused:
            self.excused.append(excused)

    def skip(self, findings: Iterable[Finding], skipped: frozenset[str]) -> None:
        """Note what a rule finds in a file of a kind that it leaves alone."""
        kinds = " and ".join(sorted(skipped))
        for each in findings:
            span = (each.line, each.column, each.end_line, each.end_column)
            reason = f"skipped: {kinds} file"
            self.add(Excused(each.path, *span, each.code, each.name, f"skips {kinds}", reason))

    def place(self, cell_of: Callable[[Excused], Cell | None]) -> None:
        """Let each candidate know its cell of a notebook."""
        self.excused = [replace(each, cell=cell_of(each)) for each in self.excused]

    def reached(self, code: str, line: int) -> bool:
        """Check whether a rule was asked about something that touches a line."""
        return any(each == code and at.line <= line <= at.end_line for each, at in self.asked)


def _span(what: Any, span_of: Callable[[Any], Span]) -> Span | None:
    """Return the place of a node, comment or part; None for anything else, or of another file."""
    is_node = type(what).__module__.startswith("libcst")
    if not (is_node or isinstance(what, Comment) or isinstance(getattr(what, "span", None), Span)):
        return None
    try:
        return span_of(what)
    except (AttributeError, KeyError, LookupError):
        return None
