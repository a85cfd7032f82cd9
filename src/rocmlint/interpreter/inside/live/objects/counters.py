"""Whether code has run: the counter that CPython before 3.12 keeps in each code object itself.

Reading it costs a program nothing and changes nothing in it. Its place is fixed, since 3.9 to 3.11
only get security fixes; even so, code of this file is run to test it before it is believed.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType

_PLACES = {(3, 9): (168, "c_int"), (3, 10): (168, "c_int"), (3, 11): (52, "c_short")}
"""``co_opcache_flag``, and ``co_warmup`` in 3.11: offset and type. Both count the first calls."""
_SIZES = {(3, 9): 176, (3, 10): 176, (3, 11): 184}


def have_run(codes: Iterable[CodeType]) -> bool | None:
    """Return whether any of some code was ever entered; None where that cannot be known.

    A fork begins with what its parent has run.
    """
    read = _reader()
    return None if read is None else any(map(read, codes))


@lru_cache(maxsize=1)
def _reader() -> Callable[[CodeType], bool] | None:
    version = sys.version_info[:2]
    if sys.implementation.name != "cpython" or version not in _PLACES:
        return None
    with suppress(Exception):  # an interpreter without ctypes
        offset, kind = _PLACES[version]
        from_address = getattr(import_module("ctypes"), kind).from_address
        probe = eval("lambda: None")  # noqa: S307 - code that nothing has run
        if type(probe.__code__).__basicsize__ != _SIZES[version]:  # a debug build
            return None
        fresh = from_address(id(probe.__code__) + offset).value

        def read(code: CodeType) -> bool:
            return bool(from_address(id(code) + offset).value != fresh)

        probe()
        unused = eval("lambda: None")  # noqa: S307 - the same
        return read if read(probe.__code__) and not read(unused.__code__) else None
    return None
