"""Offload bundles: one after the other in a section or a file, plain or compressed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from struct import Struct
from typing import TYPE_CHECKING

from rocmlint.gpus.target import SPIRV, Target, contradict, parse_target
from rocmlint.verify.code_objects import compression, device_elf
from rocmlint.verify.code_objects.cursor import BytesInMemory, Decoding
from rocmlint.verify.code_objects.file_errors import UnreadableError
from rocmlint.verify.code_objects.mapped import WINDOW, give_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.verify.code_objects.cursor import Cursor

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_ALIGNMENT = 4096
_SPIRV_MAGIC = b"\x03\x02\x23\x07"
_HIP = ("hip", "hipv4")
_NOT_HIP = ("host", "openmp", "sycl", "cuda")
"""Kinds of code that can lie in a bundle too, and that HIP does not load."""
_COUNT = Struct("<Q")
_ENTRY = Struct("<QQQ")
_LARGEST_TABLE = 1 << 20
"""Bytes; a table of some hundred targets has 20 KiB."""


@dataclass(frozen=True)
class BundleEntry:
    """One code object as it lies in a file, without its content."""

    target: Target
    form: str
    """``plain bundle``, ``CCOB v3 zstd``, ``ELF`` or ``kpack``."""
    version: int | None
    """Of the code object, 2 to 6; None for SPIR-V, which is not an ELF yet."""
    size: int
    """Bytes, decoded."""
    bundle: int
    """Which bundle of the file it is from, counted from 0."""
    generic_version: int = 0


@dataclass(frozen=True)
class CodeObject(BundleEntry):
    """A code object with its content: an ELF, or SPIR-V."""

    image: memoryview | bytes = b""


def read_bundles(
    data: memoryview, wanted: Callable[[Target], bool] = lambda _: False
) -> Iterator[CodeObject]:
    """Yield the code objects of a section or a file, in the order in which they lie there.

    Only those that are wanted get their whole content; of the others ``image`` is empty. Raises
    UnreadableError when it comes to something that is broken.
    """
    position = number = kept = 0
    while position < len(data):
        if position - kept > WINDOW:
            give_back(data)
            kept = position
        rest = data[position:]
        start = bytes(rest[: len(MAGIC)])
        if start.startswith(compression.MAGIC):
            compressed = compression.read_compressed(rest)
            decoding = Decoding(compressed.decoded(), compressed.decoded_size)
            yield from _read_bundle(decoding, compressed.form, number, wanted)
            decoding.finish()
            length = compressed.end
        elif start == MAGIC:
            plain = BytesInMemory(rest)
            yield from _read_bundle(plain, "plain bundle", number, wanted)
            length = plain.position
        elif device_elf.is_device_code(rest):
            code_object = read_elf(rest, number, wanted)
            yield code_object
            length = max(code_object.size, device_elf.SIZE)  # 0 without a section table
        elif _is_padding(rest):
            length, number = _ALIGNMENT, number - 1
        else:
            message = f"at {position:,} there is neither a bundle nor padding"
            raise UnreadableError(message)
        position += -(-length // _ALIGNMENT) * _ALIGNMENT
        number += 1


def read_elf(
    data: memoryview, number: int, wanted: Callable[[Target], bool], *, fills: bool = False
) -> CodeObject:
    """Read a code object that is in no bundle; ``fills`` says that nothing should follow it.

    Raises UnreadableError.
    """
    head = device_elf.read_head(data[: device_elf.SIZE])
    if head.size > len(data):
        message = (
            f"device code of {head.size:,} bytes, but only {len(data):,} are left: it is cut off"
        )
        raise UnreadableError(message)
    size = len(data) if fills else head.size
    image = data[:size] if wanted(head.target) else b""
    return CodeObject(
        head.target, "ELF", head.version, size, number, head.generic_version, image=image
    )


def _is_padding(data: memoryview) -> bool:
    return not bytes(data[:_ALIGNMENT]).strip(b"\0")


@dataclass(frozen=True)
class _Row:
    offset: int
    size: int
    target: Target | None
    """None for what HIP does not load."""

    @property
    def end(self) -> int:
        return self.offset + self.size


def _read_bundle(
    cursor: Cursor, form: str, number: int, wanted: Callable[[Target], bool]
) -> Iterator[CodeObject]:
    """Read a bundle, leaving the cursor behind the last code object."""
    rows = sorted(_read_table(cursor), key=lambda each: each.offset)
    if rows and rows[0].offset < cursor.position:
        message = f"the code for {rows[0].target or 'the host'} begins within the table"
        raise UnreadableError(message)
    for row, following in pairwise(rows):
        if following.offset < row.end:
            message = f"code at {row.offset:,} and at {following.offset:,} of a bundle overlap"
            raise UnreadableError(message)
    for row in rows:
        cursor.skip(row.offset - cursor.position)
        is_wanted = row.target is not None and wanted(row.target)
        data = cursor.take(row.size if is_wanted else min(row.size, device_elf.SIZE))
        cursor.skip(row.end - cursor.position)
        if row.target is not None:
            version, generic_version = _versions(data, row.target, row.size)
            image = data if is_wanted else b""
            yield CodeObject(
                row.target, form, version, row.size, number, generic_version, image=image
            )


def _versions(data: bytes | memoryview, target: Target, size: int) -> tuple[int | None, int]:
    """Check the head of a code object; give its version and that of a generic target."""
    if target.processor == SPIRV:
        if bytes(data[:4]) != _SPIRV_MAGIC:
            message = "the part labeled SPIR-V is not SPIR-V"
            raise UnreadableError(message)
        return None, 0
    head = device_elf.read_head(data)
    if contradict(target, head.target):
        message = f"the code for {target} is labeled {head.target}"
        raise UnreadableError(message)
    if head.size > size:
        message = f"the code for {target} is cut off"
        raise UnreadableError(message)
    return head.version, head.generic_version


def _read_table(cursor: Cursor) -> Iterator[_Row]:
    """Read the head of a bundle; entries without content are left out."""
    if bytes(cursor.take(len(MAGIC))) != MAGIC:
        message = "the decompressed data is not an offload bundle"
        raise UnreadableError(message)
    (count,) = _COUNT.unpack(cursor.take(_COUNT.size))
    for _ in range(count):
        offset, size, length = _ENTRY.unpack(cursor.take(_ENTRY.size))
        if cursor.position + length > _LARGEST_TABLE:
            message = "the table of a bundle is too large"
            raise UnreadableError(message)
        target = _target_of(bytes(cursor.take(length)))
        if size:
            yield _Row(offset, size, target)


def _target_of(identifier: bytes) -> Target | None:
    """Read ``hipv4-amdgcn-amd-amdhsa--gfx942:xnack+``; None if it is not for HIP on AMD GPUs."""
    kind, *triple = identifier.decode("ascii", "replace").split("-", 5)
    if kind in _NOT_HIP:
        return None
    if kind not in _HIP or triple[:1] not in (["amdgcn"], ["spirv64"]):
        message = f"a bundle has an entry of an unknown kind, {identifier!r}"
        raise UnreadableError(message)
    try:
        return parse_target(triple[-1])
    except ValueError as error:
        message = f"a bundle names {error}"
        raise UnreadableError(message) from error
