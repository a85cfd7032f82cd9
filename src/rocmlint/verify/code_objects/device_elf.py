"""The head of an AMDGPU ELF: processor, settings and code-object version."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

from rocmlint.gpus.target import PROCESSOR_OF_NUMBER, Target
from rocmlint.verify.code_objects.file_errors import UnreadableError

SIZE = 64
"""Bytes of the head of an ELF of 64 bits."""
_HEAD = Struct("<4s5B7xHHIQQQIHHHHHH")
_MACHINE = 224
_HSA = 64
"""EI_OSABI of code for the HSA runtime, which HIP runs on."""
_LITTLE_ENDIAN_64 = (2, 1)
_FIRST_VERSION = 2
"""Code-object version for which EI_ABIVERSION is 0."""
_SETTINGS = {1: "", 2: "-", 3: "+"}
"""The two bits of a feature from version 4 on: any, off, on; 0 is: has no such feature."""


@dataclass(frozen=True)
class DeviceHead:
    """The head of a code object."""

    target: Target
    version: int
    """Of the code object: 2 to 6."""
    generic_version: int
    """Of a generic target; 0 for others."""
    size: int
    """Bytes up to the end of the section table, which linkers write last; never more than all."""


def is_device_code(data: bytes | memoryview) -> bool:
    """Return whether an ELF for AMD GPUs begins here."""
    return bytes(data[:4]) == b"\x7fELF" and int.from_bytes(data[18:20], "little") == _MACHINE


def read_head(data: bytes | memoryview) -> DeviceHead:
    """Read the first 64 bytes. Raises UnreadableError."""
    if len(data) < SIZE or not is_device_code(data):
        message = "not an ELF for AMD GPUs, where device code should be"
        raise UnreadableError(message)
    (_, *ident, _, _, _, _, _, sections_at, flags, _, _, _, section_size, section_count, _) = (
        _HEAD.unpack_from(data)
    )
    if tuple(ident[:2]) != _LITTLE_ENDIAN_64:
        message = "an ELF for AMD GPUs that is not 64-bit little-endian"
        raise UnreadableError(message)
    if ident[3] != _HSA:
        message = f"an ELF for AMD GPUs that is not for HIP (EI_OSABI {ident[3]})"
        raise UnreadableError(message)
    version = ident[4] + _FIRST_VERSION
    return DeviceHead(
        target=_target(flags, version),
        version=version,
        generic_version=flags >> 24 if version >= 6 else 0,
        size=sections_at + section_size * section_count,
    )


def _target(flags: int, version: int) -> Target:
    number = flags & 0xFF
    processor = PROCESSOR_OF_NUMBER.get(number)
    if processor is None:
        message = f"device code for a processor that rocmlint does not know ({number:#x})"
        raise UnreadableError(message)
    if version < 4:  # two single bits, which say nothing when off
        sramecc, xnack = ("+" if flags & bit else "" for bit in (0x200, 0x100))
    else:
        sramecc, xnack = (_SETTINGS.get(flags >> shift & 3, "") for shift in (10, 8))
    named = (("sramecc", sramecc), ("xnack", xnack))
    return Target(processor, tuple(name + sign for name, sign in named if sign))
