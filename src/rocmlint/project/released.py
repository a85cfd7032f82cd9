"""What an unpacked source distribution says that its package requires."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.formats.model import Declared
from rocmlint.formats.packaging import requirements
from rocmlint.text.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.disk.disk import DiskView
    from rocmlint.formats.model import Parts

METADATA = "PKG-INFO"
"""What lies in the folder of a source distribution, and in no checkout."""
_REQUIRED = re.compile(r"^Requires-Dist:[ \t]*(.+)$", re.MULTILINE)
_EXTRA = re.compile(r"\bextra\s*==\s*[\"']([\w.-]+)[\"']")
_NAMED = re.compile(r"([A-Za-z][\w.-]*)\s*(?:\[[^\]]*\]\s*)?[<>=~!@;(\d]")
"""How a text begins that names a package and asks for some version of it."""
_SECTION = re.compile(r"\[([^\]:]*)(?::[^\]]*)?\]\Z")


def released(folder: str, view: DiskView) -> Iterator[tuple[str, Declared]]:
    """Yield what the metadata in a folder requires, each with the path of the file.

    Builders before 2021 wrote it only into `requires.txt` of a folder beside.
    """
    path = os.path.join(folder, METADATA)
    if not view.exists(path):
        return
    lines = _REQUIRED.findall(view.read(path).partition("\n\n")[0])
    for line in lines:
        extra = _EXTRA.search(line)
        text = line.partition(";")[0] if extra is not None else line
        yield from _read(path, text, extra[1] if extra is not None else "")
    for base in (folder, os.path.join(folder, "src")) if not lines else ():
        for each in _egg_infos_in(base, view):
            yield from _listed(os.path.join(each, "requires.txt"), view)


def _egg_infos_in(folder: str, view: DiskView) -> tuple[str, ...]:
    names = (each for each in view.names_in(folder) if each.endswith(".egg-info"))
    return tuple(os.path.join(folder, each) for each in names)


def _listed(path: str, view: DiskView) -> Iterator[tuple[str, Declared]]:
    """Read the sections of a `requires.txt`, which are named after extras."""
    group = ""
    for line in view.read(path).splitlines():
        section = _SECTION.match(line)
        group = section[1] if section is not None else group
        if section is None:
            yield from _read(path, line, group)


@lru_cache(maxsize=4096)
def _read(path: str, text: str, group: str) -> tuple[tuple[str, Declared], ...]:
    """Return what a line asks for: each folder of a project reads the same ones."""
    parts = requirements.parse(text)
    found = (*parts.declared, *unreadable(parts))
    return tuple((path, replace(each, group=group)) for each in found)


def unreadable(parts: Parts) -> Iterator[Declared]:
    """Yield what stands in place of requirements and is not valid: which version is unknown.

    Tools of its time took `torch>=1.6<1.8`, and nobody knows what they made of it.
    """
    for each in parts.problems:
        named = _NAMED.match(each.refused)
        if named is not None:
            span = Span(each.line, each.column, each.line, each.column + len(each.refused))
            yield Declared(each.refused, canonicalize_name(named[1]), span)
