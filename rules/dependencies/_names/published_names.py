"""What is known of a name: where it is in the index, what was gone before the index begins."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.published.replacements import GONE_BEFORE, replacement_of

from .uses import is_of_torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from packaging.version import Version

    from rocmlint.published.names import History, PackageNames


_REGISTERING = ("torch.distributed._tensor.",)
"""What is below packages that put modules into `sys.modules`: their files do not say what."""


def names(dotted: str) -> PackageNames | None:
    """Return the index of the package that a dotted name begins with."""
    from rocmlint.published.names import names_of  # noqa: PLC0415 - few files need it

    return names_of(dotted.partition(".")[0])


def has(dotted: str, version: Version) -> bool | None:
    """Return whether a version has a module or a name of a module; None: not known."""
    return _state(dotted, version, history)


def has_member(dotted: str, attribute: str, version: Version) -> bool | None:
    """Return whether a class has an attribute, inherited or its own; None: not known."""
    return _state(f"{dotted}.{attribute}", version, lambda _: member(dotted, attribute))


def has_successor(old: str, new: str, version: Version) -> bool | None:
    """Return whether a name's replacement is there; in another package, in its newest release."""
    known = names(new)
    if known is None:
        return None
    same = old.partition(".")[0] == new.partition(".")[0]
    return has(new, version if same else known.versions[-1])


def has_rewrite(dotted: str, version: Version) -> bool:
    """Return whether it is known what to write for a name that a version lacks."""
    if has(dotted, version):
        return False
    found = replacement_of(dotted)
    if found is None:
        return home(dotted, version) is not None
    return bool(found.advice) or has_successor(dotted, found.new, version) is True


@lru_cache(maxsize=4096)
def home(dotted: str, version: Version) -> str | None:
    """Return where an older version defined what it had by this name, if that is still there."""
    known, found = names(dotted), history(dotted)
    had = [each for each in found.versions if each < version and found.at(each)] if found else []
    new = known.defined_as(dotted, had[-1]) if known is not None and had else None
    if known is None or new is None or new == dotted:
        return None
    now = known.defined_as(new, version) or ""
    return new if now.rpartition(".")[0] == new.rpartition(".")[0] else None


@lru_cache(maxsize=4096)
def history(dotted: str) -> History | None:
    """Return the history of a module or a name of a module."""
    known = names(dotted)
    return None if known is None else known.history(dotted)


@lru_cache(maxsize=4096)
def member(dotted: str, attribute: str) -> History | None:
    """Return the history of an attribute of a class."""
    known = names(dotted)
    return None if known is None else known.member(dotted, attribute)


@lru_cache(maxsize=4096)
def lacking(dotted: str) -> tuple[str, ...]:
    """Return the beginnings of a dotted name that some version is proven to lack."""
    found = []
    for beginning in _beginnings(dotted):
        if beginning.startswith(_REGISTERING):
            break
        known = history(beginning)
        if beginning in GONE_BEFORE or (known is not None and is_ever_missing(known)):
            # What no torch has may come from a package beside it: torch.npu of torch_npu.
            if was_ever_there(known, beginning) or not is_of_torch(beginning):
                found.append(beginning)
        elif known is None:
            break
    return tuple(found)


def is_ever_missing(found: History) -> bool:
    """Return whether some proven version is known to lack it."""
    return (found.there | found.unknown) != (1 << len(found.versions)) - 1


def was_ever_there(found: History | None, dotted: str) -> bool:
    """Return whether some version is known to have it: no new thing that the code brings along."""
    return dotted in GONE_BEFORE or (found is not None and bool(found.there))


def _beginnings(dotted: str) -> Iterator[str]:
    parts = dotted.split(".")
    return (".".join(parts[:length]) for length in range(2, len(parts) + 1))


def _state(dotted: str, version: Version, find: Callable[[str], History | None]) -> bool | None:
    found = find(dotted)
    state = None if found is None else found.at(version)
    if state is None and dotted in GONE_BEFORE:
        from packaging.version import Version  # noqa: PLC0415 - see the function `names`

        return None if version < Version(GONE_BEFORE[dotted]) else False
    return state
