"""From a log to an answer: which explanations fit, and how sure that makes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.why.answer import OTHER_CAUSES, Action, Answer, Explanation, with_reason
from rocmlint.why.entries.explain import explain
from rocmlint.why.entries.load import built_in
from rocmlint.why.facts.all import NAMES
from rocmlint.why.facts.machine.binaries import on_amd
from rocmlint.why.facts.value import FactEvidence
from rocmlint.why.generic.all import READERS
from rocmlint.why.generic.parts import NOT_OURS
from rocmlint.why.tracker import tracker_of
from rocmlint.why.useful import useful

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.why.entries.symptom import Symptom
    from rocmlint.why.facts.context import Context
    from rocmlint.why.log.log_data import Log, Raised

_MOST_ALTERNATIVES = 3
"""If more entries fit equally well, none of them is an answer."""
_OF_CALLS = frozenset({"signature", "missing-name", "missing-attribute"})
"""Readers that say who calls, or asks for a name."""
_INSTALLS_ROCM = "rocmlint stack install-command"


def diagnose(context: Context, own: Sequence[Symptom] = ()) -> Answer:
    """Return the answer to a log; ``own`` are the entries of a team, which come first.

    The innermost cause of the chain that failed first is explained, else what follows from it,
    else a line of the log.
    """
    for raised in _in_order(context):
        context.raised = raised
        found = list(_explanations(raised.text, context, own, raised))
        answer = _answer(found, context, raised)
        if answer is not None:
            return answer
    context.raised = next(_in_order(context), None)
    found = list(_explanations("\n".join(context.log.lines), context, own, None))
    answer = _answer(found, context, context.raised)
    return answer or _last(context) or _unknown(context)


def _last(context: Context) -> Answer | None:
    """Return what is known of the packages of an exception that nothing else explains."""
    from rocmlint.why.generic import unmet_pair  # noqa: PLC0415 - most logs are explained before

    for raised in _in_order(context):
        context.raised, context.evidence, context.doubts = raised, {}, {}
        found = list(unmet_pair.read(raised.text, context))
        if found:
            return _answer(found, context, raised)
    context.raised = next(_in_order(context), None)
    return None


def _in_order(context: Context) -> Iterator[Raised]:
    for chain in context.log.chains:
        yield from chain.raised


def _explanations(
    text: str, context: Context, own: Sequence[Symptom], raised: Raised | None
) -> Iterator[Explanation]:
    for symptoms in (own, built_in(NAMES)):
        found = [
            each
            for symptom in symptoms
            if is_of(symptom, raised, context.log)
            for each in explain(symptom, text, context)
        ]
        yield from found
        if found and symptoms is own:
            return
    for reader in READERS:
        kept, context.evidence, context.doubts = context.evidence, {}, {}
        yield from list(reader(text, context))
        context.evidence = {**kept, **context.evidence}


def is_of(symptom: Symptom, raised: Raised | None, log: Log) -> bool:
    """Return whether an entry is about exceptions of this type, or about lines that are none."""
    if not symptom.exception:
        return True
    if raised is None:  # the message alone, without its type, or a log of other exceptions
        return not log.chains
    return raised.type.rpartition(".")[2] in symptom.exception


def _answer(found: list[Explanation], context: Context, raised: Raised | None) -> Answer | None:
    """Choose: what is known before what is likely, then what fits more of the message."""
    if not found:
        return None
    ranked = sorted(found, key=lambda each: (each.verdict != "known", -each.weight))
    first = ranked[0]
    of_package = next(filter(_is_of_package, ranked), None)
    if of_package is not None and _edits(first):
        first = replace(
            first, where=of_package.where, actions=of_package.actions, confirm=of_package.confirm
        )
    equal = [first, *(each for each in ranked[1:] if each.verdict == first.verdict)]
    if len({each.entry for each in equal}) > _MOST_ALTERNATIVES:
        return None
    rivals = [each for each in equal[1:] if each.weight == first.weight]
    if rivals and first.verdict == "known":
        missing = (*first.missing, OTHER_CAUSES)
        first = replace(first, verdict="likely", missing=missing)
    kept = (first, *(each for each in equal[1:] if not _is_same(each, first)))
    shown = tuple(_for_amd_only(useful(with_reason(each), context), context) for each in kept)
    return Answer(first.verdict, context.log, raised, shown[0], shown[1:])


def _edits(explanation: Explanation) -> bool:
    """Return whether an entry names no release to install, and no file of the project to edit."""
    is_release = any("pip install" in each.text for each in explanation.actions)
    return not (explanation.is_generic or explanation.where or is_release)


def _is_of_package(explanation: Explanation) -> bool:
    """Return whether a reader says that the failing call is in a package's file.

    Whoever reads the answer has no call to edit then, but releases to choose.
    """
    is_of_call = explanation.is_generic and explanation.entry in _OF_CALLS
    return is_of_call and explanation.where.endswith(NOT_OURS) and bool(explanation.actions)


def _is_same(other: Explanation, first: Explanation) -> bool:
    """Return whether another explanation says what the first one does.

    An entry and a generic reader which both read all facts name one cause in two ways.
    """
    is_known = other.verdict == first.verdict == "known"
    return other.cause == first.cause or (is_known and other.is_generic != first.is_generic)


def _for_amd_only(explanation: Explanation, context: Context) -> Explanation:
    """Say of a command that installs a ROCm build that it is for AMD GPUs, where none is known."""
    builds = [each for each in explanation.actions if each.text.startswith(_INSTALLS_ROCM)]
    if not builds or on_amd(context):
        return explanation
    actions = tuple(
        Action(f"if the GPU is AMD's: {each.text}") if each in builds else each
        for each in explanation.actions
    )
    return replace(explanation, actions=actions)


def _unknown(context: Context) -> Answer:
    gathered = tuple(_gathered(context))
    return Answer(
        "unknown", context.log, context.raised, gathered=gathered, tracker=tracker_of(context)
    )


def _gathered(context: Context) -> Iterator[FactEvidence]:
    """Yield facts that help whoever asks on: which rank, whose code failed, with which torch."""
    failure = context.log.failure
    if failure is not None:
        code = "" if failure.exit_code is None else f", exit code {failure.exit_code}"
        yield FactEvidence("failed first", f"rank {failure.rank}{code}", "the launcher")
    for frame in context.frames[-1:]:
        owner = context.owner(frame)
        yield FactEvidence(f"{frame.file}:{frame.line}", str(owner), "the traceback")
    for name in ("torch", "transformers"):
        found = context.packages.get(name)
        if found is not None:
            yield FactEvidence(name, str(found.version), found.site)
