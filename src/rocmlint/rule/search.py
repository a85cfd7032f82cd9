"""Finding rules by words: in names, summaries, pages, messages, and errors that they prevent."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule.documentation import conditions, documentation, summary
from rocmlint.rule.errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule.registry import RuleType

_EXCERPT = 88
"""How many characters of a paragraph are shown."""
_BEFORE = 24
"""How many of them come before the first word that was searched for."""
_PATTERN = re.compile(r"[\\^$]|\(\?|\]\+")
"""What a regular expression has and a message has not."""
_FENCE = re.compile(r"^```.*$", re.MULTILINE)


class Hit(NamedTuple):
    """A rule that mentions all words, and where."""

    rule: RuleType
    excerpt: str
    """What the page or a message says; empty if the name or the summary has the words."""


def search(text: str, rules: Iterable[RuleType]) -> list[Hit]:
    """Return the rules that mention all words of a text, the nearest first."""
    words = text.casefold().split()
    found = [(rank, hit) for rule in rules for rank, hit in _best(rule, words)]
    return [hit for _, hit in sorted(found, key=lambda each: (each[0], each[1].rule.code))]


def _best(rule: RuleType, words: list[str]) -> Iterator[tuple[int, Hit]]:
    """Yield the first place of a rule that has the words, with its rank; at most one."""
    names = " ".join([rule.name.replace("-", " "), rule.name, *rule.retired.values()])
    if _has(f"{names} {summary(rule)}", words):
        yield 0, Hit(rule, "")
        return
    for rank, texts in enumerate((_errors(rule), _paragraphs(rule), _messages(rule)), 1):
        place = next((each for each in texts if _has(each, words)), None)
        if place is not None:
            yield rank, Hit(rule, _excerpt(place, words))
            return


def _has(text: str, words: list[str]) -> bool:
    folded = text.casefold()
    return all(each in folded for each in words)


def _errors(rule: RuleType) -> Iterator[str]:
    """Yield the error messages that it prevents."""
    for each in errors_of(rule.code):
        yield each.title
        yield from each.messages


def _paragraphs(rule: RuleType) -> Iterator[str]:
    """Yield what the page says, but for what all pages say."""
    for paragraph in _FENCE.sub("", documentation(rule)).split("\n\n"):
        yield " ".join(paragraph.split())
    for where in conditions(rule).values():
        yield from where
    for name, option in rule.options.items():
        yield f"{name}: {option.help}"


def _messages(rule: RuleType) -> Iterator[str]:
    """Yield the sentences in the rule's file; what is filled in is an ellipsis."""
    try:
        tree = ast.parse(inspect.getsource(inspect.getmodule(rule) or rule))
    except OSError:
        return  # no source is installed
    for node in ast.walk(tree):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = " ".join("".join(map(_written, parts)).split())
        if " " in text and not _PATTERN.search(text):
            yield text


def _written(part: ast.AST) -> str:
    if isinstance(part, ast.FormattedValue):
        return "…"
    value = part.value if isinstance(part, ast.Constant) else ""
    return value if isinstance(value, str) else ""


def _excerpt(text: str, words: list[str]) -> str:
    """Return the part of a text around the words, or around the first of them."""
    folded = text.casefold()
    phrase = folded.find(" ".join(words))
    at = phrase if phrase >= 0 else folded.find(words[0])
    begin = text.rfind(" ", 0, at - _BEFORE) + 1 if at > _BEFORE else 0
    shown = textwrap.shorten(text[begin:], _EXCERPT, placeholder=" …")
    return f"… {shown}" if begin else shown
