"""Looking for triggers in bytes: one search over all words of all enabled rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ahocorasick_rs import BytesAhoCorasick

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.rule import ClaimRule, Rule

Asked = TypeVar("Asked", bound="Rule[Any] | ClaimRule[Any]")


class Scanner(Generic[Asked]):
    """Tells which rules may have something to say about a file."""

    def __init__(self, rules: Iterable[Asked]) -> None:
        """Take the enabled rules."""
        by_word: dict[bytes, list[int]] = {}
        self._rules = tuple(rules)
        for index, rule in enumerate(self._rules):
            for trigger in rule.on:
                for word in trigger.words:
                    by_word.setdefault(word.encode(), []).append(index)
        self._rules_of_word = list(by_word.values())
        self._search = BytesAhoCorasick(list(by_word)) if by_word else None

    def scan(self, data: bytes | memoryview) -> list[Asked]:
        """Give the rules one of whose words stands in the data."""
        if self._search is None or not data:
            return []
        matches = self._search.find_matches_as_indexes(data, overlapping=True)
        words = {word for word, _, _ in matches}
        found = sorted({index for word in words for index in self._rules_of_word[word]})
        return [self._rules[index] for index in found]
