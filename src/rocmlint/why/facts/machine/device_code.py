"""For which GPUs compiled files hold code, read from their bytes without running anything."""

from __future__ import annotations

import mmap
import os
import re
from typing import TYPE_CHECKING

from rocmlint.gpus.target import GENERIC_OF, SPIRV
from rocmlint.why.facts.metadata import record_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.facts.context import Context
    from rocmlint.why.log.log_data import LogFrame

_TRIPLE = b"amdgcn-amd-amdhsa--gfx"
_TARGET = re.compile(rb"amdgcn-amd-amdhsa--(gfx(?:[0-9a-f-]+-generic|[0-9a-f]{3,4}))(?![0-9a-f])")
_SPIRV = b"amdgcnspirv"
_COMPRESSED = re.compile(rb"CCOB[\x01-\x04]\x00[\x00\x01]\x00")
"""The header of a compressed bundle: its version, and its method."""
_SUFFIXES = (".so", ".pyd", ".co", ".hsaco")
_LARGEST = 1 << 30
_MOST_FILES = 60
_MOST_BYTES = 1 << 29
"""Of one package; more takes longer to read than an answer may."""
_MOST_TARGETS = 100_000
"""Finds in one file; a kernel library names its target once for each kernel."""


def targets_in(path: str) -> tuple[str, ...] | None:
    """Return the processors that a file holds code for; None if it is compressed or unreadable."""
    try:
        if not 0 < os.path.getsize(path) <= _LARGEST:
            return None
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            if _COMPRESSED.search(content):
                return None
            return tuple(sorted(_targets(content)))
    except (OSError, ValueError):
        return None


def _targets(content: mmap.mmap) -> set[str]:
    found = {SPIRV} if content.find(_SPIRV) >= 0 else set()
    at = content.find(_TRIPLE)
    for _ in range(_MOST_TARGETS):
        if at < 0:
            break
        match = _TARGET.match(content, at)
        if match is not None:
            found.add(match[1].decode())
        at = content.find(_TRIPLE, at + 1)
    return found


def covers(targets: tuple[str, ...], gpu: str) -> bool:
    """Return whether code for one of these processors runs on a GPU: its own, or its family's."""
    return bool({gpu, GENERIC_OF.get(gpu, gpu), SPIRV} & set(targets))


def compiled_files(context: Context, distribution: str, frames: tuple[LogFrame, ...]) -> list[str]:
    """Return the compiled files of a package: those it installed, and those next to its frames.

    The latter are built when they are first used, as aiter's are. Empty where they are too large.
    """
    found = dict.fromkeys(
        (*_recorded(context, distribution), *_built(context, distribution, frames))
    )
    kept, size = [], 0
    for path in [*found][:_MOST_FILES]:
        size += os.path.getsize(path) if os.path.isfile(path) else 0
        if size > _MOST_BYTES:
            return []
        kept.append(path)
    return kept


def _recorded(context: Context, distribution: str) -> Iterator[str]:
    installed = context.packages.get(distribution)
    if installed is None:
        return
    for line in record_lines(installed):
        path = line.partition(",")[0]
        if path.endswith((".so", ".pyd")):
            yield os.path.normpath(os.path.join(installed.site, path))


def _built(context: Context, distribution: str, frames: tuple[LogFrame, ...]) -> Iterator[str]:
    for frame in frames:
        if context.owner(frame).name == distribution:
            folder = os.path.dirname(frame.file)
            for name in _names(folder):
                if name.endswith((".so", ".pyd")):
                    yield os.path.join(folder, name)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def named_files(text: str) -> list[str]:
    """Return the compiled files that a text names and that are here."""
    words = re.findall(r"[^\s'\"(),:;]{1,400}", text)
    return [*dict.fromkeys(each for each in words if _is_compiled(each))]


def _is_compiled(path: str) -> bool:
    return path.endswith(_SUFFIXES) and os.path.isabs(path) and os.path.isfile(path)
