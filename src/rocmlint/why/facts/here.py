"""Facts about this machine and shell: ``gpus()``, ``variable('HOME')``, ``exists('/dev/kfd')``."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.why.facts.value import Unread

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context


def gpus(context: Context) -> tuple[str, ...] | Unread:
    """Return the processors of the GPUs here ("gfx942"), or those that the log names."""
    found = context.devices.architectures
    if found:
        context.saw("GPU", ", ".join(found), context.devices.source)
        return found
    return Unread("the GPU", "rocminfo | grep gfx")


def variable(context: Context, name: str) -> str:
    """Return an environment variable as the log shows it, else as it is set here; else empty."""
    pattern = re.compile(rf"(?<![\w$]){re.escape(name)}=['\"]?([^\s'\";,]*)")
    for line in context.log.lines:
        found = pattern.search(line) if name in line else None
        if found is not None:
            context.saw(name, found[1] or "empty", "the log")
            return found[1]
    value = context.variables.get(name, "")
    context.saw(name, value or "not set", "this shell")
    return value


def exists(context: Context, path: str) -> bool:
    """Return whether a path exists on this machine."""
    found = os.path.exists(context.machine.path(path))
    context.saw(path, "exists" if found else "does not exist", "this machine")
    return found


def seen(context: Context, text: str) -> bool:
    """Return whether a text stands anywhere in the log."""
    line = next((each for each in context.log.lines if text in each), None)
    if line is not None:
        context.saw("the log says", line.strip()[:200], "the log")
    return line is not None


FACTS = {"gpus": gpus, "variable": variable, "exists": exists, "seen": seen}
