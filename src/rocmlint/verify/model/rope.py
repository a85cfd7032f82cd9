"""Judging position ids: those of the model are those of the code that transformers has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.text.words import counted
from rocmlint.verify.model.subject import SHOWN, about, not_seen
from rocmlint.verify.result import Evidence, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.verify.model.subject import Asking
    from rocmlint.verify.result import Result

CHECK = "model rope"
FUNCTION = "its position ids are those of the official get_rope_index"
FORWARD = "a forward uses the official position ids"
_ACTION = (
    "remove the copy, and pass image_grid_thw (and mm_token_type_ids, where the processor returns "
    "them) so that the get_rope_index of the installed transformers computes them"
)


def check(asking: Asking, function: str | None) -> list[Result]:
    """Compare position ids on generated grids. Raises InterpreterError."""
    return list(results_of(asking.ask("rope", function=function)))


def results_of(answer: Mapping[str, Any]) -> Iterator[Result]:
    """Yield a result for the function, and one for what a forward uses."""
    if answer["missing"]:
        action = "name a model with three-dimensional rotary positions, such as Qwen2.5-VL"
        yield not_seen(CHECK, FUNCTION, answer, action)
        return
    evidence = (
        Evidence("compared", answer["function"]),
        Evidence("official", answer["official"]),
        *_wrong(answer["cases"]),
        *about(answer),
    )
    yield _cases(answer["cases"], "grid", answer["function"]).on(
        CHECK, FUNCTION, answer["model"], evidence
    )
    evidence = (*_wrong(answer["used"]), *about(answer))
    yield _cases(answer["used"], "forward", "the model").on(
        CHECK, FORWARD, answer["model"], evidence
    )


def _cases(cases: Sequence[Mapping[str, Any]], noun: str, who: str) -> Judgement:
    tried = [each for each in cases if not each["skipped"]]
    wrong = [each for each in tried if each["differs"] or each["error"]]
    if not tried:
        reason = next((each["skipped"] for each in cases), "nothing could be generated")
        return Judgement(
            "unproven",
            "executed",
            f"no {noun} was tried",
            f"no {noun} could be tried: {reason}",
            "let the factory return a model whose configuration names its image tokens and patches",
        )
    if not wrong:
        left = len(cases) - len(tried)
        seen = f"{counted(tried, noun)}, no difference" + (f", {left} skipped" if left else "")
        return Judgement("proven", "executed", seen)
    first = wrong[0]
    reason = f"{first['name']}: {first['differs'] or first['error']}"
    seen = f"{len(wrong)} of {counted(tried, noun)} differ"
    return Judgement("contradicted", "executed", seen, f"{reason} ({who})", _ACTION)


def _wrong(cases: Sequence[Mapping[str, Any]]) -> Iterator[Evidence]:
    for each in cases[:SHOWN]:
        if each["skipped"]:
            yield Evidence("skipped", f"{each['name']}: {each['skipped']}")
    found = [each for each in cases if not each["skipped"] and (each["differs"] or each["error"])]
    for each in found[:SHOWN]:
        yield Evidence("differs", f"{each['name']}: {each['differs'] or each['error']}")
