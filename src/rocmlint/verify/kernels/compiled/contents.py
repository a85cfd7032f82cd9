"""Contents of a cache: each kernel with the GPU that it is kept for and the code that it has."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.gpus.target import DEVICES
from rocmlint.verify.code_objects import device_elf
from rocmlint.verify.code_objects.file_errors import UnreadableError
from rocmlint.verify.code_objects.file_report import FileReport, read_file, refused
from rocmlint.verify.code_objects.find import find_files
from rocmlint.verify.kernels.compiled.places import is_key
from rocmlint.verify.trace.stores import images

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.target import Target
    from rocmlint.verify.kernels.compiled.places import KernelCache

_LARGEST_METADATA = 1_000_000
MOST_KERNELS = 200
"""Of a database of MIOpen, that are looked into."""


@dataclass(frozen=True)
class Kernel:
    """A kernel that is kept in a file."""

    path: str
    kept_for: str
    """The processor that it is looked up for; "" where that is not written down."""
    report: FileReport
    compiler: str = ""
    """The version of what compiled it, where that is written down."""


def kernels_in(cache: KernelCache) -> Iterator[Kernel]:
    """Yield what a cache of Triton, Inductor or aiter keeps."""
    is_kernel = partial(_is_module, cache) if cache.kind == "aiter" else _is_keyed
    for each in find_files(_folders(cache), is_kernel):
        if each.error:
            yield Kernel(each.path, "", refused(each.path, each.error))
            continue
        known = ("", "") if cache.kind == "aiter" else _metadata(each.path)
        yield Kernel(each.path, known[0], read_file(each.path), known[1])


def _folders(cache: KernelCache) -> list[str]:
    """Return where to look; a folder that is not there yet is made when it is first used."""
    return [cache.folder] if os.path.isdir(cache.folder) else []


def _is_module(cache: KernelCache, path: str) -> bool:
    """Return whether a file is a module of aiter; in folders below is what it is linked from."""
    return path.endswith(".so") and os.path.dirname(path) == os.path.normpath(cache.folder)


def _is_keyed(path: str) -> bool:
    return path.endswith(".hsaco") and is_key(os.path.basename(os.path.dirname(path)))


def _metadata(kernel: str) -> tuple[str, str]:
    """Return the processor and the version of Triton in the metadata of a kernel."""
    try:
        metadata = json.loads(read_small(f"{os.path.splitext(kernel)[0]}.json", _LARGEST_METADATA))
    except (OSError, ValueError, RecursionError):
        return "", ""
    if not isinstance(metadata, dict):
        return "", ""
    target, version = metadata.get("target"), metadata.get("triton_version")
    processor = target.get("arch") if isinstance(target, dict) else None
    return (
        processor.partition(":")[0] if isinstance(processor, str) else "",
        version if isinstance(version, str) else "",
    )


@dataclass(frozen=True)
class Database:
    """A database of kernels that MIOpen keeps for one kind of GPU."""

    path: str
    processor: str
    """Which its name begins with, as in ``gfx942130.ukdb``: then the number of compute units."""
    targets: tuple[Target, ...] = ()
    """Of its first kernels."""
    error: str = ""


def databases_in(cache: KernelCache) -> Iterator[Database]:
    """Yield the databases of a cache of MIOpen."""
    for each in find_files(_folders(cache), lambda path: path.endswith(".ukdb")):
        name = os.path.basename(each.path)
        processor = max((it for it in DEVICES if name.startswith(it)), key=len, default="")
        try:
            targets = tuple(_targets(each.path))
        except (UnreadableError, OSError) as error:
            why = getattr(error, "strerror", None) or str(error)
            yield Database(each.path, processor, error=why)
        else:
            yield Database(each.path, processor, targets)


def _targets(path: str) -> Iterator[Target]:
    """Yield what the first kernels of a database are for. Raises UnreadableError, OSError."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would block
        message = "is not a regular file"
        raise UnreadableError(message)
    for image in islice(images(path), MOST_KERNELS):
        if device_elf.is_device_code(image):
            yield device_elf.read_head(image[: device_elf.SIZE]).target
