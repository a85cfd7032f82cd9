"""ROC205, unknown-keyword."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    Fix,
    PythonRule,
    Text,
    compile_lazily,
    dotted_text,
    last_name,
    nodes,
    once_per_file,
)
from rocmlint.text.text import LEXEME

from ._names.guards import is_asked_for, is_guarded
from ._names.judgement import MissingName, MissingUse, missing, requirement, since, subject
from ._names.overlays import OTHER_PACKAGE, is_of_other_package
from ._names.published_names import is_ever_missing, names
from ._names.rename import is_there_throughout
from ._names.replacements import keyword_advice, keyword_replacement
from ._names.uses import WORDS, is_of_torch, uses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.project.installed_names import InstalledNames
    from rocmlint.published.names import History
    from rocmlint.rule import Finding, Source

_CLASS = compile_lazily(r"^class[ \t]+\w+[ \t]*\((?:[ \t\n]|#[^\n]*)*([\w.]+)", re.MULTILINE)
_OPENS = compile_lazily(r"[ \t]*\(")
_SUPER = compile_lazily(r"\)[ \t]*\.[ \t]*__init__[ \t]*\(")
_TOKEN = compile_lazily(LEXEME + r"|[()\[\]{}]", re.DOTALL)
_KEYWORD = compile_lazily(r"[(,][\s\\]*(\w+)[\s\\]*=(?!=)")
_DEPTHS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_LONGEST = 20_000
"""Characters of a call that are looked at for keywords."""

_ARGUMENTS = "transformers.TrainingArguments"


@dataclass(frozen=True)
class _Unknown(MissingUse):
    """A keyword of a call that what it calls does not take."""

    argument: cst.Arg


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find calls of imported callables with a keyword that they do not take."""
    text = source.text
    found = uses(text)
    for place in found.places:
        if _OPENS.match(text, place.match.end()):
            if _takes_them_not((place.dotted,), place.match.end(), source):
                yield place.match
    if not found.imports or "super" not in text:
        return
    bases = {dotted for each in _CLASS.finditer(text) for dotted in found.meanings(each[1])}
    for match in _SUPER.finditer(text) if bases else ():
        if _takes_them_not(bases, match.end() - 1, source):
            yield match


def _takes_them_not(callables: Iterable[str], opening: int, source: Source) -> bool:
    keywords = set(_KEYWORD.findall(_arguments(source.text, opening)))
    judged = (
        _judged(_definer(called, keyword), keyword, source)
        for called in callables
        for keyword in keywords
    )
    return any(each is not None and not is_of_other_package(each, source) for each in judged)


@once_per_file
def _judged(dotted: str, keyword: str, source: Source) -> MissingName | None:
    """Judge a keyword; None unless each version that may be installed takes it not."""
    found = _history(dotted, keyword)
    if not is_ever_missing(found):
        return None
    return missing(dotted, found.at, source, partial(_takes, dotted, keyword))


def _arguments(text: str, start: int) -> str:
    """Give the code from an opening bracket to the one that closes it."""
    depth = 0
    end = start + _LONGEST
    for token in _TOKEN.finditer(text, start, end):
        depth += _DEPTHS.get(token[0], 0)
        if depth == 0:
            end = token.end()
            break
    return Text(text[start:end]).code


@lru_cache(maxsize=4096)
def _history(dotted: str, keyword: str) -> History:
    from rocmlint.published.names import History  # noqa: PLC0415 - few files need it

    known = names(dotted)
    return History((), 0, 0) if known is None else known.keyword(dotted, keyword)


