"""Which functions of this process run, from ``start`` on: each is seen at its first call.

With ``sys.monitoring`` (3.12) a function costs one event, whatever the number of its calls; before,
``sys.setprofile`` costs one for each call, and sees the threads that are started afterwards.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from .fingerprints import is_function

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType

_NAME = "rocmlint"
_TOOLS = (4, 3, 1, 5, 2, 0)
"""The identifiers of tools, those first that no kind of tool claims (``sys.monitoring``)."""

_MONITORING: Any = getattr(sys, "monitoring", None)

_seen: dict[int, CodeType] = {}
"""By identity, which holds as long as the code is kept here; equal code may be of two files."""
_tool: list[int] = []


def start() -> str | None:
    """Begin to watch; give None, or why that is not possible: a profiler has the only place."""
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
    """Return the code of the functions that ran and that name one of these files as theirs."""
    wanted = set(files)
    return [each for each in list(_seen.values()) if each.co_filename in wanted]


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
    if is_function(code):
        _seen[id(code)] = code
    return _MONITORING.DISABLE


def _profile(frame: FrameType, event: str, _argument: object) -> None:
    if event == "call" and is_function(frame.f_code):
        _seen[id(frame.f_code)] = frame.f_code
