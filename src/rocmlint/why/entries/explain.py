"""What an entry says of a message: the first case whose condition holds, with the facts in it."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocmlint.why.answer import Action, Explanation
from rocmlint.why.entries.condition import evaluate
from rocmlint.why.entries.symptom import expressions_in
from rocmlint.why.facts.all import NAMES, functions_of
from rocmlint.why.facts.value import Unread

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator, Mapping

    from rocmlint.why.entries.symptom import Case, Symptom
    from rocmlint.why.entries.template import Template
    from rocmlint.why.facts.context import Context

_MISSING = "<unknown>"
"""What a sentence has for a fact that was not read."""


def explain(symptom: Symptom, text: str, context: Context) -> Iterator[Explanation]:
    """Yield what an entry says of a text: one answer, or the cases that unread facts leave open."""
    for template in symptom.match:
        values = template.find(text)
        if values is not None:
            every = {**dict.fromkeys(symptom.names, ""), **values}
            yield from _cases(symptom, template, every, text, context)
            return


def _cases(
    symptom: Symptom,
    template: Template,
    values: Mapping[str, str],
    text: str,
    context: Context,
) -> Iterator[Explanation]:
    functions = functions_of(context)
    open_ones: list[Unread] = []
    for case in symptom.cases:
        kept, context.evidence, context.doubts = context.evidence, {}, {}
        held = True if case.when is None else evaluate(case.when, functions, values)
        missing = [] if isinstance(held, Unread) else _unread(case.needs, functions, values)
        if isinstance(held, Unread) or held:
            unread = [held] if isinstance(held, Unread) else [*missing, *context.doubts]
            made = _explanation(symptom, case, template, values, context, (*open_ones, *unread))
            yield _with_text(made, template, text)
        if isinstance(held, Unread):
            open_ones.append(held)
        elif not held:
            open_ones += context.doubts
        context.evidence = {**kept, **context.evidence}
        if held and not isinstance(held, Unread):
            return


def _unread(
    needs: tuple[ast.expr, ...], functions: Mapping[str, Any], values: Mapping[str, str]
) -> list[Unread]:
    found = (evaluate(each, functions, values) for each in needs)
    return [each for each in found if isinstance(each, Unread)]


def _with_text(made: Explanation, template: Template, text: str) -> Explanation:
    return replace(made, message=template.place(text))


def _explanation(  # noqa: PLR0913, PLR0917 - the parts of an explanation
    symptom: Symptom,
    case: Case,
    template: Template,
    values: Mapping[str, str],
    context: Context,
    missing: tuple[Unread, ...],
) -> Explanation:
    functions = functions_of(context)

    def filled(sentence: str, write: Callable[[str], str] = str) -> str:
        return _filled(sentence, functions, values, write)

    cause = filled(case.cause)
    actions = [Action(filled(each)) for each in case.do]
    actions += [Action(filled(each, shlex.quote), is_command=True) for each in case.run]
    if case.rocm_fix and context.host.repair_program:
        actions.insert(0, Action(f"rocm fix {case.rocm_fix}", is_command=True))
    return Explanation(
        entry=symptom.id,
        verdict="known" if symptom.sure and case.sure and not missing else "likely",
        cause=cause,
        where=where if _MISSING not in (where := filled(case.where)) else "",
        actions=tuple(actions),
        confirm=filled(case.confirm, shlex.quote),
        evidence=tuple(context.evidence),
        missing=tuple(dict.fromkeys(missing)),
        rules=symptom.rules,
        references=symptom.references,
        weight=template.weight,
    )


def _filled(
    sentence: str,
    functions: Mapping[str, Any],
    values: Mapping[str, str],
    write: Callable[[str], str],
) -> str:
    pieces = []
    for literal, expression in expressions_in(sentence, NAMES, values):
        pieces.append(literal)
        if expression is not None:
            value = evaluate(expression, functions, values)
            if isinstance(value, tuple):
                value = ", ".join(map(str, value))
            is_missing = value is None or isinstance(value, Unread)
            pieces.append(_MISSING if is_missing else write(str(value)))
    return "".join(pieces)
