"""Which GPUs a text, a path or the name of an image is for: what it names of ROCm and of others."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from rocmlint.formats.model import Word

Platform = Literal["rocm", "other", "mixed", ""]
"""ROCm; CUDA, another accelerator or the CPU alone; several of them; or nothing is said."""

_ROCM = compile_lazily(
    r"\brocm/[\w.-]+[:\s\"']|/whl/(?:[\w-]+/)?(?:rocm|gfx)\d[\w.]*|\+rocm\d[\w.]*"
    r"|[=\s\"']rocm\d\.[\d.]*"
    r"|repo\.(?:radeon|amd)\.com|rocm\.[\w-]*(?:nightlies|prereleases|releases)\w*\.amd\.com"
    r"|rocm\.frameworks|wheels\.vllm\.ai/rocm"
)
"""Images, indexes and builds of torch."""
_ROCM_TOOLS = compile_lazily(
    r"PYTORCH_ROCM_ARCH|HSA_OVERRIDE_GFX_VERSION|/opt/rocm|\brocminfo\b|\brocm-smi\b|\bamd-smi\b"
)
_OTHER = compile_lazily(
    r"/whl/(?:[\w-]+/)?(?:cu\d|cpu|xpu)|\+(?:cu\d\d|cpu\b|xpu\b)|\bnvidia/cuda\b|nvcr\.io/"
    r"|-backend[= ]\"?(?:cu\d|cpu|xpu)|TORCH_CUDA_ARCH_LIST|/usr/local/cuda|\bnvidia-smi\b|\bnvcc\b"
    r"|pytorch/pytorch:[\w.-]*cuda|\bonnxruntime-gpu\b|\bcupy-cuda|\bnvidia-\w+-cu\d\d|[=\s\"']cu1\d\d\b"
    r"|pytorch-cuda\b|\bcudatoolkit\b|torch[-_](?:npu|directml|musa)\b"
)
_ROCM_NAME = compile_lazily(r"(?<![a-z])(?:rocm|amd(?:gpu|(?!64))|hip|mi[23]\d\d|gfx\d+)(?![a-z])")
_OTHER_NAME = compile_lazily(
    r"(?<![a-z])(?:cuda|nvidia|nv|cu1\d\d|h[12]00|a100|b200|blackwell|hopper|cpu|xpu|npu|ascend"
    r"|gaudi|hpu|tpu|musa|mps|macos|darwin|windows|win|jetson|intel|ipex|trainium|neuron)(?![a-z])"
)
_OTHER_IMAGES = compile_lazily(r"cuda|nvidia|nvcr\.io|(?<![a-z])cu1[1-9]\d(?!\d)")
_COMMENT_LINE = compile_lazily(r"^[ \t]*#.*$", re.MULTILINE)


@lru_cache(maxsize=8)  # each command of a file asks
def of_text(text: str) -> Platform:
    """Return what a text is for by the images, indexes, builds and programs that it names.

    Lines that are comments do not count.
    """
    text = _COMMENT_LINE.sub("", text)
    rocm = _ROCM.search(text) or _ROCM_TOOLS.search(text)
    return _of(rocm is not None, _OTHER.search(text) is not None)


class Mention(NamedTuple):
    """What a text names, in which line, and all of that line."""

    text: str
    line: int
    whole: str


@lru_cache(maxsize=8)
def first_mention(text: str) -> Mention | None:
    """Return what a text names of ROCm first; None where it names nothing."""
    text = _COMMENT_LINE.sub("", text)
    match = _ROCM.search(text) or _ROCM_TOOLS.search(text)
    if match is None:
        return None
    name = match[0].strip(" \t\n\"'=/:")
    start = text.index(name, match.start())
    line = text.count("\n", 0, start)
    return Mention(name, line + 1, text.split("\n")[line])


def named(text: str) -> str:
    """Return what a text names of ROCm first; empty where it names nothing."""
    found = first_mention(text)
    return "" if found is None else found.text


def of_name(path: str) -> Platform:
    """Return what a path is for by its words: `docker/Dockerfile.rocm`, `requirements_cuda.txt`."""
    path = path.lower()
    return _of(_ROCM_NAME.search(path) is not None, _OTHER_NAME.search(path) is not None)


def of_image(image: Word) -> Platform:
    """Return what an image is for: that of a plain system is for nothing yet."""
    return of_image_name(image.text)


def of_image_name(text: str) -> Platform:
    """Return what an image of this name is for."""
    text = text.lower()
    is_rocm = _ROCM_NAME.search(text) is not None
    return _of(is_rocm, not is_rocm and _OTHER_IMAGES.search(text) is not None)


def _of(rocm: bool, other: bool) -> Platform:
    if rocm and other:
        return "mixed"
    return "rocm" if rocm else "other" if other else ""
