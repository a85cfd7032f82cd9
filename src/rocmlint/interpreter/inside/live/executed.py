"""Which functions of this process run, from ``start`` on: each is seen at its first call.

With ``sys.monitoring`` (3.12) a function costs one event, whatever the number of its calls; before,
``sys.setprofile`` costs one for each call, and sees the threads that are started afterwards.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from . import call_tracing
from .objects.counters import have_run
from .objects.fingerprints import is_function

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType

_NAME = "rocmlint"
_TOOLS = (4, 3, 1, 5, 2, 0)
"""The identifiers of tools, those first that no kind of tool claims (``sys.monitoring``)."""

_MONITORING: Any = getattr(sys, "monitoring", None)

_seen: dict[int, CodeType] = {}
"""By identity, which holds as long as the code is kept here; equal code may be of two files."""
_callers: dict[int, dict[int, CodeType]] = {}
"""By identity of the code of a traced file, all code that was below it on the stack."""
_traced: set[str] = set()
_tool: list[int] = []


def start(traced: Iterable[str] = ()) -> str | None:
    """Begin to watch; give None, or why that is not possible: a profiler has the only place.

    Of the functions of ``traced`` files it is also seen what calls them, at each of their calls.
    """
    _traced.update(os.path.realpath(each) for each in traced)
    if _MONITORING is not None:
        return _start_monitoring()
    if sys.getprofile() not in (None, _profile):
        return "a profiler is running (sys.setprofile)"
    threading.setprofile(_profile)
    sys.setprofile(_profile)
    return None


def stop() -> None:
    """Watch no longer; what was seen stays."""
    if _MONITORING is not None:
        while _tool:
            tool = _tool.pop()
            _MONITORING.set_events(tool, 0)
            _MONITORING.free_tool_id(tool)
    elif sys.getprofile() is _profile:
        sys.setprofile(None)
        threading.setprofile(None)


def ran(files: Iterable[str]) -> list[CodeType]:
    """Return the code of the functions that ran and that name one of these files as theirs.

    What torch.compile made of a function counts as that function.
    """
    wanted = set(files)
    found = [each for each in list(_seen.values()) if each.co_filename in wanted]
    return [call_tracing.original(each) for each in found]


def is_used() -> bool:
    """Return whether anything was watched."""
    return bool(_seen)


def ran_below(codes: Iterable[CodeType], callers: Iterable[CodeType]) -> bool | None:
    """Return whether one of some codes ran, called by one of ``callers``, if there are any.

    None if nothing was watched; without ``callers`` an older CPython knows it all the same.
    """
    callers = list(callers)
    if not _seen:
        return None if callers else have_run(codes)
    wanted = {id(each) for each in callers}
    ran = [id(each) for each in codes if id(each) in _seen]
    if not wanted:
        return bool(ran)
    return any(wanted & _callers.get(each, {}).keys() for each in ran)


def _start_monitoring() -> str | None:
    if _tool:
        return None
    for tool in _TOOLS:
        if _MONITORING.get_tool(tool) is None:
            _MONITORING.use_tool_id(tool, _NAME)
            _MONITORING.register_callback(tool, _MONITORING.events.PY_START, _started)
            _MONITORING.set_events(tool, _MONITORING.events.PY_START)
            _MONITORING.restart_events()
            _tool.append(tool)
            return None
    return "all tool IDs are in use (sys.monitoring)"


def _started(code: CodeType, _offset: int) -> Any:
    frame = sys._getframe(1)  # noqa: SLF001 - nothing else gives the frame
    is_wanted = False
    if is_function(code):
        _seen[id(code)] = code
        is_wanted = bool(_traced) and _note_callers(frame)
    if call_tracing.is_watched(code):
        call_tracing.started(frame)
        is_wanted = True
    return None if is_wanted else _MONITORING.DISABLE


def _profile(frame: FrameType, event: str, _argument: object) -> None:
    if event == "call" and is_function(frame.f_code):
        _seen[id(frame.f_code)] = frame.f_code
        if _traced:
            _note_callers(frame)
        if call_tracing.is_watched(frame.f_code):
            call_tracing.started(frame)


def _note_callers(frame: FrameType) -> bool:
    """Note what a function of a traced file was called by; return whether it is one."""
    name = frame.f_code.co_filename
    if name not in _real:
        _real[name] = os.path.realpath(name)
    if _real[name] not in _traced:
        return False
    known = _callers.setdefault(id(frame.f_code), {})
    below = frame.f_back
    while below is not None:
        known[id(below.f_code)] = below.f_code
        below = below.f_back
    return True


_real: dict[str, str] = {}
"""The path of each file that code names, without links."""
