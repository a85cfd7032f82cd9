"""What an entry says of a message: the first case whose condition holds, with the facts in it."""

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
from rocmlint.why.facts.value import Unread

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator, Mapping

    from rocmlint.why.entries.symptom import Case, Symptom
    from rocmlint.why.entries.template import Template
    from rocmlint.why.facts.context import Context

_PLAIN = re.compile(r"(?!-)[\w@%+=:,./ ()-]*")
"""What may be in a sentence without quotes; there is no ``$`` for the parentheses."""


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
    """What a case says. ``is_whole``: all that its cause names was read."""

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
    open_ones: list[Unread] = []
    for case in symptom.cases:
        kept, context.evidence, context.doubts = context.evidence, {}, {}
        held = True if case.when is None else evaluate(case.when, functions, values)
        missing = [] if isinstance(held, Unread) else _unread(case.needs, functions, values)
        if isinstance(held, Unread) or held:
            unread = [held] if isinstance(held, Unread) else [*missing, *context.doubts]
            made = _explanation(symptom, case, template, values, context, (*open_ones, *unread))
            is_whole = _filled(case.cause, functions, values, str) is not None
            yield _Said(_with_text(made, template, text), isinstance(held, Unread), is_whole)
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

    def filled(sentence: str, write: Callable[[str], str] = str) -> str | None:
        return _filled(sentence, functions, values, write)

    said = (_filled(each, functions, values, _in_words, names_facts=True) for each in case.do)
    edits = [Action(each) for each in said if each]
    commands = [filled(each, shlex.quote) for each in case.run]
    actions = edits + [Action(each, is_command=True) for each in commands if each]
    if case.rocm_fix and context.host.repair_program:
        actions.insert(0, Action(f"rocm fix {case.rocm_fix}", is_command=True))
    cause = _filled(case.cause, functions, values, str, names_facts=True) or symptom.title
    return Explanation(
        entry=symptom.id,
        verdict="known" if symptom.sure and case.sure and not missing else "likely",
        cause=cause,
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

    With ``names_facts`` a fact that was not read is named in place of its value: "the GPU".
    """
    pieces = []
    for literal, expression in expressions_in(sentence, NAMES, values):
        pieces.append(literal)
        if expression is None:
            continue
        value = evaluate(expression, functions, values)
        if isinstance(value, Unread) and names_facts:
            is_version = value.fact.startswith("the installed ")  # behind the name of the package
            pieces[-1:] = [literal.rstrip()] if is_version else [literal, value.fact]
        elif value is None or isinstance(value, Unread):
            return None
        else:
            pieces.append(
                write(", ".join(map(str, value)) if isinstance(value, tuple) else str(value))
            )
    return "".join(pieces)
