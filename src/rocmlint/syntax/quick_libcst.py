"""LibCST, imported in half of the time."""

from __future__ import annotations

import abc
import dataclasses
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Plain:
    """Takes the place of ``ABC``."""

    __slots__ = ()


@contextmanager
def plain_nodes() -> Iterator[None]:
    """Import LibCST within, and what its dataclasses never use is not made.

    It has 170 classes of nodes. Python compiles methods for each, and most of that time goes to
    those that forbid to set an attribute; ``repr`` and ``==`` are made too, although the class
    has its own. Without them a node is also made and parsed faster. A type checker still says
    that nodes are frozen. Nor does a node check itself when it is made, which takes a sixth of the
    time of a parse: of what Python refuses the parser takes only ``"a" b"b"``.

    Its classes are plain, not abstract ones, for which isinstance() calls functions of Python.
    Nodes are equal and hashed by identity; the functions that say so are those of ``object``.
    """
    dataclass, abstract = dataclasses.dataclass, abc.ABC

    def quick(cls: Any = None, /, **options: Any) -> Any:
        if cls is None:
            return lambda cls: quick(cls, **options)
        if cls.__module__.startswith("libcst._nodes.") and "__eq__" in vars(cls):
            options |= {"frozen": False, "repr": False, "eq": False}
        if cls.__name__ == "CSTNode":
            del cls.__post_init__
            cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__
        elif cls.__name__ == "ConcatenatedString":
            cls.__post_init__ = cls._validate
        return dataclass(cls, **options)

    module = vars(dataclasses)
    module["dataclass"] = quick
    vars(abc)["ABC"] = _Plain
    try:
        yield
    finally:
        module["dataclass"] = dataclass
        vars(abc)["ABC"] = abstract