class UnknownKeyword(PythonRule["cst.Call"]):
    """A keyword that the called function or class does not take in the version of its package.

    ## Why it matters
    ``TrainingArguments(evaluation_strategy=...)`` is a ``TypeError: unexpected keyword argument``
    since transformers 4.51. Which version counts, and how sure that is, is told as for
    removed-name (ROC204).

    Looked at are calls of functions and classes that are imported from accelerate, diffusers,
    huggingface_hub, peft, transformers and trl, and ``super().__init__(...)`` in classes that have
    one of these as their only base. A signature with ``**kwargs`` takes every keyword, and one
    that a decorator may change is not known. All such keywords of a call are one finding, at the
    first of them.

    ## Example
    ```python
    from transformers import TrainingArguments

    arguments = TrainingArguments(output_dir="out", evaluation_strategy="steps")
    ```

    ## Use instead
    Use the keyword that took its place, or require a version that takes this one.
    ```python
    from transformers import TrainingArguments

    arguments = TrainingArguments(output_dir="out", eval_strategy="steps")
    ```

    ## Fix safety
    Safe where only the name of the keyword changed and all versions that the requirement admits
    take the new one; else unsafe.

    ## References
    - https://huggingface.co/docs/transformers/main_classes/trainer
    """

    code = "ROC205"
    name = "unknown-keyword"
    since = "0.1.0"
    on = nodes(
        "Call",
        words=WORDS,
        opening=True,
        suspects=_suspects,
        described="calls, with keywords, of what is imported from "
        "accelerate, diffusers, huggingface_hub, peft, transformers and trl",
    )
    excuses = (*OTHER_PACKAGE, is_asked_for, is_guarded)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Judge each keyword of a call."""
        written = [each for each in node.args if each.keyword is not None]
        called = _callable(node, source) if written else None
        if called is None or is_of_torch(called) or names(called) is None:
            return
        unknown: dict[str, list[_Unknown]] = {}
        for each in written:
            keyword = each.keyword.value if each.keyword is not None else ""
            dotted = _definer(called, keyword)
            judgement = _judged(dotted, keyword, source)
            if judgement is not None:
                found = _Unknown(node, keyword, judgement, each)
                if not self.is_excused(found, source):
                    unknown.setdefault(dotted, []).append(found)
        for dotted, of_one in unknown.items():
            fix, message = _fix(of_one, node, dotted, source), _message(dotted, of_one)
            surest = max((each.judgement for each in of_one), key=lambda each: each.certain)
            place = of_one[0].argument
            yield self.finding(place, source, message, fix=fix, severity=surest.severity)


def _definer(called: str, keyword: str) -> str:
    """Give whose version decides on a keyword: the configurations of trl inherit most of theirs."""
    if called.startswith("trl.") and called.endswith("Config"):
        if _history(_ARGUMENTS, keyword).there:
            return _ARGUMENTS
    return called


def _takes(dotted: str, keyword: str, installed: InstalledNames) -> bool | None:
    return installed.takes_keyword(dotted, keyword)


def _callable(node: cst.Call, source: Source) -> str | None:
    """Give what a call calls: the imported callable, or the only base behind ``super()``."""
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
    """Give the function around a node if it stands directly in a class."""
    function = source.function(node)
    block = source.parent(function) if function is not None else None
    holder = source.parent(block) if block is not None else None
    return function if isinstance(holder, cst.ClassDef) else None


def _message(dotted: str, unknown: list[_Unknown]) -> str:
    judgement = unknown[0].judgement
    version = judgement.candidate.version
    listed = [
        f"`{each.name}` ({since(f'{dotted}({each.name})', _history(dotted, each.name), version)})"
        for each in unknown
    ]
    keywords = " or ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))
    return (
        f"`{dotted}` of {subject(judgement, dotted.partition('.')[0])} takes no keyword "
        f"{keywords}: this call is a TypeError. {_advice(dotted, unknown)}"
    )


def _advice(dotted: str, unknown: list[_Unknown]) -> str:
    advice = [_instead(dotted, each) for each in unknown]
    bound = _bound(dotted, unknown)
    if not any(advice) and bound:
        return f"Require `{bound}`."
    told = [
        each or f"leave out `{keyword.name}`" for each, keyword in zip(advice, unknown, strict=True)
    ]
    told += [f"or require `{bound}`"] if bound else []
    text = ", ".join(told)
    return f"{text[0].upper()}{text[1:]}."


def _instead(dotted: str, unknown: _Unknown) -> str:
    """Say what to write for one keyword, "" where that is not known."""
    keyword, judgement = unknown.name, unknown.judgement
    new = _new_keyword(dotted, keyword, judgement)
    if new:
        return f"write `{new}` for `{keyword}`"
    advice = keyword_advice(dotted, keyword)
    if advice or not dotted.startswith("trl."):
        return advice
    # trl's trainers got configurations, which took over most of their keywords.
    settings = f"{dotted.removesuffix('Trainer')}Config"
    taken = _history(_definer(settings, keyword), keyword).at
    is_taken = settings != dotted and taken(judgement.candidate.version)
    return f"give `{keyword}` to `{settings}`" if is_taken else ""


def _bound(dotted: str, unknown: list[_Unknown]) -> str:
    """Give the requirement that brings all keywords back, "" where there is none."""
    bounds = {requirement(dotted, _history(dotted, each.name), each.judgement) for each in unknown}
    if all("<" in each for each in bounds):
        return min(bounds, key=_release)
    return max(bounds, key=_release) if all(">=" in each for each in bounds) else ""


def _release(bound: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", bound.rpartition("<")[2].rpartition("=")[2])]


def _new_keyword(dotted: str, keyword: str, judgement: MissingName) -> str | None:
    new = keyword_replacement(dotted, keyword)
    taken = _history(dotted, new).at if new else None
    if taken is None or any(taken(each.version) is not True for each in judgement.candidates):
        return None
    return new


def _fix(unknown: list[_Unknown], call: cst.Call, dotted: str, source: Source) -> Fix | None:
    """Rename what only changed its name; what else is unknown stays, for the user to judge."""
    edits, renamed, safe = [], [], True
    for each in unknown:
        new = _new_keyword(dotted, each.name, each.judgement)
        if new is None or each.argument.keyword is None or _is_given(new, call):
            continue
        edits.append(source.replace(each.argument.keyword, new))
        renamed.append(f"`{new}`")
        safe = safe and is_there_throughout(_history(dotted, new).at, each.judgement)
    return Fix(f"Use {' and '.join(renamed)}", tuple(edits), safe=safe) if edits else None


def _is_given(keyword: str, call: cst.Call) -> bool:
    return any(
        each.keyword is not None and last_name(each.keyword) == keyword for each in call.args
    )
