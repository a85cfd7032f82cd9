"""How many tokens the images of a data set become, by the processor itself."""

from __future__ import annotations

import heapq
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import CannotAnswerError
from ..factory import imported
from ..progress import report
from . import data
from . import parts as model_parts

if TYPE_CHECKING:
    from .parts import ModelParts

_PROBLEMS = 50
"""Of images that could not be read; there may be as many as images."""
_TRIES = 12
"""Halvings on the way to the size that fits."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Count the vision tokens of each sample of ``data``.

    ``images`` is where relative paths begin (None: at the file), ``limit`` the tokens that a
    sample may have, ``worst`` how many samples are reported in full. Raises CannotAnswerError.
    """
    parts = model_parts.parts_of(request, weights=False)
    facts: dict[str, Any] = {
        "model": parts.name,
        "notes": [*model_parts.versions(), *parts.notes],
        "missing": "",
    }
    if parts.image_processor is None:
        return {**facts, "missing": "there is no processor of images to ask"}
    try:
        pillow = imported("PIL.Image", "pip install pillow")
    except CannotAnswerError as error:
        return {**facts, "missing": str(error)}
    counter = _Counter(parts, pillow)
    facts |= _counted(counter, request)
    facts["sizes"] = len(counter.known)
    for each in facts["worst"]:
        each["fits"] = _fitting(counter, [it["size"] for it in each["images"]], request["limit"])
    return {**facts, **_patches(parts)}


class _Counter:
    """Asks the processor once for each size: the tokens of an image depend on nothing else."""

    def __init__(self, parts: ModelParts, pillow: Any) -> None:
        self._parts, self._pillow = parts, pillow
        self.known: dict[tuple[int, int], int] = {}

    def of_image(self, image: str) -> tuple[tuple[int, int], int]:
        """Return size and tokens of an image. Raises whatever reading and processing it does."""
        with data.opened(image, self._pillow) as picture:
            size = picture.size
            if size not in self.known:
                self.known[size] = self._asked(picture.convert("RGB"))
        return size, self.known[size]

    def of_size(self, width: int, height: int) -> int:
        """Return the tokens that an image of this size would have."""
        if (width, height) not in self.known:
            blank = self._pillow.new("RGB", (width, height))
            self.known[width, height] = self._asked(blank)
        return self.known[width, height]

    def _asked(self, picture: Any) -> int:
        processor, images = self._parts.processor, self._parts.image_processor
        token = getattr(processor, "image_token", None)
        number = getattr(processor, "image_token_id", None)
        if callable(processor) and isinstance(token, str) and number is not None:
            ids = processor(text=[token], images=[picture])["input_ids"][0]
            return sum(1 for each in ids if int(each) == number)
        processed = images(images=[picture])
        grid = processed.get("image_grid_thw")
        merge = getattr(images, "merge_size", None)
        if grid is not None and merge:
            frames, height, width = (int(each) for each in grid[0])
            return int(frames * height * width // merge**2)
        message = "the processor tells neither image tokens nor a grid (image_grid_thw)"
        raise CannotAnswerError(message)


def _counted(counter: _Counter, request: dict[str, Any]) -> dict[str, Any]:
    by_sample: Counter[int] = Counter()
    by_image: Counter[int] = Counter()
    worst: list[tuple[int, int, dict[str, Any]]] = []
    problems: list[str] = []
    samples = broken = videos = most = 0
    for samples, sample in enumerate(data.samples(request["data"], request["images"]), 1):
        videos += sample.videos
        most = max(most, len(sample.images))
        found, wrong = _images(counter, sample)
        broken += len(wrong)
        problems += wrong[: _PROBLEMS - len(problems)]
        tokens = sum(each["tokens"] for each in found)
        by_image.update(each["tokens"] for each in found)
        # A part of a sample says nothing, unless it is too much already.
        if sample.images and (not wrong or tokens > request["limit"]):
            by_sample[tokens] += 1
        if tokens:
            entry = {"name": sample.name, "tokens": tokens, "images": found}
            heapq.heappush(worst, (tokens, -samples, entry))
            if len(worst) > request["worst"]:
                heapq.heappop(worst)
        report(f"{samples:,} samples, {sum(by_image.values()):,} images")
    return {
        "samples": samples,
        "videos": videos,
        "most_images": most,
        "broken": broken,
        "problems": problems,
        "by_sample": sorted(by_sample.items()),
        "by_image": sorted(by_image.items()),
        "worst": [each for _, _, each in sorted(worst, key=lambda it: (-it[0], -it[1]))],
    }


def _images(counter: _Counter, sample: data.Sample) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the images of a sample with their tokens, and those that have none with the reason."""
    found, wrong = [], [f"{sample.name}: {sample.problem}"] if sample.problem else []
    for image in sample.images:
        try:
            size, tokens = counter.of_image(image)
        except CannotAnswerError:
            raise
        except Exception as error:  # noqa: BLE001 - damaged images, and processors that refuse one
            first = (str(error).splitlines() or [type(error).__name__])[0]
            wrong.append(f"{sample.name}: {data.image_name(image)}: {first[:200]}")
        else:
            found.append({"path": data.image_name(image), "size": list(size), "tokens": tokens})
    return found, wrong


def _fitting(counter: _Counter, sizes: list[list[int]], limit: int) -> dict[str, Any] | None:
    """Return the largest sizes, all scaled alike, with which a sample has at most ``limit`` tokens.

    None where even the smallest do not fit.
    """

    def scaled(scale: float) -> list[list[int]]:
        return [
            [max(1, int(width * scale)), max(1, int(height * scale))] for width, height in sizes
        ]

    def tokens(scale: float) -> int:
        return sum(counter.of_size(*each) for each in scaled(scale))

    best, low, high = None, 0.0, 1.0
    with suppress(Exception):  # a processor that refuses small images
        for _ in range(_TRIES):
            middle = (low + high) / 2
            count = tokens(middle)
            if count <= limit:
                best, low = {"sizes": scaled(middle), "tokens": count}, middle
            else:
                high = middle
    return best


def _patches(parts: ModelParts) -> dict[str, Any]:
    """Return how processor and model cut an image into patches; None where they do not say."""
    vision = getattr(getattr(parts.model, "config", None), "vision_config", None)
    images = parts.image_processor
    return {
        "processor": {
            "merge": _number(images, "merge_size"),
            "patch": _number(images, "patch_size"),
        },
        "vision": {
            "merge": _number(vision, "spatial_merge_size"),
            "patch": _number(vision, "patch_size"),
        },
    }


def _number(holder: Any, name: str) -> int | None:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) else None
