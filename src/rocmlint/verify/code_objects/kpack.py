"""Device code that was moved out of a library into archives (``.kpack``), one for each GPU."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import combinations
from struct import Struct
from typing import TYPE_CHECKING, Any

from rocmlint.gpus.target import GENERIC_OF, Target, parse_target
from rocmlint.verify.code_objects import device_elf
from rocmlint.verify.code_objects.bundle import CodeObject
from rocmlint.verify.code_objects.compression import check_image, decoder
from rocmlint.verify.code_objects.file_errors import UnreadableError, extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MAGIC = b"KPAK"
REFERENCE_SECTION = ".rocm_kpack_ref"
WRAPPER_SECTION = ".hipFatBinSegment"
_HEAD = Struct("<4sIQ")
_VERSION = 1
_WRAPPER = Struct("<4sIQII")
"""Magic, version, pointer, index of the code object, unused."""
_MOVED_OUT = b"HIPK"
_GPU = "@GFXARCH@"
_COUNT = Struct("<I")
_LARGEST_TABLE = 1 << 28
"""Bytes; a hundred thousand code objects take 10 MB."""


@dataclass(frozen=True)
class KpackReference:
    """Where a library says that its device code is."""

    name: str
    """The name of the library in the archives."""
    paths: tuple[str, ...]
    """Archives, relative to the library; ``@GFXARCH@`` stands for the target."""
    count: int
    """How many code objects for each GPU it expects."""

    def names(self) -> tuple[str, ...]:
        """Return what the code objects are called in an archive."""
        return tuple(f"{self.name}#{index}" for index in range(self.count))


def read_reference(data: memoryview, wrappers: memoryview) -> KpackReference:
    """Read the marker of a library and count its wrappers. Raises UnreadableError."""
    fields = _unpack(data, "the reference to kpack archives")
    name, paths = fields.get("kernel_name"), fields.get("kpack_search_paths")
    if not isinstance(name, str) or not isinstance(paths, list) or not paths:
        message = "the reference to kpack archives has no name or no paths"
        raise UnreadableError(message)
    whole = wrappers[: len(wrappers) // _WRAPPER.size * _WRAPPER.size]
    count = sum(magic == _MOVED_OUT for magic, *_ in _WRAPPER.iter_unpack(whole))
    return KpackReference(name, tuple(each for each in paths if isinstance(each, str)), count)


def candidates(device: Target) -> list[Target]:
    """Return the targets that the loader tries: the most settings first, then the family's.

    Source: ``shared/kpack/runtime/src/loader.cpp`` and ``isa_target_match.h``, same commit.
    """
    processors = [device.processor, *filter(None, [GENERIC_OF.get(device.processor)])]
    return [
        Target(processor, features)
        for processor in processors
        for count in range(len(device.features), -1, -1)
        for features in combinations(device.features, count)
    ]


def archive_paths(
    reference: KpackReference, library: str, device: Target, environment: Mapping[str, str]
) -> list[str]:
    """Return the archives that the loader looks for, in its order, whether or not they exist."""
    override = _split(environment.get("ROCM_KPACK_PATH", ""))
    if override:
        return override
    folder = os.path.dirname(os.path.realpath(library))
    paths = _split(environment.get("ROCM_KPACK_PATH_PREFIX", ""))
    for path in reference.paths:
        targets = candidates(device) if _GPU in path else [device]
        for target in targets:
            named = path.replace(_GPU, str(target))
            paths.append(os.path.normpath(os.path.join(folder, named)))
    return paths


def is_disabled(environment: Mapping[str, str]) -> bool:
    """Return whether loading from archives is switched off (``ROCM_KPACK_DISABLE``)."""
    return environment.get("ROCM_KPACK_DISABLE", "")[:1] not in {"", "0"}


def _split(paths: str) -> list[str]:
    return [each for each in paths.split(os.pathsep) if each]


@dataclass(frozen=True)
class Archive:
    """An archive and its table of contents."""

    data: memoryview
    places: Mapping[tuple[str, str], tuple[int, int, int]]
    """By name of the code object and target: offset, bytes stored, bytes decoded."""
    is_compressed: bool

    def code_objects(self, wanted: Callable[[Target], bool]) -> Iterator[CodeObject]:
        """Yield what is inside; ``bundle`` counts the names. Raises UnreadableError."""
        names = sorted({name for name, _ in self.places})
        number_of = {name: number for number, name in enumerate(names)}
        for name, target in self.places:
            found = self.code_object(name, target)
            image = found.image if wanted(found.target) else b""
            yield replace(found, bundle=number_of[name], image=image)

    def code_object(self, name: str, target: str) -> CodeObject:
        """Read one code object. Raises KeyError, UnreadableError."""
        image = self._image(*self.places[name, target])
        head = device_elf.read_head(image)
        if head.size > len(image):
            message = f"the code of {name} for {target} is cut off"
            raise UnreadableError(message)
        return CodeObject(
            _target_of(target), "kpack", head.version, len(image), 0, head.generic_version, image
        )

    def _image(self, offset: int, stored: int, size: int) -> memoryview | bytes:
        body = self.data[offset : offset + stored]
        if len(body) != stored:
            message = f"cut off: {stored:,} bytes of code expected at {offset:,}"
            raise UnreadableError(message)
        if self.is_compressed:
            check_image(size)
        image = _decoded(body, size) if self.is_compressed else body
        if len(image) != size:
            message = f"the code at {offset:,} has {len(image):,} bytes instead of {size:,}"
            raise UnreadableError(message)
        return image


def _decoded(body: memoryview, size: int) -> bytes:
    """Decode, and stop at the first byte too many."""
    image = bytearray()
    with decoder("zstd", body) as read:
        while len(image) <= size and (chunk := read(size - len(image) + 1)):
            image += chunk
    return bytes(image)


def read_archive(data: memoryview) -> Archive:
    """Read the table of contents. Raises UnreadableError, MissingExtraError."""
    if len(data) < _HEAD.size:
        message = "cut off within the header of a kpack archive"
        raise UnreadableError(message)
    magic, version, table_at = _HEAD.unpack_from(data)
    if magic != MAGIC or version != _VERSION:
        message = f"not a kpack archive of version {_VERSION}"
        raise UnreadableError(message)
    if table_at >= len(data):
        message = f"cut off: the table of contents should be at {table_at:,}"
        raise UnreadableError(message)
    table = _unpack(data[table_at:][:_LARGEST_TABLE], "the table of a kpack archive")
    scheme = table.get("compression_scheme")
    try:
        places = _places(data, table, str(scheme))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"the table of a kpack archive is broken: {type(error).__name__} {error}"
        raise UnreadableError(message) from error
    return Archive(data, places, scheme == _COMPRESSED)


_PLAIN, _COMPRESSED = "none", "zstd-per-kernel"


def _places(
    data: memoryview, table: dict[str, Any], scheme: str
) -> dict[tuple[str, str], tuple[int, int, int]]:
    if scheme == _PLAIN:
        stored = [(int(each["offset"]), int(each["size"])) for each in table["blobs"]]
    elif scheme == _COMPRESSED:
        stored = list(_frames(data, int(table["zstd_offset"])))
    else:
        message = f"a kpack archive with an unknown compression, {scheme}"
        raise UnreadableError(message)
    return {
        (name, target): (*stored[int(entry["ordinal"])], int(entry["original_size"]))
        for name, targets in table["toc"].items()
        for target, entry in targets.items()
        if target in table["gfx_arches"]  # the loader looks for no others
    }


def _frames(data: memoryview, position: int) -> Iterator[tuple[int, int]]:
    """Yield where each compressed code object lies, and how many bytes it has."""

    def number() -> int:
        nonlocal position
        if not 0 <= position <= len(data) - _COUNT.size:
            message = "cut off within the code of a kpack archive"
            raise UnreadableError(message)
        (value,) = _COUNT.unpack_from(data, position)
        position += _COUNT.size
        return int(value)

    for _ in range(number()):
        size = number()
        yield position, size
        position += size


def _target_of(text: str) -> Target:
    try:
        return parse_target(text)
    except ValueError as error:
        message = f"a kpack archive names {error}"
        raise UnreadableError(message) from error


def _unpack(data: memoryview, what: str) -> dict[str, Any]:
    """Read one map of MessagePack; what follows it is padding."""
    msgpack = extra("msgpack")
    unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=len(data))
    unpacker.feed(data)
    try:
        value = unpacker.unpack()
    except Exception as error:
        message = f"{what} is broken: {str(error) or type(error).__name__}"
        raise UnreadableError(message) from error
    if not isinstance(value, dict):
        message = f"{what} is not a map"
        raise UnreadableError(message)
    return value
