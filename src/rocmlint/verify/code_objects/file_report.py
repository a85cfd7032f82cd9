"""One file: what kind it is, and the device code in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.verify.code_objects import bundle, compression, device_elf, kpack
from rocmlint.verify.code_objects.file_errors import MissingExtraError, UnreadableError
from rocmlint.verify.code_objects.host_elf import HostElf, read_host_elf
from rocmlint.verify.code_objects.mapped import map_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from mmap import mmap

    from rocmlint.gpus.target import Target
    from rocmlint.verify.code_objects.bundle import BundleEntry, CodeObject
    from rocmlint.verify.code_objects.kpack import KpackReference

FAT_BINARY = ".hip_fatbin"
_CUDA_SECTION = re.compile(r"\.nv_?fatbin|\.nvFatBinSegment|__nv_")
_CUDA_LIBRARY = re.compile(r"lib(cuda|cudart|cublas|cublasLt|cudnn|nvrtc|cufft|cusparse)\.so")
_LINKER_SCRIPT = re.compile(rb"\s*(/\*.*?\*/\s*)*(INPUT|GROUP|OUTPUT_FORMAT)\s*\(", re.DOTALL)


@dataclass(frozen=True)
class FileReport:
    """The contents of one file; with an ``error``, those before it."""

    path: str
    size: int = 0
    entries: tuple[BundleEntry, ...] = ()
    host: HostElf | None = None
    """None for what is not a library: a loose code object or an archive."""
    kpack: KpackReference | None = None
    """Where a library says that its device code is, if not in itself."""
    error: str = ""
    refused: bool = False
    """The system gave the error: nothing is known of the content."""

    @property
    def sections(self) -> tuple[str, ...]:
        """Return the names of the sections that hold or name device code."""
        names = self.host.sections if self.host else ()
        return tuple(name for name in names if _is_device_section(name))

    @property
    def is_loose(self) -> bool:
        """Return whether it is device code in no library, such as ``.co`` or ``.kpack``."""
        return self.host is None and bool(self.entries)

    @property
    def is_for_amd(self) -> bool:
        """Return whether it has device code for AMD GPUs, or should have."""
        return bool(self.entries or self.kpack or FAT_BINARY in self.sections)

    @property
    def is_for_cuda(self) -> bool:
        """Return whether it is made for CUDA and for nothing else."""
        if self.is_for_amd or not self.host:
            return False
        return any(map(_CUDA_SECTION.match, self.host.sections)) or any(
            map(_CUDA_LIBRARY.match, self.host.needed)
        )


def read_file(path: str) -> FileReport:
    """Read what device code a file holds, and check that it is whole.

    Errors in the file are part of the report. Raises MissingExtraError.
    """
    report = _Reading(path)
    try:
        for each in report.code_objects(lambda _: False):
            report.entries.append(each)
    except UnreadableError as error:
        report.error = str(error)
    except OSError as error:
        return refused(path, error.strerror or type(error).__name__)
    except MissingExtraError:
        raise
    except Exception as error:  # noqa: BLE001 - no file may hide what is known of the others
        report.error = f"cannot be read: {type(error).__name__}: {error}"
    return FileReport(
        path, report.size, tuple(report.entries), report.host, report.kpack, report.error
    )


def refused(path: str, error: str) -> FileReport:
    """Return the report on a file that the system does not let us read."""
    return FileReport(path, error=error, refused=True)


def code_objects(
    path: str, wanted: Callable[[Target], bool] = lambda _: True
) -> Iterator[CodeObject]:
    """Yield the code objects of a file; those that are wanted with their content.

    ``image`` is a view of the file where it is stored plainly, else the decoded bytes; no more than
    one is decoded at a time. Raises UnreadableError, OSError, MissingExtraError.
    """
    return _Reading(path).code_objects(wanted)


@dataclass
class _Reading:
    path: str
    size: int = 0
    host: HostElf | None = None
    kpack: KpackReference | None = None
    entries: list[BundleEntry] = field(default_factory=list)
    error: str = ""

    def code_objects(self, wanted: Callable[[Target], bool]) -> Iterator[CodeObject]:
        mapped = map_file(self.path)
        self.size = len(mapped)
        data = memoryview(mapped)
        start = bytes(data[: len(bundle.MAGIC)])
        if device_elf.is_device_code(data):
            yield bundle.read_elf(data, 0, wanted, fills=True)
        elif start.startswith(b"\x7fELF"):
            yield from self._in_library(mapped, data, wanted)
        elif start.startswith(kpack.MAGIC):
            yield from kpack.read_archive(data).code_objects(wanted)
        elif start.startswith((compression.MAGIC, bundle.MAGIC)):
            yield from bundle.read_bundles(data, wanted)
        elif not _LINKER_SCRIPT.match(data[:4096]):
            message = "is not an ELF, an offload bundle or a kpack archive"
            raise UnreadableError(message)

    def _in_library(
        self, mapped: mmap, data: memoryview, wanted: Callable[[Target], bool]
    ) -> Iterator[CodeObject]:
        self.host = read_host_elf(mapped, self.size)

        def content(name: str) -> memoryview:
            place = self.host.sections.get(name) if self.host else None
            return data[place.offset : place.offset + place.size] if place else data[:0]

        reference = content(kpack.REFERENCE_SECTION)
        if self.host.registers_code and not reference and not content(FAT_BINARY):
            message = "registers device code with HIP, but contains none and refers to no archives"
            raise UnreadableError(message)
        if reference:
            self.kpack = kpack.read_reference(reference, content(kpack.WRAPPER_SECTION))
        else:
            yield from bundle.read_bundles(content(FAT_BINARY), wanted)


def _is_device_section(name: str) -> bool:
    known = (FAT_BINARY, kpack.WRAPPER_SECTION, kpack.REFERENCE_SECTION)
    return name in known or bool(_CUDA_SECTION.match(name))
