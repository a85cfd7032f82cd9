"""A file at first sight: what is known of it then, the analysis goes on with."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from rocmlint.formats import is_python
from rocmlint.lint.scan import ACCIDENTS
from rocmlint.source.decoding import text_of
from rocmlint.text.suppressions import SUPPRESSION_WORDS
from rocmlint.text.text import without_strings

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.lint.scan import Found
    from rocmlint.project.project import Project
    from rocmlint.rule.rule import ClaimRule, Rule
    from rocmlint.source.file import File
    from rocmlint.text.text import Text

MAXIMUM_BYTES = 5_000_000
"""A larger file with work for a rule is refused: it is data, and would take the memory of many.

Of a notebook the code of its cells counts.
"""
_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))


class Opened:
    """A file that was read, and the rules that may find something in it."""

    def __init__(
        self,
        path: str,
        data: bytes,
        project: Callable[[str], Project],
        text: str | None = None,
    ) -> None:
        """Take the bytes of a file and its project.

        ``text`` is what the bytes were made of, where they were not read.
        """
        self.path = path
        self.data = data
        self.rules: Found[Rule[Any]] = {}
        """The rules one of whose words stands in the data, with those triggers."""
        self.claim_rules: Found[ClaimRule[Any]] = {}
        self.signs: frozenset[bytes] = frozenset()
        """What else the bytes of a Python file show, see :class:`rocmlint.lint.scan.Sight`."""
        self.is_oddly_spaced = False
        """Whether words may be torn in it, see :mod:`rocmlint.text.blanks`."""
        self._project = project
        self._text = text

    @cached_property
    def text(self) -> Text:
        """The decoded text. Raises SyntaxError and ValueError for what cannot be decoded."""
        from rocmlint.text.blanks import PythonText  # noqa: PLC0415 - few files come here
        from rocmlint.text.text import Text  # noqa: PLC0415

        text = text_of(self.path, self.data) if self._text is None else self._text
        if is_python(self.path, self.data):
            hides = not self.signs.isdisjoint(SUPPRESSION_WORDS)
            return PythonText(text, is_oddly_spaced=self.is_oddly_spaced, may_suppress=hides)
        return Text(text)

    @cached_property
    def file(self) -> File:
        """The file as a rule sees it that asks for no syntax; raises as ``text`` does."""
        from rocmlint.source.file import File  # noqa: PLC0415 - few files come here

        return File(self.path, self.text, project=self._project(self.path))

    @cached_property
    def looks_broken(self) -> bool:
        """Whether the bytes of a Python file show signs of broken syntax: cheap, to look closer.

        Most files are never parsed (see :mod:`rocmlint.syntax.partial_parse`). The usual accidents
        still show in the bytes: a bracket without its partner, the marks of a merge conflict, NUL.
        """
        if not self.signs.isdisjoint(ACCIDENTS):
            return True
        if len(self.data) > MAXIMUM_BYTES:  # to take out so many strings takes gigabytes
            return False
        return _is_unbalanced(self.data) and _is_unbalanced(without_strings(self.data))


def _is_unbalanced(data: bytes) -> bool:
    brackets = data.translate(None, _NOT_BRACKETS)
    return any(brackets.count(left) != brackets.count(right) for left, right in _PAIRS)
