"""AMD's package indexes: what the URL of one is for, told from the URL alone."""

from __future__ import annotations

from typing import NamedTuple

from rocmlint.lazy import compile_lazily

_WORDS = ("amd.com/", "radeon.com/")
"""What stands in all URLs of AMD's servers."""
_ALL_GPUS = compile_lazily(
    r"https?://(?:(?:(?P<stream>stable|lts|rc|ltsrc|weekly|nightly|bkc|dev)\.)?repo\.amd\.com/rocm/"
    r"(?:pytorch/)?whl-(?:multi-arch|next)"
    r"|rocm\.(?P<preview>nightlies|prereleases|devreleases)\.amd\.com/whl-(?:staging-)?multi-arch)"
    r"/?\Z"
)
_FAMILY = compile_lazily(
    r"https?://(?:repo\.amd\.com/rocm/whl|rocm\.(?P<preview>nightlies|prereleases|devreleases)"
    r"\.amd\.com/(?:v2(?:-staging)?|whl(?:-staging)?))/(?P<family>[\w.-]+)/?\Z"
)
_INDEX = compile_lazily(
    r"https?://(?:[\w-]+\.)*(?:repo\.amd\.com|rocm\.\w+\.amd\.com|repo\.radeon\.com)/[^\s\"'`<>)]+"
)


class AmdIndex(NamedTuple):
    """One of AMD's indexes of wheels: ``family`` is that of its GPUs, "" for one for all GPUs.

    In one for all GPUs torch has no code for any: that comes with an extra, `torch[device-gfx942]`.
    """

    url: str
    family: str
    is_preview: bool
    """It has builds of a day or candidates, whose versions no table knows."""


def amd_index(url: str) -> AmdIndex | None:
    """Read the URL of an index; None for one that is not AMD's for torch."""
    url = url.strip()
    if not any(each in url for each in _WORDS):
        return None
    match = _ALL_GPUS.match(url)
    if match is not None:
        is_preview = bool(match["preview"]) or match["stream"] not in {None, "stable", "lts"}
        return AmdIndex(url, "", is_preview)
    match = _FAMILY.match(url)
    return None if match is None else AmdIndex(url, match["family"], bool(match["preview"]))


def amd_indexes_in(text: str) -> list[AmdIndex]:
    """Return AMD's indexes that a text names."""
    found = (amd_index(each[0]) for each in _INDEX.finditer(text))
    return [each for each in found if each is not None]
