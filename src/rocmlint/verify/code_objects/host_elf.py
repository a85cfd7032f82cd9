"""The ELF of a program or a library: its sections, and the libraries that it needs."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, Any

from rocmlint.verify.code_objects.file_errors import UnreadableError, extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import BytesIO
    from mmap import mmap


@dataclass(frozen=True)
class SectionPlace:
    """Where a section lies in the file, in bytes."""

    offset: int
    size: int


@dataclass(frozen=True)
class HostElf:
    """The parts of a library that have to do with device code."""

    sections: Mapping[str, SectionPlace]
    """Those with content in the file, by name."""
    needed: tuple[str, ...]
    """DT_NEEDED: the libraries it is linked with."""
    run_path: tuple[str, ...]
    """DT_RUNPATH, or DT_RPATH without it: folders as written, with ``$ORIGIN``."""
    registers_code: bool
    """Does it call the function by which a library with device code makes itself known to HIP?"""


def read_host_elf(file: mmap, size: int) -> HostElf:
    """Read the tables of an ELF of so many bytes. Raises UnreadableError, MissingExtraError."""
    elf_file = extra("elftools.elf.elffile").ELFFile
    with _our_errors():
        elf = elf_file(file)
        sections = dict(_sections(elf, file))
        for name, place in sections.items():
            end = place.offset + place.size
            if end > size:
                message = f"cut off: section {name} ends at {end:,} of {size:,}"
                raise UnreadableError(message)
        return _host_elf(sections, _dynamic(elf, file))


def _host_elf(sections: Mapping[str, SectionPlace], dynamic: _Dynamic) -> HostElf:
    run_path = dynamic.texts(_RUNPATH) or dynamic.texts(_RPATH)
    return HostElf(
        sections,
        needed=dynamic.texts(_NEEDED),
        run_path=tuple(folder for each in run_path for folder in each.split(":") if folder),
        registers_code=dynamic.names(_REGISTER)
        and not any(each.startswith(_HIP) for each in dynamic.texts(_SONAME)),
    )


def read_strings(elf: BytesIO, name: str) -> bytes:
    """Read one table of strings and no other section; empty if there is none.

    Raises UnreadableError, MissingExtraError.
    """
    elf_file = extra("elftools.elf.elffile").ELFFile
    with _our_errors():
        tables = elf_file(elf).iter_sections("SHT_STRTAB")
        return next((bytes(each.data()) for each in tables if each.name == name), b"")


_REGISTER = b"\0__hipRegisterFatBinary\0"
_HIP = "libamdhip64."
"""The library that has the function."""
_NEEDED, _STRINGS, _STRINGS_SIZE, _SONAME, _RPATH, _RUNPATH = 1, 5, 10, 14, 15, 29
"""Tags of the list that the dynamic linker goes by (DT_NEEDED and so on)."""
_LARGEST_LIST = 1 << 20
"""Bytes; a library with a thousand needed ones takes 16 KiB."""
_LONGEST_TEXT = 1 << 16


@dataclass(frozen=True)
class _Dynamic:
    """The entries that the dynamic linker reads."""

    file: mmap
    tags: Mapping[int, Sequence[int]]
    strings: int
    """Where its table of strings begins."""

    def texts(self, tag: int) -> tuple[str, ...]:
        return tuple(_text(self.file, self.strings + each) for each in self.tags.get(tag, ()))

    def names(self, name: bytes) -> bool:
        """Look for a name among those of the functions that it has or needs."""
        size = sum(self.tags.get(_STRINGS_SIZE, ()))
        return self.file.find(name, self.strings, self.strings + size) >= 0


def _sections(elf: Any, file: mmap) -> Iterator[tuple[str, SectionPlace]]:
    count = elf.num_sections()
    if not count:
        message = "has no section table, so its device code cannot be found"
        raise UnreadableError(message)
    headers = _headers(elf, file, "sh", count)
    names = headers[elf.get_shstrndx()]["sh_offset"]
    for each in headers:
        if each["sh_type"] != "SHT_NOBITS" and each["sh_size"]:
            place = SectionPlace(each["sh_offset"], each["sh_size"])
            yield _text(file, names + each["sh_name"]), place


def _dynamic(elf: Any, file: mmap) -> _Dynamic:
    segments = _headers(elf, file, "ph", elf.num_segments())
    place = next((each for each in segments if each["p_type"] == "PT_DYNAMIC"), None)
    if place is None:
        if elf["e_type"] == "ET_DYN":
            message = "is a library that the dynamic linker cannot load (no PT_DYNAMIC)"
            raise UnreadableError(message)
        return _Dynamic(file, {}, 0)
    entry = Struct(f"{'<' if elf.little_endian else '>'}{'qQ' if elf.elfclass == 64 else 'iI'}")
    start, count = place["p_offset"], min(place["p_filesz"], _LARGEST_LIST) // entry.size
    tags: dict[int, list[int]] = defaultdict(list)
    for tag, value in entry.iter_unpack(file[start : start + count * entry.size]):
        if not tag:
            break
        tags[tag].append(value)
    else:
        message = "the dynamic section has no end"
        raise UnreadableError(message)
    return _Dynamic(file, tags, _offset(segments, *tags[_STRINGS]))


def _offset(segments: Sequence[Any], address: int) -> int:
    """Return where an address lies in the file."""
    return next(
        int(address - each["p_vaddr"] + each["p_offset"])
        for each in segments
        if each["p_type"] == "PT_LOAD" and 0 <= address - each["p_vaddr"] < each["p_filesz"]
    )


def _headers(elf: Any, file: mmap, kind: str, count: int) -> list[Any]:
    """Read the headers of all sections or segments, and nothing that they are about.

    pyelftools reads whole tables of symbols when it is asked for sections.
    """
    parse = extra("elftools.common.utils").struct_parse
    shape = elf.structs.Elf_Shdr if kind == "sh" else elf.structs.Elf_Phdr
    start, size = elf[f"e_{kind}off"], elf[f"e_{kind}entsize"]
    if start + count * size > len(file):
        message = "cut off within the section or segment table"
        raise UnreadableError(message)
    return [parse(shape, file, start + number * size) for number in range(count)]


def _text(file: mmap, start: int) -> str:
    end = file.find(b"\0", start, start + _LONGEST_TEXT)
    if end < 0:
        message = f"a name at {start:,} has no end"
        raise UnreadableError(message)
    return file[start:end].decode("utf-8", "replace")


@contextmanager
def _our_errors() -> Iterator[None]:
    """Turn whatever a broken ELF makes pyelftools raise into one error."""
    try:
        yield
    except UnreadableError:
        raise
    except Exception as error:
        message = f"the ELF is broken: {str(error) or type(error).__name__}"
        raise UnreadableError(message) from error
