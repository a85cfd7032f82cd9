"""Which programs were exported while a session was open: each export has a mode of its own."""

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


def _all() -> WeakSet[Any]:
    module: Any = sys.modules.get("torch._subclasses.fake_tensor")
    kind = getattr(module, "FakeTensorMode", None)
    return WeakSet() if kind is None else WeakSet(e for e in gc.get_objects() if type(e) is kind)
