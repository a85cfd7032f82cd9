"""What a file says itself of the versions it runs with: its metadata, its installs, its checks."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

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
    r"get_ipython[\s\\]*\([\s\\]*\)[\s\\]*\.[\s\\]*system[\s\\]*"
    r"\([\s\\]*(?P<quote>['\"])(?P<command>.*)(?P=quote)[\s\\]*\)"
)
"""A line `!…` of a notebook that was exported as a script."""
_CHECKED = re.compile(
    r"require_version\w*[\s\\]*\([\s\\]*(?P<quote>['\"])(?P<listed>[^'\"\n]+)(?P=quote)"
)
"""transformers.utils.versions: raises where another version is installed."""
_REPOSITORY = re.compile(r"(?:[\w+]+://[^/]*)?[^@#]*/([\w.-]+?)(?:\.git)?(?:[@#]|\Z)")
"""A URL or path, with the name of the repository or folder that it leads to."""
_ASKS = re.compile(r"[<>=~@]")
"""What stands in a requirement of some version."""


def stated(package: str, text: str, commands: Sequence[Command]) -> tuple[Declared, ...]:
    """Return the requirements of a package (by its normalized name) that stand in a file itself.

    ``commands`` are those of a notebook; the lines of an exported one are found in the text.
    """
    ways = (_in_metadata(text), _last(_installed(text, commands), package), _checked(text))
    found = (tuple(each for each in way if each.name == package) for way in ways)
    return next((each for each in found if each), ())


def stated_beside(text: str, commands: Sequence[Command]) -> Iterator[Declared]:
    """Yield all requirements that a file itself states or installs."""
    yield from _in_metadata(text)
    yield from _installed(text, commands)


def _in_metadata(text: str) -> tuple[Declared, ...]:
    script = _SCRIPT.search(text)
    if script is None:
        return ()
    table = re.sub(r"^# ?", "", script[1], flags=re.MULTILINE)
    return pyproject.parse(f"[project]\n{table}").declared


def _checked(text: str) -> Iterator[Declared]:
    for match in _CHECKED.finditer(text):
        yield from requirements.parse(match["listed"]).declared


def _installed(text: str, commands: Iterable[Command]) -> Iterator[Declared]:
    exported = (
        each
        for match in _EXPORTED.finditer(text)
        for each in shell.parse(match["command"]).commands
    )
    yield from installed(chain(commands, exported))


def _last(found: Iterable[Declared], package: str) -> list[Declared]:
    """Return what is installed of a package at the end: the last that asks for some version."""
    own = [each for each in found if each.name == package]
    return [each for each in own if _ASKS.search(each.text)][-1:] or own


def installed(commands: Iterable[Command]) -> Iterator[Declared]:
    """Yield what commands install; a URL counts by the name of its repository.

    What comes from an index of nightly builds is as little known as what a URL gives.
    """
    for _, install in installs_of(commands):
        if install.dry_run or install.elsewhere:
            continue
        nightly = next((each.url for each in install.indexes if "/nightly" in each.url), "")
        for each in install.requirements:
            if each.name is not None:
                text = f"{each.name} @ {nightly}" if nightly else str(each.requirement or "")
                text = text or f"{each.name} @ {each.word.text}"
                yield Declared(text, each.name, each.word.span)
        for word in install.locations:
            repository = _REPOSITORY.match(word.text)
            if repository is not None:
                name = canonicalize_name(repository[1])
                yield Declared(f"{name} @ {word.text}", name, word.span)
