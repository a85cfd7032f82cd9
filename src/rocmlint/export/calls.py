"""Counting the calls of a replacement, and marking what torch traces below it.

The function that is installed calls the replacement and is named so that each node that torch
traces below it carries the name of the patch in its ``stack_trace``. torch 2.13 keeps only frames
of functions that are called ``forward`` there, unless Dynamo traces; so that is its name, and the
patch is in the name of its file (``torch.fx.proxy.TracerBase._filter_traceback_frames``).
"""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import cached_property, update_wrapper
from threading import RLock
from types import FunctionType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_FIELDS = {cached_property: "func", classmethod: "__func__", staticmethod: "__func__"}


class Calls:
    """How often a replacement was called, and how often while which program was traced."""

    def __init__(self, mark: str) -> None:
        """Take the mark, which is different for every patch of every session."""
        self.mark = mark
        self.total = 0
        self.counted = False
        """Whether the replacement can be counted at all."""
        self._traces: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._lock = RLock()

    def count(self) -> None:
        """Count a call, from any thread."""
        self._count(_fake_modes() or _fake_modes_of_exports())

    def note(self, _: object) -> None:
        """Count a call that Dynamo traces; it passes what it knows of the trace."""
        self._count(_fake_modes() | _fake_modes_of_torch())

    def _count(self, modes: set[Any]) -> None:
        with self._lock:
            self.total += 1
            for mode in modes:
                self._traces[mode] = self._traces.get(mode, 0) + 1

    def while_tracing(self, mode: Any) -> int:
        """Return how many calls came while this fake tensor mode was active."""
        with self._lock:
            return 0 if mode is None else self._traces.get(mode, 0)


def counted(replacement: Any, original: Any, calls: Calls) -> Any:
    """Return what to install: the replacement, counted and marked where that is possible.

    Functions are, also those in a staticmethod, classmethod, property or cached_property. A class
    or another object is installed as it is: a function around it would not be the same thing.
    """
    if isinstance(replacement, FunctionType) and not inspect.iscoroutinefunction(replacement):
        calls.counted = True
        return _around(replacement, original, calls)
    if type(replacement) is property:
        fget, fset, fdel = (
            counted(getattr(replacement, each), getattr(original, each, None), calls)
            for each in ("fget", "fset", "fdel")
        )
        return property(fget, fset, fdel, replacement.__doc__)
    field = _FIELDS.get(type(replacement))
    if field is not None:
        inner = counted(getattr(replacement, field), getattr(original, field, None), calls)
        installed = type(replacement)(inner)
        if isinstance(replacement, cached_property):
            installed.attrname = replacement.attrname
        return installed
    return replacement


def _around(replacement: FunctionType, original: Any, calls: Calls) -> FunctionType:
    count = calls.count
    is_traced_by_dynamo, when_traced = _dynamo()

    def note(context: object) -> None:
        calls.note(context)

    def installed(*args: Any, **kwargs: Any) -> Any:
        if is_traced_by_dynamo():
            when_traced(note)
        else:
            count()
        return replacement(*args, **kwargs)

    function: FunctionType = installed  # type: ignore[assignment]
    names: dict[str, str] = {"co_filename": f"<{calls.mark}>", "co_name": "forward"}
    if sys.version_info >= (3, 11):
        names["co_qualname"] = "forward"
    function.__code__ = function.__code__.replace(**names)  # type: ignore[arg-type]
    update_wrapper(function, replacement)
    # It is found under the name of the original: pickle and torch look it up there.
    for each in ("__module__", "__name__", "__qualname__"):
        if isinstance(getattr(original, each, None), str):
            setattr(function, each, getattr(original, each))
    return function


def _dynamo() -> tuple[Callable[[], bool], Callable[[Any], None]]:
    """Return torch's own functions, which Dynamo knows; without torch, nothing is traced.

    It replaces the first with True, and runs what the second is called with while it traces.
    Counting itself must not be traced, as a change of an object that the program does not have.
    """
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return (lambda: False), (lambda _: None)
    comptime: Any = importlib.import_module("torch._dynamo.comptime")
    return torch.compiler.is_dynamo_compiling, comptime.comptime


def _fake_modes() -> set[Any]:
    """Return the fake tensor mode that is active: each export has its own."""
    guards: Any = sys.modules.get("torch._guards")
    try:
        mode = guards.detect_fake_mode() if guards is not None else None
    except AssertionError:  # two at once: neither is known to be that of the program
        return set()
    return {mode} - {None}


def _fake_modes_of_torch() -> set[Any]:
    """Return the modes that functions of torch have which run now.

    Dynamo traces the branches of a ``cond`` in a mode of its own, inside of that of the export.
    """
    module: Any = sys.modules.get("torch._subclasses.fake_tensor")
    kind = getattr(module, "FakeTensorMode", ())
    return {each for each in _variables_of_torch("torch.") if isinstance(each, kind)}


def _fake_modes_of_exports() -> set[Any]:
    """Return the modes of exports that have traced the model, and have not returned yet.

    No mode is active any more then; what was traced is passed on with its mode (torch 2.13).
    """
    module: Any = sys.modules.get("torch.export._trace")
    kind = getattr(module, "ExportArtifact", ())
    return {
        each.fake_mode for each in _variables_of_torch("torch.export.") if isinstance(each, kind)
    }


def _variables_of_torch(prefix: str) -> Iterator[Any]:
    """Yield the variables of functions that run now, of modules whose name begins like that."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the documented way
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith(prefix):
            yield from list(frame.f_locals.values())
        frame = frame.f_back
