"""What torch keeps of exports: the fake tensor modes that they had, and caches to forget.

Each export has a mode of its own, which tells whether it was made while a session was open.
"""

from __future__ import annotations

import gc
import sys
from typing import Any
from weakref import WeakSet


class Modes:
    """The fake tensor modes that exports began with since this was made, until ``end``."""

    def __init__(self) -> None:
        """Note the modes that there are; they are of earlier exports."""
        self._earlier = _all()
        self._until: WeakSet[Any] | None = None

    def end(self) -> None:
        """Note the modes that there are; later ones do not count."""
        self._until = _all()

    def has(self, mode: Any) -> bool:
        """Tell whether a program with this mode was exported meanwhile.

        A program that was loaded has a mode too, which never had inputs of an export (torch 2.13).
        """
        inputs = getattr(getattr(mode, "shape_env", None), "tracked_fakes", None)
        if inputs is None or mode in self._earlier:
            return False
        return self._until is None or mode in self._until


def forget() -> None:
    """Drop what torch computed with functions that a session replaces; only time is lost.

    Compiled code does not notice that a method of a module's class was replaced (torch 2.13), and
    fake tensors not that a kernel was: before a session both would run the original, and after it
    what was compiled meanwhile would still run the patch.
    """
    fake: Any = sys.modules.get("torch._subclasses.fake_tensor")
    if hasattr(fake, "FakeTensorMode"):
        fake.FakeTensorMode.cache_clear()
    dynamo: Any = sys.modules.get("torch._dynamo")
    if hasattr(dynamo, "reset"):
        dynamo.reset()


def _all() -> WeakSet[Any]:
    module: Any = sys.modules.get("torch._subclasses.fake_tensor")
    kind = getattr(module, "FakeTensorMode", None)
    return WeakSet() if kind is None else WeakSet(e for e in gc.get_objects() if type(e) is kind)
