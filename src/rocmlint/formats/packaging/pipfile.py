"""Pipfile: the packages that Pipenv installs, and the indexes that it takes them from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats.model import Declared, Index, Parts, Problem
from rocmlint.formats.packaging.toml_packages import package
from rocmlint.formats.readers import toml
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.readers.toml import Table

_OTHERS = frozenset({"source", "requires", "scripts", "pipenv"})
"""Tables that are no group of packages."""
_GROUPS = {"packages": "", "dev-packages": "dev"}


def parse(text: str) -> Parts:
    """Read a Pipfile, lines ended by ``\\n``."""
    root = toml.read(Excerpt.of(text))
    if isinstance(root, Problem):
        return Parts(problems=(root,))
    found: list[Declared | Problem] = []
    for name, value in root.values.items():
        if name not in _OTHERS:
            found += _packages(value.table, _GROUPS.get(name, name))
    return Parts(
        declared=tuple(each for each in found if isinstance(each, Declared)),
        indexes=tuple(_indexes(root)),
        problems=tuple(each for each in found if isinstance(each, Problem)),
    )


def _packages(table: Table, group: str) -> Iterator[Declared | Problem]:
    for name, value in table.values.items():
        found = package(name, value, table.keys.get(name, value.excerpt), group)
        if isinstance(found, Excerpt):
            span = found.span()
            yield Problem(f"{name!r}: not a valid requirement", *span[:2])
        elif found is not None:
            yield found


def _indexes(root: Table) -> Iterator[Index]:
    """Yield the sources: packages come from the first if they do not name another."""
    sources = root.get("source")
    for number, each in enumerate(sources.items() if sources is not None else ()):
        url = each.table.get("url")
        if url is not None and url.text:
            yield Index(url.text, url.excerpt.span(), extra=number > 0)
