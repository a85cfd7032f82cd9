"""Which declared requirements are installed together: those of a group and what it includes."""

from __future__ import annotations

import os
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.project.inclusions import Listed, with_inclusions
from rocmlint.published import requirements as published
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import Command, Declared, File, Parts

_MOST = 300
"""Requirements of one file that are looked at; a file with more is a lock file."""
_ALONE = "build-system"
"""The group that is installed into an environment of its own."""


class Part(NamedTuple):
    """A requirement, where it stands ("line 3", "base.txt:3"), the command that it is a word of."""

    name: str
    requirement: Requirement
    where: str
    constraint: bool = False
    command: Command | None = None


def part_of(declared: Declared, where: str = "") -> Part | None:
    """Read a declared requirement; None where nothing can be said of its versions.

    That is of conda's packages too: what PyPI's of the same name depend on says nothing of them.
    """
    if declared.by_conda:
        return None
    requirement = _requirement(declared.text) if declared.name in known() else None
    if requirement is None or requirement.url:
        return None
    where = where or f"line {declared.span.line}"
    return Part(declared.name, requirement, where, declared.constraint)


def installed_with(declared: Declared, file: File, *, behind: bool = False) -> list[Part]:
    """Return the requirements that a declared one has to go with, and that stand before it.

    With ``behind``, those that stand behind it too.
    """
    parts = file.parts
    if len(parts.declared) > _MOST and declared.span > parts.declared[_MOST - 1].span:
        return []
    found: list[Part] = []
    before = True
    for each in parts.declared[:_MOST]:
        if each is declared:
            before = behind
        elif _are_together(each, declared, before=before):
            found += _parts([each])
    if not declared.group:
        found += _included(parts, file)
    distinct = {(each.name, str(each.requirement), each.constraint): each for each in found}
    return list(distinct.values())


def _are_together(other: Declared, declared: Declared, *, before: bool) -> bool:
    """Return whether one is installed when the other is; each pair counts once."""
    if other.group == declared.group:
        return before or other.constraint
    return not other.group and declared.group != _ALONE


def _parts(declared: Iterable[Declared], path: str = "") -> Iterator[Part]:
    for each in declared:
        part = part_of(each, f"{os.path.basename(path)}:{each.span.line}" if path else "")
        if part is not None:
            yield part


def _included(parts: Parts, file: File) -> Iterator[Part]:
    """Read the files that a file of requirements includes."""
    own = Listed(os.path.abspath(file.path), parts)
    for path, inner, constraint in islice(with_inclusions([own], file.read), 1, None):
        for each in _parts(inner.declared[:_MOST], path):
            yield each._replace(constraint=constraint or each.constraint)


def indexes_with(command: Command | None, file: File) -> list[str | None]:
    """Return the indexes that a command asks, or a list and those that it includes.

    None is one that only the run knows.
    """
    from rocmlint.rule import install_of  # noqa: PLC0415 - loads what all rules may ask for

    if command is not None:
        install = install_of(command)
        asked = () if install is None else install.indexes
        return [each.known_url for each in asked]
    own = Listed(os.path.abspath(file.path), file.parts)
    included = islice(with_inclusions([own], file.read), 0, None)
    return [each.url for _, parts, _ in included for each in parts.indexes]


@lru_cache(maxsize=4096)
def _requirement(text: str) -> Requirement | None:
    """Read a requirement once: each is compared with many."""
    return requirement_of(text)


@lru_cache(maxsize=1)
def known() -> frozenset[str]:
    """Return the packages whose releases are known."""
    return frozenset(map(canonicalize_name, published.packages()))
