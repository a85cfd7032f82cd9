"""Judging how many vision tokens the samples of a data set have."""

from __future__ import annotations

import os
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from rocmlint.errors import ConfigError
from rocmlint.text.words import counted
from rocmlint.verify.model.pictures import histogram
from rocmlint.verify.model.subject import about, not_seen
from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.verify.model.subject import Asking

CHECK = "model vision-tokens"
WORST = 5
_LARGEST = 2_000_000_000
"""Bytes of a JSON file, which is read whole."""
_SHOWN = 3
_result = partial(Result, CHECK)


def check(
    asking: Asking, data: str, limit: int, images: str | None = None, plot: str | None = None
) -> list[Result]:
    """Count the vision tokens of a data set. Raises ConfigError and InterpreterError."""
    _refuse_unreadable(data)
    request = {"data": os.path.abspath(data), "limit": limit, "worst": WORST, "images": images}
    answer = asking.ask("vision_tokens", **request)
    if plot and not answer["missing"]:
        histogram(plot, [tuple(each) for each in answer["by_sample"]], limit)
    return list(results_of(answer, limit))


def _refuse_unreadable(data: str) -> None:
    if os.path.isdir(data):
        return
    if not os.path.isfile(data):
        why = "not a regular file" if os.path.exists(data) else "no such file or directory"
        message = f"{data}: {why}"
        raise ConfigError(message)
    if data.lower().endswith(".json") and os.path.getsize(data) > _LARGEST:
        message = f"{data}: larger than {_LARGEST / 1e9:g} GB; write it as JSON lines (.jsonl)"
        raise ConfigError(message)


def results_of(answer: Mapping[str, Any], limit: int) -> Iterator[Result]:
    """Yield a result for the samples, and one for the patches of processor and model."""
    claim = f"no sample has more than {limit:,} vision tokens"
    if answer["missing"]:
        action = "return (model, processor) from the factory, or add preprocessor_config.json"
        yield not_seen(CHECK, claim, answer, action)
        return
    yield _samples(answer, limit, claim)
    patches = _patches(answer)
    if patches is not None:
        yield patches


def _samples(answer: Mapping[str, Any], limit: int, claim: str) -> Result:
    by_sample = answer["by_sample"]
    over = sum(many for tokens, many in by_sample if tokens > limit)
    seen = _seen(answer, over, limit)
    evidence = (*_worst(answer, limit), *_spread(answer), *_problems(answer), *about(answer))
    if over:
        return _result(
            claim,
            answer["model"],
            "contradicted",
            "executed",
            seen,
            evidence,
            f"{counted(over, 'sample')} of {sum(many for _, many in by_sample):,} "
            f"{'has' if over == 1 else 'have'} more than {limit:,}; the longest sample of a "
            "batch decides how much memory it takes",
            _action(answer, limit),
        )
    unread = _unread(answer)
    if unread:
        return _result(
            claim,
            answer["model"],
            "unproven",
            "executed",
            seen,
            evidence,
            unread,
            "correct the data, or name where its images are with --images DIRECTORY",
        )
    return _result(claim, answer["model"], "proven", "executed", seen, evidence)


def _seen(answer: Mapping[str, Any], over: int, limit: int) -> str:
    images = sum(many for _, many in answer["by_image"])
    seen = f"{counted(answer['samples'], 'sample')}, {counted(images, 'image')}"
    if answer["by_sample"]:
        seen += f", at most {answer['by_sample'][-1][0]:,} tokens, {over:,} over {limit:,}"
    return seen


def _unread(answer: Mapping[str, Any]) -> str:
    """Return what was not counted; empty where all was."""
    parts = []
    if not answer["by_image"]:
        parts.append("no image was found in the data")
    if empty := sum(many for tokens, many in answer["by_image"] if not tokens):
        parts.append(f"the processor made no token of {counted(empty, 'image')}")
    if answer["broken"]:
        parts.append(f"{counted(answer['broken'], 'image')} or lines could not be read")
    if answer["videos"]:
        parts.append(f"{counted(answer['videos'], 'video')} were not counted")
    return "; ".join(parts)


def _worst(answer: Mapping[str, Any], limit: int) -> Iterator[Evidence]:
    """Name the samples with the most tokens, and the size at which each would fit."""
    for each in answer["worst"]:
        images = ", ".join(
            f"{it['path']} {it['size'][0]}x{it['size'][1]}" for it in each["images"][:_SHOWN]
        )
        more = len(each["images"]) - _SHOWN
        text = f"{each['name']}: {each['tokens']:,} tokens: {images}"
        text += f" and {more:,} more" if more > 0 else ""
        if each["tokens"] > limit:
            fits = each["fits"]
            if fits:
                sizes = ", ".join(f"{width}x{height}" for width, height in fits["sizes"][:_SHOWN])
                text += f"; fits at {sizes} ({fits['tokens']:,} tokens)"
            else:
                text += "; no smaller size fits, as the processor enlarges small images"
        yield Evidence("most tokens", text)


def _spread(answer: Mapping[str, Any]) -> Iterator[Evidence]:
    """Report how the tokens are spread over samples and over images."""
    for name, key in (("tokens per sample", "by_sample"), ("tokens per image", "by_image")):
        counts = answer[key]
        if counts:
            parts = (
                f"{word} {_quantile(counts, part):,}"
                for word, part in (("median", 0.5), ("95 %", 0.95), ("largest", 1.0))
            )
            yield Evidence(name, f"smallest {counts[0][0]:,}, {', '.join(parts)}")
    yield Evidence("processed", f"one image of each size: {answer['sizes']:,} sizes")


def _quantile(counts: list[tuple[int, int]], part: float) -> int:
    total = sum(many for _, many in counts)
    passed = accumulate(many for _, many in counts)
    return next(
        value for (value, _), sofar in zip(counts, passed, strict=True) if sofar >= part * total
    )


def _problems(answer: Mapping[str, Any]) -> Iterator[Evidence]:
    for each in answer["problems"][:WORST]:
        yield Evidence("not read", each)
    if answer["broken"] > WORST:
        yield Evidence("not read", f"and {answer['broken'] - WORST:,} more")


def _action(answer: Mapping[str, Any], limit: int) -> str:
    sizes = answer["processor"]
    advice = "filter these samples, or resize their images to the sizes that fit"
    if sizes["patch"] and sizes["merge"]:
        side = sizes["patch"] * sizes["merge"]
        pixels = limit // max(1, answer["most_images"]) * side**2
        advice += (
            f"; the processor does it with max_pixels={pixels} (a token is {side}x{side} pixels)"
        )
    return advice


def _patches(answer: Mapping[str, Any]) -> Result | None:
    """Judge whether processor and model cut images alike; None where one does not say."""
    processor, vision = answer["processor"], answer["vision"]
    both = [name for name in ("merge", "patch") if None not in {processor[name], vision[name]}]
    if not both:
        return None
    claim = "processor and model use the same patches"
    differ = [name for name in both if processor[name] != vision[name]]
    seen = ", ".join(f"{name} size {processor[name]} and {vision[name]}" for name in both)
    if not differ:
        return _result(claim, answer["model"], "proven", "live", seen, about(answer))
    words = {"merge": "merge_size and spatial_merge_size", "patch": "patch_size"}
    return _result(
        claim,
        answer["model"],
        "contradicted",
        "live",
        seen,
        about(answer),
        f"{' and '.join(words[name] for name in differ)} of the processor and the model differ, so "
        "the number of image tokens is not the number of image features",
        "load the processor from the checkpoint of the model",
    )
