"""What a file says itself of the versions it runs with: its metadata, its installs, its checks."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from rocmlint.formats import pyproject, requirements
from rocmlint.formats.model import Declared
from rocmlint.formats.shell import script as shell
from rocmlint.installs.install import installs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.formats.model import Command

_SCRIPT = re.compile(r"^# /// script\n((?:#(?: .*)?\n)+?)# ///$", re.MULTILINE)
"""The metadata of a script: PEP 723, the same keys as in `[project]`."""
_EXPORTED = re.compile(
    r"\bget_ipython[\s\\]*\([\s\\]*\)[\s\\]*\.[\s\\]*system[\s\\]*"
    r"\([\s\\]*(?P<quote>['\"])(?P<command>.*)(?P=quote)[\s\\]*\)"
)
"""A line `!…` of a notebook that was exported as a script."""
_CHECKED = re.compile(
    r"\brequire_version\w*[\s\\]*\([\s\\]*(?P<quote>['\"])(?P<listed>[^'\"\n]+)(?P=quote)"
)
"""transformers.utils.versions: raises where another version is installed."""
_ASKS = re.compile(r"[<>=~@]")
"""What stands in a requirement of some version."""


def stated(package: str, text: str, commands: Sequence[Command]) -> tuple[Declared, ...]:
    """Return the requirements of a package (by its normalized name) that stand in a file itself.

    ``commands`` are those of a notebook; the lines of an exported one are found in the text.
    """
    ways = (
        _in_metadata(package, text),
        _installed(package, text, commands),
        _checked(package, text),
    )
    return next((found for way in ways if (found := tuple(way))), ())


def _in_metadata(package: str, text: str) -> Iterator[Declared]:
    script = _SCRIPT.search(text)
    if script is not None:
        table = re.sub(r"^# ?", "", script[1], flags=re.MULTILINE)
        declared = pyproject.parse(f"[project]\n{table}").declared
        yield from (each for each in declared if each.name == package)


def _checked(package: str, text: str) -> Iterator[Declared]:
    for match in _CHECKED.finditer(text):
        declared = requirements.parse(match["listed"]).declared
        yield from (each for each in declared if each.name == package)


def _installed(package: str, text: str, commands: Iterable[Command]) -> Iterator[Declared]:
    """Yield what is installed at the end: the last install that asks for some version."""
    exported = (
        each
        for match in _EXPORTED.finditer(text)
        for each in shell.parse(match["command"]).commands
    )
    found = [*installed_by(chain(commands, exported), package)]
    yield from [each for each in found if _ASKS.search(each.text)][-1:] or found


def installed_by(commands: Iterable[Command], package: str) -> Iterator[Declared]:
    """Yield what commands install of a package; a URL counts by the name of its repository.

    What comes from an index of nightly builds is as little known as what a URL gives.
    """
    named = re.compile(rf"/{re.escape(package)}(?:\.git)?(?:[@#]|\Z)", re.IGNORECASE)
    for _, install in installs_of(commands):
        if install.dry_run or install.elsewhere:
            continue
        asked = [each for each in install.requirements if each.name == package]
        nightly = next((each.url for each in install.indexes if "/nightly" in each.url), "")
        known = f"{package} @ {nightly}" if nightly else ""
        words = [(each.word, known or str(each.requirement or "")) for each in asked]
        words += [(word, "") for word in install.locations if named.search(word.text)]
        for word, text in words:
            yield Declared(text or f"{package} @ {word.text}", package, word.span)
