"""The search of an installer: the requirement, the versions that the index has, the Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published.pytorch_index import rocm_in
from rocmlint.text.written import requirement_of, version_of
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

_PIP = re.compile(
    r"Could not find a version that satisfies the requirement (?P<asked>[^\n(]+?)"
    r"(?: \(from (?!versions)[^()\n]*(?:\([^()\n]*\))?[^()\n]*\))?"
    r"(?: \(from versions: (?P<listed>[^()\n]*)\))?\s*$",
    re.MULTILINE,
)
_PIP_SHORT = re.compile(r"No matching distribution found for (?P<asked>[^\n(]+)")
_UV = re.compile(
    r"[Bb]ecause (?:(?P<missing>[\w.-]+) was not found in the (?:package registry|cache|provided"
    r" package[^\n,]{0,40})|there (?:is|are) no versions? of "
    r"(?P<asked>[\w.-]+(?:\[[\w,-]+\])?\s?(?:[=<>!~]=?\s?[\w.*+]+,?)*)"
    r"|(?P<tagged>[\w.-]+(?:==[\w.*+]+)?) has no wheels with a matching (?P<tag>[\w ]+? tag))"
)
_PYTHON = re.compile(r"(?:[Pp]ython[ /]?v?|cp)(?P<major>3)\.?(?P<minor>\d{1,2})\b")
_UV_SYNC = re.compile(
    r"Distribution `(?P<asked>[\w.+=-]+) @ [^`\n]+` can't be installed because it doesn't have a"
    r" source distribution or wheel"
)
_ROCM = re.compile(r"\+rocm(?P<rocm>\d+(?:\.\d+)*)")


@dataclass(frozen=True)
class IndexSearch:
    """A search for a distribution: ``listed`` are the versions that the index has."""

    name: str
    specifier: SpecifierSet
    text: str
    """The requirement as it is written."""
    listed: tuple[Version, ...] | None
    """None where the message does not say."""
    log: str
    message: str

    @cached_property
    def python(self) -> str:
        """The Python that the log says: "3.14"; empty where it does not."""
        pythons = dict.fromkeys(f"3.{each['minor']}" for each in _PYTHON.finditer(self.log))
        return next(iter(pythons)) if len(pythons) == 1 else ""

    @cached_property
    def rocm(self) -> str:
        """The ROCm of PyTorch's index, or of the version that is asked for; or empty."""
        found = _ROCM.search(self.text)
        in_log = list(dict.fromkeys(rocm_in(self.log)))
        return found["rocm"] if found is not None else in_log[0] if len(in_log) == 1 else ""


def search_in(text: str, log: str) -> IndexSearch | None:
    """Return what a text says was looked for; None where it says nothing of it."""
    found = _PIP.search(near(text, "Could not find a version"))
    if found is None and "No matching distribution found" in text:
        found = _PIP_SHORT.search(near(text, "No matching distribution found"))
    synced = _UV_SYNC.search(near(text, "can't be installed because"))
    if synced is not None:
        return _search_of(synced["asked"], (), log, synced[0])
    if found is not None:
        written = found["asked"].strip()
        listed = found.groupdict().get("listed")
        return _search_of(written, _versions(listed), log, found[0].strip())
    found = _UV.search(" ".join(near(text, "No solution found").split()))
    if found is None:
        return None
    written = found["missing"] or found["asked"] or found["tagged"]
    listed_ = () if found["missing"] else None
    return _search_of(written.rstrip(",."), listed_, log, " ".join(found[0].split()))


def _search_of(
    written: str, listed: tuple[Version, ...] | None, log: str, message: str
) -> IndexSearch | None:
    asked = requirement_of(written.partition(";")[0].strip())
    if asked is None or asked.url:
        return None
    name = canonicalize_name(asked.name)
    return IndexSearch(name, asked.specifier, written, listed, log, message)


def _versions(listed: str | None) -> tuple[Version, ...] | None:
    if listed is None:
        return None
    found = (version_of(each.strip()) for each in listed.split(","))
    return tuple(each for each in found if each is not None)
