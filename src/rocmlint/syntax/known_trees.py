"""Trees of pieces that were parsed before: in an editor one piece changes at a time."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import libcst as cst

    Parse = Callable[[str], cst.Module]


class KnownTrees:
    """The trees of one file's last version, by the text of each piece.

    A tree has one place in a file, so that each is given out once.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._before: dict[str, list[cst.Module]] = {}
        self._now: dict[str, list[cst.Module]] = {}

    @contextmanager
    def used(self) -> Iterator[None]:
        """Let what is parsed in this context, the next version of the file, take its trees here."""
        self._before, self._now = self._now, {}
        token = _KNOWN.set(self)
        try:
            yield
        finally:
            _KNOWN.reset(token)
            self._before = {}

    def tree_of(self, text: str, parse: Parse) -> cst.Module:
        """Return the tree of a piece; parse what has changed."""
        alike = self._before.get(text)
        tree = alike.pop() if alike else parse(text)
        self._now.setdefault(text, []).append(tree)
        return tree


_KNOWN: ContextVar[KnownTrees | None] = ContextVar("known", default=None)


def tree_of(text: str, parse: Parse) -> cst.Module:
    """Return the tree of a piece, a known one where trees are kept."""
    known = _KNOWN.get()
    return parse(text) if known is None else known.tree_of(text, parse)
