"""What is known of a name: which releases have it, and what took its place in the others."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.published.replacements import Replacement, replacement_of

from .uses import is_of_torch

if TYPE_CHECKING:
    from packaging.version import Version

    from rocmlint.published.names import History, PackageNames

_REGISTERING = ("torch.distributed._tensor.",)
"""What is below packages that put modules into `sys.modules`: their files do not say what."""


def names(dotted: str) -> PackageNames | None:
    """Return the index of the package that a dotted name begins with."""
    from rocmlint.published.names import names_of  # noqa: PLC0415 - few files need it

    return names_of(dotted.partition(".")[0])


@lru_cache(maxsize=4096)
def history(dotted: str) -> History | None:
    """Return the history of a module or a name of a module; None where nothing is known."""
    known = names(dotted)
    return None if known is None else known.history(dotted)


@lru_cache(maxsize=4096)
def member(owner: str, name: str) -> History | None:
    """Return the history of an attribute of a class."""
    known = names(owner)
    return None if known is None else known.member(owner, name)


def attribute_history(owner: str, name: str) -> History | None:
    """Return the history of an attribute of a class or of a module."""
    found = member(owner, name)
    return history(f"{owner}.{name}") if found is None else found


@lru_cache(maxsize=4096)
def keyword_history(dotted: str, keyword: str) -> History:
    """Return the history of a keyword of a callable."""
    from rocmlint.published.names import History  # noqa: PLC0415 - few files need it

    known = names(dotted)
    return History((), 0, 0) if known is None else known.keyword(dotted, keyword)


@lru_cache(maxsize=4096)
def lacking(dotted: str) -> tuple[str, ...]:
    """Return the beginnings of a dotted name that some version is proven to lack."""
    found = []
    parts = dotted.split(".")
    for length in range(2, len(parts) + 1):
        beginning = ".".join(parts[:length])
        known = None if beginning.startswith(_REGISTERING) else history(beginning)
        if known is None:
            break
        # What no torch has may come from a package beside it: torch.npu of torch_npu.
        if known.is_ever_missing and (known.was_ever_there or not is_of_torch(beginning)):
            found.append(beginning)
    return tuple(found)


def has(dotted: str, version: Version) -> bool | None:
    """Return whether a version has a module or a name of a module; None: not known."""
    found = history(dotted)
    return None if found is None else found.at(version)


def has_successor(old: str, new: str, version: Version) -> bool | None:
    """Return whether a name's replacement is there; in another package, in its newest release."""
    known = names(new)
    if known is None:
        return None
    same = old.partition(".")[0] == new.partition(".")[0]
    return has(new, version if same else known.versions[-1])


@lru_cache(maxsize=4096)
def replaced(dotted: str, version: Version) -> Replacement | None:
    """Return what took the place of a name that a version lacks, as far as is known.

    That is what the package said, else where an older version defined it, if that is still there.
    """
    found = replacement_of(dotted)
    home = None if found is not None else _home(dotted, version)
    return found if home is None else Replacement(home, same=True)


def has_rewrite(dotted: str, version: Version) -> bool:
    """Return whether it is known what to write for a name that a version lacks."""
    found = None if has(dotted, version) else replaced(dotted, version)
    if found is None:
        return False
    return bool(found.advice) or has_successor(dotted, found.new, version) is True


def _home(dotted: str, version: Version) -> str | None:
    known, found = names(dotted), history(dotted)
    had = [each for each in found.versions if each < version and found.at(each)] if found else []
    new = known.defined_as(dotted, had[-1]) if known is not None and had else None
    if known is None or new is None or new == dotted:
        return None
    now = known.defined_as(new, version) or ""
    return new if now.rpartition(".")[0] == new.rpartition(".")[0] else None
