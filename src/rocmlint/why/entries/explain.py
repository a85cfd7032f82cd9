"""Answers from entries: the first case whose condition holds, with the facts in it."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.why.answer import Action, Explanation
from rocmlint.why.entries.condition import evaluate
from rocmlint.why.entries.symptom import expressions_in
from rocmlint.why.facts.all import NAMES, functions_of
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator, Mapping

    from rocmlint.why.entries.symptom import EntryCase, Symptom
    from rocmlint.why.entries.template import Template
    from rocmlint.why.facts.context import Context

_PLAIN = re.compile(r"(?!-)[\w@%+=:,./ ()-]*")
"""Characters of a sentence without quotes; there is no ``$`` for the parentheses."""

_GAP = "\0"
_PART_WITH_GAP = re.compile(rf"(?:^|[,;:])[^,;:]*{_GAP}[^,;:]*")
_NEEDS_A_VALUE = re.compile(
    r"(?:\A|\b(?:of|for|at|in|by|with|to|from|as|than|the|an?|is|build)\s|\()\Z"
)


def explain(symptom: Symptom, text: str, context: Context) -> Iterator[Explanation]:
    """Yield what an entry says of a text: one answer, or the cases that unread facts leave open.

    The case that holds comes before those, and a cause that names what nobody read counts only
    where there is no other.
    """
    for template in symptom.match:
        values = template.find(text)
        if values is not None:
            every = {**dict.fromkeys(symptom.names, ""), **values}
            found = list(_cases(symptom, template, every, text, context))
            whole = [each for each in found if each.is_whole]
            held_first = sorted(whole or found, key=attrgetter("is_open"))
            yield from (each.explanation for each in held_first)
            return


class _Said(NamedTuple):
    """The answer of a case. ``is_whole``: all that its cause names was read."""

    explanation: Explanation
    is_open: bool
    is_whole: bool


def _cases(
    symptom: Symptom,
    template: Template,
    values: Mapping[str, str],
    text: str,
    context: Context,
) -> Iterator[_Said]:
    functions = functions_of(context)
    open_ones: list[UnreadFact] = []
    for case in symptom.cases:
        kept, context.evidence, context.doubts = context.evidence, {}, {}
        held = True if case.when is None else evaluate(case.when, functions, values)
        missing = [] if isinstance(held, UnreadFact) else _unread(case.needs, functions, values)
        if isinstance(held, UnreadFact) or held:
            unread = [held] if isinstance(held, UnreadFact) else [*missing, *context.doubts]
            made = _explanation(symptom, case, template, values, context, (*open_ones, *unread))
            is_whole = _filled(case.cause, functions, values, str) is not None
            yield _Said(_with_text(made, template, text), isinstance(held, UnreadFact), is_whole)
        if isinstance(held, UnreadFact):
            open_ones.append(held)
        elif not held:
            open_ones += context.doubts
        context.evidence = {**kept, **context.evidence}
        if held and not isinstance(held, UnreadFact):
            return


def _unread(
    needs: tuple[ast.expr, ...], functions: Mapping[str, Any], values: Mapping[str, str]
) -> list[UnreadFact]:
    found = (evaluate(each, functions, values) for each in needs)
    return [each for each in found if isinstance(each, UnreadFact)]


def _with_text(made: Explanation, template: Template, text: str) -> Explanation:
    return replace(made, message=template.place(text))


def _explanation(  # noqa: PLR0913, PLR0917 - the parts of an explanation
    symptom: Symptom,
    case: EntryCase,
    template: Template,
    values: Mapping[str, str],
    context: Context,
    missing: tuple[UnreadFact, ...],
) -> Explanation:
    functions = functions_of(context)

    def filled(sentence: str, write: Callable[[str], str] = str) -> str | None:
        return _filled(sentence, functions, values, write)

    said = (_filled(each, functions, values, _in_words, names_facts=True) for each in case.do)
    edits = [Action(each) for each in said if each]
    commands = [filled(each, shlex.quote) for each in case.run]
    actions = edits + [Action(each, is_command=True) for each in commands if each]
    if case.rocm_fix and context.host.repair_program:
        actions.insert(0, Action(f"rocm fix {case.rocm_fix}", is_command=True))
    cause = _filled(case.cause, functions, values, str, names_facts=True)
    return Explanation(
        entry=symptom.id,
        verdict="known" if symptom.sure and case.sure and not missing else "likely",
        cause=cause or symptom.title,
        where=filled(case.where) or "",
        actions=tuple(actions),
        confirm=filled(case.confirm, shlex.quote) or "",
        evidence=tuple(context.evidence),
        missing=tuple(dict.fromkeys(missing)),
        rules=symptom.rules,
        references=symptom.references,
        weight=template.weight,
    )


def _in_words(value: str) -> str:
    """Quote a value that a shell would not take as it is: somebody may paste the sentence."""
    return value if _PLAIN.fullmatch(value) else shlex.quote(value)


def _filled(
    sentence: str,
    functions: Mapping[str, Any],
    values: Mapping[str, str],
    write: Callable[[str], str],
    *,
    names_facts: bool = False,
) -> str | None:
    """Return a sentence with the values of its expressions; None where one of them is missing.

    With ``names_facts`` a fact that was not read is named in place of its value: "the GPU", and a
    part of the sentence that ends in a value which is empty is left out.
    """
    pieces: list[str] = []
    for literal, expression in expressions_in(sentence, NAMES, values):
        pieces.append(literal)
        if expression is None:
            continue
        value = evaluate(expression, functions, values)
        if isinstance(value, UnreadFact) and names_facts:
            pieces[-1:] = _with_fact(literal, value.fact)
        elif value is None or isinstance(value, UnreadFact):
            return None
        else:
            text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            is_gap = names_facts and not text
            pieces[-1:] = _gap(literal) if is_gap else [literal, write(text)]
    whole = "".join(pieces)
    return _without_gaps(whole) if _GAP in whole else whole


def _without_gaps(sentence: str) -> str | None:
    """Return the parts of a sentence that have no gap; None where its beginning has one."""
    rest = _PART_WITH_GAP.sub("", sentence)
    if rest and sentence.startswith(rest[0]):
        return rest
    rest = rest.lstrip(" ,;:")
    return rest.removeprefix("or ") if rest.startswith("or ") else None


def _with_fact(literal: str, fact: str) -> list[str]:
    """Return a fact in words behind a text; the text alone where it names the thing already."""
    before = literal.rstrip().rpartition(" ")[2]
    is_name = bool(before) and _NEEDS_A_VALUE.search(literal) is None
    is_same = is_name and re.search(rf"\b{re.escape(before)}\b", fact) is not None
    if fact.startswith("the installed ") or is_same:
        return [literal.rstrip()]
    return [literal, fact]


def _gap(literal: str) -> list[str]:
    """Return a text that an empty value follows."""
    return [literal, _GAP] if _NEEDS_A_VALUE.search(literal) else [literal.rstrip()]
