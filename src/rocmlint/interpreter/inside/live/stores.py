"""Which attributes the sources of a package set, from wherever in it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .home import top
from .sources import NoSourceError, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_STORED = re.compile(rb"(?:\b(\w+)|[)\]])\.(\w+)[ \t]*(?::[^=\n]+)?(?:[-+*/|&]|//|\*\*)?=(?!=)")
"""``owner.name = ...``"""
_NAMED = re.compile(rb"(\w+)\(\s*(?:\w+\.)*(\w+)\s*,\s*[\"'](\w+)[\"']")
"""``setattr(owner, "name", ...)``, or a function that does it."""
_READ = {b"getattr", b"hasattr", b"isinstance", b"print"}
_COMPUTED = re.compile(rb"\bsetattr\(\s*(?:\w+\.)*(\w+)\s*,\s*(?![\"'])")


@dataclass(frozen=True)
class Stores:
    """What some sources set, as far as their text shows it."""

    pairs: frozenset[tuple[bytes, bytes]]
    """The last name of the owner, and the attribute."""
    names: frozenset[bytes]
    """The attributes of anything but ``self``."""
    owners: frozenset[bytes]
    """Those that get attributes of computed names."""

    def sets(self, owner: str, name: str) -> bool:
        """Return whether they set an attribute of something that is so called."""
        pair = owner.encode(), name.encode()
        return pair in self.pairs or pair[0] in self.owners

    def sets_name(self, name: str) -> bool:
        """Return whether they set an attribute of that name of anything but ``self``."""
        return name.encode() in self.names


def stores_in(sources: Iterable[bytes]) -> Stores:
    """Read what sources set."""
    pairs: set[tuple[bytes, bytes]] = set()
    owners: set[bytes] = set()
    for data in sources:
        pairs.update(_STORED.findall(data))
        named = _NAMED.findall(data)
        pairs.update((owner, name) for by, owner, name in named if by not in _READ)
        owners.update(_COMPUTED.findall(data))
    names = frozenset(name for owner, name in pairs if owner != b"self")
    return Stores(frozenset(pairs), names, frozenset(owners - {b"self"}))


def stores_of(module: str) -> Stores:
    """Return what the loaded modules of the package that a module is part of set."""
    package = top(module)
    return _stores_of(package, tuple(each for each in list(sys.modules) if top(each) == package))


@lru_cache(maxsize=16)
def _stores_of(_package: str, modules: tuple[str, ...]) -> Stores:
    return stores_in(filter(None, map(_source, modules)))


def _source(name: str) -> bytes:
    try:
        return source_of(sys.modules[name]).data
    except (KeyError, NoSourceError):
        return b""
