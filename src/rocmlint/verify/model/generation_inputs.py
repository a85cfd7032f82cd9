"""Judging the steps of generate: vision enters once, in the pre-fill, and fits its grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.verify.model.subject import about, not_seen
from rocmlint.verify.result import Evidence, Judgement, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.verify.model.subject import Asking

CHECK = "model generation-inputs"
STEPS = 4
ONCE = "vision inputs enter once, in the pre-fill"
_PIXELS = {"image_grid_thw": "pixel_values", "video_grid_thw": "pixel_values_videos"}


def check(asking: Asking, steps: int) -> list[Result]:
    """Generate some tokens and judge what each step was given. Raises InterpreterError."""
    return list(results_of(asking.ask("generation_inputs", steps=steps)))


def results_of(answer: Mapping[str, Any]) -> Iterator[Result]:
    """Yield a result for the steps, and one for the pixels and their grid."""
    if answer["missing"]:
        action = "return (model, inputs) from the factory, with inputs as the processor makes them"
        yield not_seen(CHECK, ONCE, answer, action)
        return
    evidence = (*_steps(answer), *_error(answer), *about(answer))
    yield _once(answer).on(CHECK, ONCE, answer["model"], evidence)
    for grid in answer["takes_grid"]:
        pixels = _PIXELS[grid]
        if _is_vision_call(answer["given"], pixels, grid):
            claim = f"{pixels} and {grid} agree"
            yield _agree(answer, grid).on(CHECK, claim, answer["model"], evidence)


def _is_vision_call(call: Mapping[str, Any], pixels: str, grid: str) -> bool:
    return pixels in call["vision"] or grid in call["patches"]


def _once(answer: Mapping[str, Any]) -> Judgement:
    calls, error = answer["calls"], answer["error"]
    if not calls:
        return _failed(answer, "generate() failed before the first step")
    first, *later = calls
    again = [number for number, each in enumerate(later, 2) if each["vision"]]
    cached = [
        number for number in again if (calls[number - 1]["length"] or 0) < (first["length"] or 0)
    ]
    prepares = f" ({answer['prepares']})" if answer["prepares"] else ""
    if cached:
        names = ", ".join(calls[cached[0] - 1]["vision"])
        reason = f"step {cached[0]} is given {names} again, for a single new token"
        if error:
            reason += f"; it then fails with {error['text']}"
        return Judgement(
            "contradicted",
            "executed",
            f"vision inputs in steps 1 and {', '.join(map(str, cached))}"
            if first["vision"]
            else f"vision inputs in step {', '.join(map(str, cached))}",
            reason,
            f"have prepare_inputs_for_generation{prepares} return what super() returns, or set "
            f"{names} to None after the first step",
        )
    if not first["vision"]:
        return Judgement(
            "contradicted",
            "executed",
            "no vision inputs in the pre-fill",
            f"generate() was given {', '.join(answer['given']['vision'])}, and the first step gets "
            "none of it: the model does not see the image",
            f"return them from prepare_inputs_for_generation{prepares} in the first step",
        )
    if again:
        return Judgement(
            "unproven",
            "executed",
            "every step is a pre-fill",
            "the model does not use its cache, so every step is given the whole text and the image",
            "enable use_cache in the configuration of the model",
        )
    if error:
        return _failed(answer, f"generate() failed in step {len(calls)}")
    if not later:
        reason = "generate() ended after the pre-fill, so no later step was seen"
        return Judgement("unproven", "executed", "one step", reason, "return other inputs")
    return Judgement("proven", "executed", f"in step 1 of {len(calls)}")


def _failed(answer: Mapping[str, Any], what: str) -> Judgement:
    error = answer["error"] or {"text": "no step was seen", "place": ""}
    return Judgement(
        "unproven",
        "executed",
        what,
        f"{what}: {error['text']}",
        "let the factory return inputs with which the model generates",
    )


def _agree(answer: Mapping[str, Any], grid: str) -> Judgement:
    """Judge whether pixels and grid come together and have the same number of patches."""
    pixels = _PIXELS[grid]
    # What generate() is called with is looked at first, as the cause of all that follows. Later
    # steps are another claim.
    for name, call in (("generate() is", answer["given"]), *_pre_fill(answer)):
        shapes, patches = call["vision"].get(pixels), call["patches"].get(grid)
        if shapes is None and (patches is None or name != "generate() is"):
            continue  # newer versions encode the pixels before the first step
        if shapes is None or patches is None:
            have, lack = (pixels, grid) if patches is None else (grid, pixels)
            return _apart(f"{name} given {have} without {lack}", f"pass {lack} too")
        rows = sum(shape[0] for shape in shapes) if len(shapes[0]) == 2 else None
        if rows is not None and rows != patches:
            seen = f"{rows:,} rows of {pixels}, {patches:,} patches of {grid}"
            return _apart(f"{name} given {seen}", "pass both from one call of the processor")
        tokens, merge = call["tokens"].get(grid), answer["merge"]
        if merge and tokens is not None and tokens * merge**2 != patches:
            seen = f"{tokens:,} tokens for {patches // merge**2:,} merged patches"
            return _apart(f"{name} given {seen}", "tokenize the text with the same processor")
    return Judgement("proven", "executed", f"{answer['given']['patches'][grid]:,} patches in both")


def _pre_fill(answer: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("step 1 is", each) for each in answer["calls"][:1]]


def _apart(seen: str, action: str) -> Judgement:
    reason = f"{seen}: the model mixes up the images or fails"
    return Judgement("contradicted", "executed", seen.partition(" given ")[2], reason, action)


def _steps(answer: Mapping[str, Any]) -> Iterator[Evidence]:
    if answer["encoded_before"]:
        yield Evidence("before step 1", f"runs of the vision encoder: {answer['encoded_before']}")
    for number, call in enumerate(answer["calls"], 1):
        vision = ", ".join(
            f"{name} {'x'.join(map(str, shapes[0]))}" for name, shapes in call["vision"].items()
        )
        encoder = f", runs of the vision encoder: {call['encoder']}" if call["encoder"] else ""
        text = f"{call['length']} tokens, {vision or 'no vision inputs'}{encoder}"
        yield Evidence(f"step {number}", text)


def _error(answer: Mapping[str, Any]) -> Iterator[Evidence]:
    if answer["error"]:
        yield Evidence("error", answer["error"]["text"])
        yield Evidence("raised at", answer["error"]["place"])
