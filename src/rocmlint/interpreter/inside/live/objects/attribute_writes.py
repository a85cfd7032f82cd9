"""Which attributes the sources of a package set, from wherever in it."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..source.module_source import NoSourceError, source_of
from .origin_package import top

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_STORED = re.compile(rb"(?:\b(\w+)|[)\]])\.(\w+)[ \t]*(?::[^=\n]+)?(?:[-+*/|&]|//|\*\*)?=(?!=)")
"""``owner.name = ...``"""
_NAMED = re.compile(rb"(\w+)\(\s*(?:\w+\.)*(\w+)\s*,\s*[\"'](\w+)[\"']")
"""``setattr(owner, "name", ...)``, or a function that does it."""
_READ = {b"getattr", b"hasattr", b"isinstance", b"print"}
_COMPUTED = re.compile(rb"\bsetattr\(\s*(?:\w+\.)*(\w+)\s*,\s*(?![\"'])")


@dataclass(frozen=True)
class Stores:
    """The attributes that some sources set, as far as their text shows it."""

    pairs: frozenset[tuple[bytes, bytes]]
    """The last name of the owner, and the attribute."""
    names: frozenset[bytes]
    """The attributes of anything but ``self``."""
    owners: frozenset[bytes]
    """Those that get attributes of computed names."""
    times: Mapping[bytes, int]
    """How many statements set an attribute of each name."""

    def sets(self, owner: str, name: str) -> bool:
        """Return whether they set an attribute of something that is so called."""
        pair = owner.encode(), name.encode()
        return pair in self.pairs or pair[0] in self.owners

    def sets_name(self, name: str, *, more_than: int = 0) -> bool:
        """Return whether they set an attribute of that name of anything but ``self``.

        With ``more_than``, in more statements than so many.
        """
        return name.encode() in self.names and self.times[name.encode()] > more_than


def stores_in(sources: Iterable[bytes]) -> Stores:
    """Read what sources set."""
    pairs: set[tuple[bytes, bytes]] = set()
    owners: set[bytes] = set()
    times: Counter[bytes] = Counter()
    for data in sources:
        found = _STORED.findall(data)
        found += [(owner, name) for by, owner, name in _NAMED.findall(data) if by not in _READ]
        pairs.update(found)
        times.update(name for owner, name in found if owner != b"self")
        owners.update(_COMPUTED.findall(data))
    names = frozenset(name for owner, name in pairs if owner != b"self")
    return Stores(frozenset(pairs), names, frozenset(owners - {b"self"}), times)


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
