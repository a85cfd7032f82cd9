"""Judging whether the memory of a training loop grows, from the bytes after each step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.verify.model import trend
from rocmlint.verify.model.pictures import steps as draw
from rocmlint.verify.model.subject import about, not_seen
from rocmlint.verify.result import Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.verify.model.subject import Asking
    from rocmlint.verify.model.trend import Trend

CHECK = "model memory"
STEPS = 50
FEWEST = 15
"""Steps; fewer seldom separate growth from warm-up."""
CLAIM = "memory does not grow from step to step"
_HARMLESS = 0.001
"""Of what is allocated: a growth that takes 1,000 steps to double it is too small to be called one
where the noise hides it."""
_result = partial(Result, CHECK)


def check(asking: Asking, steps: int, plot: str | None = None) -> list[Result]:
    """Make training steps and judge the memory after each. Raises InterpreterError, ConfigError."""
    warm_up = warm_up_of(steps)
    answer = asking.ask("memory", steps=steps, warm_up=warm_up, many=(steps - warm_up) // 2)
    values = answer.get("bytes", [])
    if plot and len(values) > warm_up + 3:
        draw(plot, values, warm_up, fitted(values, warm_up), _measured(answer))
    return [result_of(answer, warm_up)]


def warm_up_of(steps: int) -> int:
    """Return how many steps are left out: the state of an optimizer and caches come then."""
    return max(3, steps // 10)


def fitted(values: list[int], warm_up: int) -> Trend:
    """Fit a line through the bytes after the warm-up."""
    measured = values[warm_up:]
    return trend.trend_of(measured, _HARMLESS * sum(measured) / len(measured))


def result_of(answer: Mapping[str, Any], warm_up: int) -> Result:
    """Return the result for the memory of a loop."""
    if answer["missing"]:
        return not_seen(CHECK, CLAIM, answer, "use a newer torch, or run it on a GPU")
    values = answer["bytes"]
    if len(values) - warm_up < FEWEST - warm_up_of(FEWEST):
        reason = f"only {len(values)} steps were made"
        reason += f", then {answer['error']}" if answer["error"] else ""
        judgement = Judgement("unproven", "executed", "too few steps", reason, _RUN)
        return judgement.on(CHECK, CLAIM, answer["model"], about(answer))
    if not answer["operations"]:
        reason = "the steps ran no operation of torch, so there was nothing to measure"
        judgement = Judgement("unproven", "executed", "no operation", reason, _RUN)
        return judgement.on(CHECK, CLAIM, answer["model"], about(answer))
    line = fitted(values, warm_up)
    evidence = (*_evidence(answer, line, warm_up), *about(answer))
    return _of_trend(answer, line, len(values) - warm_up).on(
        CHECK, CLAIM, answer["model"], evidence
    )


_RUN = "let the factory return a step that can be repeated, or inputs with which the model trains"


def _measured(answer: Mapping[str, Any]) -> str:
    """Name what the bytes are."""
    devices = answer["devices"]
    return f"allocated on {', '.join(devices)}" if devices else "live tensors on the CPU"


def _of_trend(answer: Mapping[str, Any], line: Trend, many: int) -> Judgement:
    seen = f"{_signed(line.slope)} ± {line.error:,.1f} bytes per step, {many} steps"
    if line.kind == "grows":
        places = answer["lines"]
        where = f"; most of it is made at {_place(places[0])}" if places else ""
        return Judgement(
            "contradicted",
            "executed",
            seen,
            f"a leak: each step leaves {line.slope:,.0f} bytes behind ({_measured(answer)}){where}",
            "do not keep tensors across steps: use loss.item() or .detach() for what is logged, "
            "clear what is collected, and call optimizer.zero_grad(set_to_none=True)",
        )
    if answer["error"]:
        reason = f"the loop failed in {answer['error']}"
        return Judgement("unproven", "executed", seen, reason, _RUN)
    if line.kind == "stays":
        return Judgement("proven", "executed", seen)
    if line.kind == "jumped":
        reason = (
            "memory grew once and did not go on growing evenly, which may be a cache that fills"
        )
        return Judgement("unproven", "executed", seen, reason, "run more steps with --steps")
    reason = f"the steps differ so much that a leak of {line.bound:,.0f} bytes cannot be excluded"
    return Judgement(
        "unproven", "executed", seen, reason, "run more steps, with batches of the same size"
    )


def _signed(value: float) -> str:
    return f"{value:+,.1f}" if round(value, 1) else "0.0"


def _place(line: Mapping[str, Any]) -> str:
    if line["own"] and line["own"] != line["place"]:
        return f"{line['place']}, called from {line['own']}"
    return str(line["place"])


def _evidence(answer: Mapping[str, Any], line: Trend, warm_up: int) -> Iterator[Evidence]:
    values = answer["bytes"]
    yield Evidence("measured", f"{_measured(answer)}, after each step and gc.collect()")
    first, last = values[warm_up], values[-1]
    yield Evidence(
        "bytes", f"{first:,} after step {warm_up + 1}, {last:,} after step {len(values)}"
    )
    if line.kind == "grows":
        for each in answer["lines"]:
            text = f"{_place(each)}: {each['tensors']:,} tensors, {each['bytes']:,} bytes"
            yield Evidence("made at", text)
        for each in answer["holders"]:
            yield Evidence("held by", each)
    resident = answer["resident"]
    if resident and resident[0]:
        text = f"{resident[warm_up] / 1e6:,.0f} MB, then {resident[-1] / 1e6:,.0f} MB"
        yield Evidence("process memory", f"{text} (not judged: it is noisy)")
