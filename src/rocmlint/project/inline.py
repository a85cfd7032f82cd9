"""What a file says itself of the versions it runs with: its metadata, its installs, its checks."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.formats.installs.install import installs_of
from rocmlint.formats.model import Declared
from rocmlint.formats.packaging import pyproject, requirements
from rocmlint.formats.scripts.shell import script as shell

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


class Stated(NamedTuple):
    """What a file asks of a package for a part of its run, and of other packages by then."""

    own: tuple[Declared, ...]
    beside: tuple[Declared, ...]


def stated(package: str, text: str, commands: Sequence[Command]) -> tuple[Stated, ...]:
    """Return what a file itself asks of a package (by its normalized name).

    ``commands`` are those of a notebook; the lines of an exported one are found in the text. They
    may ask for one version, and after some of the code has run for another one: an install decides
    nothing about the cells above it. ``own`` is empty for what runs before the first one.
    """
    metadata, installs = _in_metadata(text), _installed(text, commands)
    asked = tuple(each for _, each in installs)
    own = _named(package, metadata)
    counts = [count for count, each in enumerate(asked, 1) if each.name == package]
    if own or not counts:
        own = own or _named(package, _checked(text))
        return (Stated(own, (*metadata, *asked)),) if own else ()
    lines = [installs[count - 1][0] for count in counts]
    done = {bisect_left(lines, line) for line in _imports(package, text)} | {len(lines)}
    parts = (asked[: counts[number - 1]] if number else () for number in sorted(done))
    return tuple(Stated(_last(part, package), (*metadata, *part)) for part in parts)


def _imports(package: str, text: str) -> Iterator[int]:
    """Yield the lines that import a package, but those that try whether it is there."""
    module = re.escape(package.replace("-", "_"))
    for match in re.finditer(rf"^(?:from|import)[ \t]+{module}\b", text, re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1


def _named(package: str, found: Iterable[Declared]) -> tuple[Declared, ...]:
    return tuple(each for each in found if each.name == package)


def _in_metadata(text: str) -> tuple[Declared, ...]:
    script = _SCRIPT.search(text)
    if script is None:
        return ()
    table = re.sub(r"^# ?", "", script[1], flags=re.MULTILINE)
    return pyproject.parse(f"[project]\n{table}").declared


def _checked(text: str) -> Iterator[Declared]:
    for match in _CHECKED.finditer(text):
        yield from requirements.parse(match["listed"]).declared


def _installed(text: str, commands: Iterable[Command]) -> list[tuple[int, Declared]]:
    """Return what is installed, each with its line, in the order in which that happens."""
    found = [(each.span.line, each) for each in installed(commands)]
    for match in _EXPORTED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        found += ((line, each) for each in installed(shell.parse(match["command"]).commands))
    return found


def _last(found: Iterable[Declared], package: str) -> tuple[Declared, ...]:
    """Return what is installed of a package at the end: the last that asks for some version."""
    own = _named(package, found)
    return tuple(each for each in own if _ASKS.search(each.text))[-1:] or own


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
