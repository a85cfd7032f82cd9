"""conda-lock.yml: the packages that are locked for Linux, of conda and of pip."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.formats.model import Declared, Parts
from rocmlint.formats.packaging import conda
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEY = re.compile(r"(?P<item>- |  )(?P<key>[a-z_]+):[ \t]*(?P<quote>['\"]?)(?P<value>[^'\"\s]*)")
_PLATFORM = "linux-64"
"""The one that ROCm runs on."""
_GROUPS = {"main": ""}


def parse(text: str) -> Parts:
    """Read a lock file as conda-lock writes it, lines ended by ``\\n``.

    It is large, and always written the same way: no reader of YAML is needed.
    """
    excerpt = Excerpt.of(text)
    found = (_declared(each, excerpt) for each in _packages(text))
    return Parts(declared=tuple(each for each in found if each is not None))


def _packages(text: str) -> Iterator[dict[str, re.Match[str]]]:
    """Yield the keys of each package with their values."""
    package: dict[str, re.Match[str]] = {}
    start = 0
    for line in text.split("\n"):
        match = _KEY.match(text, start) if line[:2] in ("- ", "  ") else None
        if match is not None:
            if match["item"] == "- ":
                yield package
                package = {}
            package.setdefault(match["key"], match)
        start += len(line) + 1
    yield package


def _declared(package: dict[str, re.Match[str]], excerpt: Excerpt) -> Declared | None:
    values = {key: match["value"].strip() for key, match in package.items()}
    if values.get("platform") != _PLATFORM or not values.get("version"):
        return None
    match = package.get("name")
    if match is None or not values["name"]:
        return None
    written = excerpt.part(*match.span("value"))
    group = _GROUPS.get(category := values.get("category", "main"), category)
    version = values["version"].replace(" ", "")
    found = conda.requirement(values["name"], f"=={version}", written, group)
    return replace(found, by_conda=values.get("manager") != "pip") if found else None
