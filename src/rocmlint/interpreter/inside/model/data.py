"""The images of a data set: of JSON, of JSON lines, or of a folder."""

from __future__ import annotations

import base64
import io
import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import CannotAnswerError

if TYPE_CHECKING:
    from collections.abc import Iterator

IMAGES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff")
VIDEOS = (".mp4", ".mkv", ".avi", ".mov", ".webm")
_LINES = (".jsonl", ".ndjson")
_KEYS = frozenset({"image", "images", "image_path", "image_paths", "img", "img_path", "file_name"})
_LONGEST_PATH = 4096
_LONGEST_LINE = 64_000_000
_PLACEHOLDERS = ("<", "{")
"""How the text for an image begins that a template puts in."""


@dataclass
class Sample:
    """The inputs of a model that belong together."""

    name: str
    images: list[str] = field(default_factory=list)
    """Paths, or ``data:`` texts."""
    videos: int = 0
    problem: str = ""
    """Why it could not be read."""


def samples(path: str, root: str | None) -> Iterator[Sample]:
    """Yield the samples of a file or a folder; relative paths of images begin at ``root``.

    Raises CannotAnswerError for a file that is not JSON.
    """
    if os.path.isdir(path):
        yield from _of_folder(path, root)
    elif path.lower().endswith(_LINES):
        yield from _of_lines(path, root or os.path.dirname(os.path.abspath(path)))
    else:
        yield from _of_json(path, root or os.path.dirname(os.path.abspath(path)))


def _of_folder(path: str, root: str | None) -> Iterator[Sample]:
    """Yield each image of a folder; where there is none, the samples of its files."""
    found = False
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(IMAGES):
                found = True
                full = os.path.join(folder, name)
                yield Sample(os.path.relpath(full, path), [full])
    for name in sorted(os.listdir(path)) if not found else ():
        full = os.path.join(path, name)
        if name.lower().endswith((*_LINES, ".json")) and os.path.isfile(full):
            yield from samples(full, root)


def _of_lines(path: str, root: str) -> Iterator[Sample]:
    name = os.path.basename(path)
    with open(path, "rb") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            if line.strip():
                yield _parsed(line, f"{name}:{number}", root)


def _parsed(line: bytes, name: str, root: str) -> Sample:
    try:
        return _sample(json.loads(line), name, root)
    except (ValueError, RecursionError) as error:
        return Sample(name, problem=f"not JSON: {error}")


def _of_json(path: str, root: str) -> Iterator[Sample]:
    try:
        with open(path, "rb") as file:
            values = json.load(file)
    except (ValueError, RecursionError) as error:
        message = f"{path}: not JSON: {error}"
        raise CannotAnswerError(message) from error
    if isinstance(values, dict):
        lists = [each for each in values.values() if _is_table(each)]
        values = lists[0] if len(lists) == 1 and not _KEYS & set(values) else [values]
    if not isinstance(values, list):
        message = f"{path}: holds {type(values).__name__} instead of a list of samples"
        raise CannotAnswerError(message)
    for number, each in enumerate(values):
        yield _sample(each, f"{os.path.basename(path)}[{number}]", root)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _sample(value: Any, name: str, root: str) -> Sample:
    """Collect the images of a sample: of its own keys, else of the messages in it."""
    own = {key: each for key, each in value.items() if key in _KEYS} if _is_dict(value) else {}
    sample = Sample(name)
    for key, text in _texts({each: it for each, it in own.items() if it} or value):
        if text.lower().endswith(VIDEOS):
            sample.videos += 1
        elif _is_image(key, text):
            sample.images.append(_resolved(text, root))
    return sample


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield each text in nested lists and dictionaries, with the key that it is under."""
    stack = [("", value)]
    while stack:
        key, each = stack.pop()
        if isinstance(each, str):
            yield key, each
        elif isinstance(each, dict):
            stack += [(str(name), inner) for name, inner in reversed(each.items())]
        elif isinstance(each, list):
            stack += [(key, inner) for inner in reversed(each)]


def _is_image(key: str, text: str) -> bool:
    if text.startswith("data:image/"):
        return True
    if len(text) > _LONGEST_PATH or "\n" in text or text.startswith(_PLACEHOLDERS):
        return False
    return text.lower().endswith(IMAGES) or (key in _KEYS and bool(text))


def _resolved(text: str, root: str) -> str:
    if "://" in text or text.startswith("data:"):
        return text.removeprefix("file://")
    return os.path.join(root, text)


def opened(image: str, pillow: Any) -> Any:
    """Open an image, without its pixels. Raises OSError and ValueError, and what Pillow does."""
    if image.startswith("data:"):
        _, _, encoded = image.partition(",")
        return pillow.open(io.BytesIO(base64.b64decode(encoded, validate=False)))
    if "://" in image:
        message = "it is on the network, and is not fetched"
        raise ValueError(message)
    if not stat.S_ISREG(os.stat(image).st_mode):
        message = "not a regular file"
        raise ValueError(message)
    return pillow.open(image)


def image_name(image: str) -> str:
    """Return how an image is named in a report."""
    if image.startswith("data:"):
        return f"{image[:30]}... ({len(image):,} characters)"
    with suppress(ValueError):
        return min(image, os.path.relpath(image), key=len)
    return image
