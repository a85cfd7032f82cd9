"""Marks of a sentence in which something was not filled in, or twice."""

from __future__ import annotations

import re

GARBLED = {
    "a name twice": r"\b([A-Za-z][\w.-]*) (?:(?:the|a|its) )?(?:installed |version of )?\1\b(?!-)",
    "two articles": r"\b(?:the|an?|this|its|your) (?:the|an?|this|its|your)\b",
    "nothing between marks": r"\(\s+\)|[,;:] [,;:]|\s[,;:](?:\s|$)|  |^\s|\s$|\b(?:by|the)[,;:]",
    "a fact instead of its value": r"\bUnread\b",
}


def garbled(sentence: str) -> list[str]:
    """Return what is wrong with a sentence, in words."""
    return [why for why, pattern in GARBLED.items() if re.search(pattern, sentence)]
