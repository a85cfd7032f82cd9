"""What the ELF of a program or a library says: its sections, and the libraries that it needs."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.verify.code_objects.errors import UnreadableError, extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import BytesIO
    from mmap import mmap


@dataclass(frozen=True)
class Place:
    """Where a section lies in the file, in bytes."""

    offset: int
    size: int


@dataclass(frozen=True)
class HostElf:
    """The parts of a library that tell of device code."""

    sections: Mapping[str, Place]
    """Those with content in the file, by name."""
    needed: tuple[str, ...]
    """DT_NEEDED: the libraries it is linked with."""
    run_path: tuple[str, ...]
    """DT_RUNPATH, or DT_RPATH without it: folders as written, with ``$ORIGIN``."""


def read_host_elf(file: mmap, size: int) -> HostElf:
    """Read the tables of an ELF of so many bytes. Raises UnreadableError, MissingExtraError."""
    elf_file = extra("elftools.elf.elffile").ELFFile
    with _our_errors():
        elf = elf_file(file)
        if not elf.num_sections():
            message = "has no section table, so its device code cannot be found"
            raise UnreadableError(message)
        sections = {
            each.name: Place(each["sh_offset"], each["sh_size"])
            for each in elf.iter_sections()
            if each["sh_type"] != "SHT_NOBITS" and each["sh_size"]
        }
        tags = _dynamic(elf)
    for name, place in sections.items():
        if place.offset + place.size > size:
            message = f"cut off: section {name} ends at {place.offset + place.size:,} of {size:,}"
            raise UnreadableError(message)
    run_path = tags.get("DT_RUNPATH") or tags.get("DT_RPATH") or []
    return HostElf(
        sections,
        needed=tuple(tags.get("DT_NEEDED", ())),
        run_path=tuple(folder for each in run_path for folder in each.split(":") if folder),
    )


def read_strings(elf: BytesIO, name: str) -> bytes:
    """Read one table of strings and no other section; empty if there is none.

    Raises UnreadableError, MissingExtraError.
    """
    elf_file = extra("elftools.elf.elffile").ELFFile
    with _our_errors():
        tables = elf_file(elf).iter_sections("SHT_STRTAB")
        return next((bytes(each.data()) for each in tables if each.name == name), b"")


_TEXTS = {"DT_NEEDED": "needed", "DT_RUNPATH": "runpath", "DT_RPATH": "rpath"}


def _dynamic(elf: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    section = elf.get_section_by_name(".dynamic")
    if section is not None and section["sh_type"] == "SHT_DYNAMIC":
        for tag in section.iter_tags():
            name = tag.entry.d_tag
            if name in _TEXTS:
                found.setdefault(name, []).append(getattr(tag, _TEXTS[name]))
    return found


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
