"""Looking for triggers in bytes: one search over all words of all enabled rules.

What it finds are the rules that may have something to say, each with those of its triggers of which
a word stands in the data: the next step need not look for words again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ahocorasick_rs import BytesAhoCorasick, Implementation

from rocmlint.text.blanks import MARKS, has_torn_code
from rocmlint.text.suppressions import SUPPRESSION_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocmlint.rule.rule import ClaimRule, Rule
    from rocmlint.rule.triggers import Trigger

ACCIDENTS = (b"\n<<<<<<< ", b"\0")
"""What shows that a file is broken: the mark of a merge conflict, NUL."""
_SIGNS = (*ACCIDENTS, *SUPPRESSION_WORDS)
"""What else is looked for in Python, as one more word costs nothing."""
Asked = TypeVar("Asked", bound="Rule[Any] | ClaimRule[Any]")
Found = dict[Asked, "list[Trigger]"]
"""Rules, in their order, and the triggers of each of which a word was found."""

_BEFORE_STATEMENTS = (b":", b";", b"\\", b"\r", b"\xef\xbb\xbf", rb"\n", rb"\t")
"""What may stand before a statement on its line: of a notebook escaped, as in JSON."""


@dataclass(frozen=True)
class Sight(Generic[Asked]):
    """What the bytes of a Python file show.

    ``signs`` are those of ``ACCIDENTS`` and ``SUPPRESSION_WORDS`` that stand in them.
    """

    rules: Found[Asked]
    signs: frozenset[bytes] = frozenset()
    is_oddly_spaced: bool = False


class Scanner(Generic[Asked]):
    """Tells which rules may have something to say about a file."""

    def __init__(
        self,
        rules: Iterable[Asked],
        counts: Callable[[Trigger], bool] | None = None,
        spelt: Callable[[str], str] = str,
    ) -> None:
        """Take the enabled rules, and which of their triggers count; all if not given.

        ``spelt`` gives what of a word stands in the data wherever the word does; it may be empty.
        """
        by_word: dict[bytes, list[int]] = {}
        self.rules = tuple(rules)
        self._triggers = [
            (rule, trigger) for rule in self.rules for trigger in filter(counts, rule.on)
        ]
        anywhere: set[bytes] = set()
        for index, (_, trigger) in enumerate(self._triggers):
            for word in (spelt(word).encode() for word in trigger.words):
                by_word.setdefault(word, []).append(index)
                if not trigger.opening:
                    anywhere.add(word)
        dull = dict.fromkeys(trigger.dull for _, trigger in self._triggers if trigger.dull)
        self._dull = re.compile("|".join(dull).encode() or rb"(?!)")
        self._always = frozenset(by_word.pop(b"", ()))
        self._triggers_of_word = list(by_word.values())
        self._opening = {index for index, word in enumerate(by_word) if word not in anywhere}
        marks, signs = len(by_word), len(by_word) + len(MARKS)
        self._marks = frozenset(range(marks, signs))
        self._signs = {signs + index: sign for index, sign in enumerate(_SIGNS)}
        self._search = _automaton((*by_word, *MARKS, *_SIGNS))

    def scan(self, data: bytes) -> Found[Asked]:
        """Return the rules one of whose words stands in the data."""
        return self._with_words(self._words(data))

    def scan_python(self, data: bytes) -> Sight[Asked]:
        """Return what Python code shows; where it is oddly spaced, all rules."""
        words = self._words(data)
        signs = frozenset(self._signs[each] for each in words & self._signs.keys())
        if not self._marks.isdisjoint(words) and has_torn_code(data):
            every = {rule: list(rule.on) for rule in self.rules}
            return Sight(every, signs, is_oddly_spaced=True)
        return Sight(self._with_words(words), signs)

    def _words(self, data: bytes) -> set[int]:
        matches = self._search.find_matches_as_indexes(data, overlapping=True)
        words = {word for word, _, _ in matches}
        if not self._opening.isdisjoint(words):
            words -= self._opening
            words.update(
                word
                for word, start, _ in matches
                if word in self._opening
                and not self._dull.match(data, start)
                and _may_open_statement(data, start)
            )
        return words

    def _with_words(self, words: set[int]) -> Found[Asked]:
        known = (word for word in words if word < len(self._triggers_of_word))
        triggers = {each for word in known for each in self._triggers_of_word[word]}
        found: Found[Asked] = {}
        for index in sorted(triggers | self._always):
            rule, trigger = self._triggers[index]
            found.setdefault(rule, []).append(trigger)
        return found


@lru_cache(maxsize=8)
def _automaton(words: tuple[bytes, ...]) -> BytesAhoCorasick:
    """Return the search for these words; settings that switch on the same rules share one."""
    # More than twice as fast as what is chosen by itself, and made in milliseconds.
    return BytesAhoCorasick(words, implementation=Implementation.DFA)


def _may_open_statement(data: bytes, start: int) -> bool:
    """Return whether a statement may begin at a place, or goes on that imports several modules.

    In a notebook the place is inside a string of its JSON.
    """
    before = data[data.rfind(b"\n", 0, start) + 1 : start].strip(b' \t\f"')
    return not before or before.endswith(_BEFORE_STATEMENTS) or b"import " in before
