"""The frames that Python's faulthandler prints when a process crashes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.why.log.log_data import LogFrame

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\)")
_FRAME = re.compile(r'\s*File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}) in (?P<function>.+)')


def dumped_frames(lines: Iterable[str]) -> tuple[LogFrame, ...]:
    """Return the frames of the thread that crashed, the innermost last; none without a dump."""
    found: list[LogFrame] = []
    is_inside = False
    for line in lines:
        if _HEAD.search(line):
            if found or "Current thread" not in line:
                is_inside = False
                continue
            is_inside = True
            continue
        match = _FRAME.match(line) if is_inside else None
        if match is not None:
            found.append(LogFrame(match["file"], int(match["line"]), match["function"].strip()))
        elif found:
            is_inside = False
    return tuple(reversed(found))
