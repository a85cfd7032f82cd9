"""Keywords of calls that what is called does not take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.published.replacements import keyword_advice, keyword_replacement
from rocmlint.rule import Text, compile_lazily, dotted_text, once_per_file
from rocmlint.text.text import LEXEME

from .guards import is_ready
from .missing import Missing, MissingUse, missing
from .overlays import foreign_uses, is_of_other_package
from .published_names import keyword_history, names
from .uses import is_of_torch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.version import Version

    from rocmlint.rule import Source

_CLASS = compile_lazily(r"^class[ \t]+\w+[ \t]*\((?:[ \t\n]|#[^\n]*)*([\w.]+)", re.MULTILINE)
_OPENS = compile_lazily(r"[ \t]*\(")
_SUPER = compile_lazily(r"\)[ \t]*\.[ \t]*__init__[ \t]*\(")
_TOKEN = compile_lazily(LEXEME + r"|[()\[\]{}]", re.DOTALL)
_KEYWORD = compile_lazily(r"[(,][\s\\]*(\w+)[\s\\]*=(?!=)")
_DEPTHS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_LONGEST = 20_000
"""Characters of a call that are looked at for keywords."""

_ARGUMENTS = "transformers.TrainingArguments"
KEYWORD_EXCUSES = (is_of_other_package, is_ready)
"""Why a keyword that is unknown is left alone."""


@dataclass(frozen=True)
class UnknownKeywordUse(MissingUse):
    """A keyword of a call that what it calls does not take."""

    argument: cst.Arg
    called: str
    """What the call names; the owner of the keyword may be a base of it."""


def suspected_calls(source: Source) -> tuple[re.Match[str], ...]:
    """Find calls of imported callables with a keyword that they do not take."""
    return tuple(match for match, keywords in _suspected(source) if keywords)


@once_per_file
def _suspected(source: Source) -> tuple[tuple[re.Match[str], frozenset[str]], ...]:
    """Return the calls of imported callables, and the keywords of each that are not taken."""
    return tuple(
        (match, frozenset(_not_taken(callables, opening, source)))
        for match, callables, opening in _calls(source)
    )


@once_per_file
def _keywords_in_vain(source: Source) -> frozenset[str]:
    return frozenset(keyword for _, keywords in _suspected(source) for keyword in keywords)


def _calls(source: Source) -> Iterator[tuple[re.Match[str], Iterable[str], int]]:
    """Yield where a text calls what it imports, what that may be, and the opening bracket."""
    text = source.text
    found = foreign_uses(source)
    for place in found.places:
        if _OPENS.match(text, place.match.end()):
            yield place.match, (place.dotted,), place.match.end()
    if "super" not in text or all(is_of_torch(each.dotted) for each in found.imports):
        return
    bases = {dotted for each in _CLASS.finditer(text) for dotted in found.meanings(each[1])}
    for match in _SUPER.finditer(text) if bases else ():
        yield match, bases, match.end() - 1


def _not_taken(callables: Iterable[str], opening: int, source: Source) -> Iterator[str]:
    keywords = set(_KEYWORD.findall(_arguments(source.text, opening)))
    for called in callables:
        for keyword in keywords if not is_of_torch(called) else ():
            found = _judged(definer(called, keyword), keyword, source)
            if found is not None and not is_of_other_package(found, source):
                yield keyword


@once_per_file
def _judged(dotted: str, keyword: str, source: Source) -> Missing | None:
    """Judge a keyword; None unless each version that may be installed takes it not."""
    found = keyword_history(dotted, keyword)
    if not found.is_ever_missing:
        return None
    return missing(dotted, keyword, found, source, lambda each: each.takes_keyword(dotted, keyword))


def _arguments(text: str, start: int) -> str:
    """Return the code from an opening bracket to the one that closes it."""
    depth = 0
    end = start + _LONGEST
    for token in _TOKEN.finditer(text, start, end):
        depth += _DEPTHS.get(token[0], 0)
        if depth == 0:
            end = token.end()
            break
    return Text(text[start:end]).code


def unknown_keywords(node: cst.Call, source: Source) -> Iterator[UnknownKeywordUse]:
    """Yield the keywords of a call that what it calls does not take."""
    written = [each for each in node.args if _may_be_unknown(each, source)]
    called = callable_of(node, source) if written else None
    if called is None or is_of_torch(called) or names(called) is None:
        return
    for each in written:
        keyword = each.keyword.value if each.keyword is not None else ""
        found = _judged(definer(called, keyword), keyword, source)
        if found is not None:
            yield UnknownKeywordUse(node, found, each, called)


def _may_be_unknown(argument: cst.Arg, source: Source) -> bool:
    if argument.keyword is None:
        return False
    return source.is_oddly_spaced or argument.keyword.value in _keywords_in_vain(source)


def definer(called: str, keyword: str) -> str:
    """Return whose version decides on a keyword: trl's configurations inherit most of theirs."""
    if called.startswith("trl.") and called.endswith("Config"):
        if keyword_history(_ARGUMENTS, keyword).there:
            return _ARGUMENTS
    return called


def settings_for(dotted: str, keyword: str, version: Version) -> str | None:
    """Return the configuration that takes a keyword in place of what it belongs to.

    trl's trainers got them, which took over most of their keywords.
    """
    settings = f"{dotted.removesuffix('Trainer')}Config"
    if not dotted.startswith("trl.") or settings == dotted:
        return None
    is_taken = keyword_history(definer(settings, keyword), keyword).at(version)
    return settings if is_taken else None


def has_keyword_rewrite(dotted: str, keyword: str, version: Version) -> bool:
    """Return whether it is known what to write for a keyword that a version does not take."""
    if keyword_history(dotted, keyword).at(version):
        return False
    new = keyword_replacement(dotted, keyword)
    if new is not None and keyword_history(dotted, new).at(version):
        return True
    told = keyword_advice(dotted, keyword) is not None
    return told or settings_for(dotted, keyword, version) is not None


def callable_of(node: cst.Call, source: Source) -> str | None:
    """Return what a call calls: the imported callable, or the only base behind ``super()``."""
    if not isinstance(node.func, cst.Attribute) or not isinstance(node.func.value, cst.Call):
        return source.resolve(node.func)
    if node.func.attr.value != "__init__" or dotted_text(node.func.value.func) != "super":
        return None
    if source.function(node) is None or source.function(node) is not _method(node, source):
        return None
    around = source.whole_class(node)
    if around is None or len(around.bases) != 1 or around.bases[0].star:
        return None
    return source.resolve(around.bases[0].value)


def _method(node: cst.CSTNode, source: Source) -> cst.FunctionDef | None:
    """Return the function around a node if it stands directly in a class."""
    function = source.function(node)
    block = source.parent(function) if function is not None else None
    holder = source.parent(block) if block is not None else None
    return function if isinstance(holder, cst.ClassDef) else None
