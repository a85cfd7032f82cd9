"""Facts about this shell and the log: ``variable('HOME')``, ``exists('/dev/kfd')``, ``seen()``."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.published.visible_devices import CUDA, HIP, ROCR, entries, is_short

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context

_SET = re.compile(
    r"(?<![\w$])(?P<name>[A-Z]\w{1,80})['\"]?\s?[=:]\s?['\"]?(?P<value>(?:[^\s'\";,]|,(?=\w))*)"
)


def variable(context: Context, name: str) -> str:
    """Return an environment variable as the log shows it, else as it is set here; else empty."""
    lines = (line for line in context.log.lines if name in line)
    found = (each for line in lines for each in _SET.finditer(line) if each["name"] == name)
    first = next(found, None)
    if first is not None:
        context.saw(name, first["value"] or "empty", "the log")
        return first["value"]
    value = context.host.variable(name) or ""
    context.saw(name, value or "not set", "rocm examine" if context.examination else "this shell")
    return value


def count_set(context: Context, *names: str) -> int:
    """Return how many of these environment variables are set."""
    return sum(variable(context, each) != "" for each in names)


def switched_on(context: Context, prefix: str) -> str:
    """Return the variable that begins so and is set to 1 or true; empty for none or several."""
    lines = (each for each in context.log.lines if prefix in each)
    of_log = (found for line in lines for found in _SET.finditer(line))
    values = {
        **(context.variables if context.examination is None else {}),
        **{each["name"]: each["value"] for each in of_log},
    }
    on = [
        name
        for name, value in values.items()
        if name.startswith(prefix) and value.lower() in {"1", "true"}
    ]
    if len(on) != 1:
        return ""
    context.saw(on[0], values[on[0]], "the environment")
    return on[0]


def filters_clash(context: Context) -> bool:
    """Return whether ROCr's list leaves HIP too few devices for a list of its own."""
    left = entries(variable(context, ROCR))
    wanted = [entries(variable(context, each)) for each in (HIP, CUDA)]
    return bool(left) and any(is_short(left, each) for each in wanted if each)


def exists(context: Context, path: str) -> bool:
    """Return whether a path exists on this machine."""
    if path.startswith("/dev/"):
        found = context.host.node(path) is not None
    else:
        found = os.path.exists(context.machine.path(path))
    context.saw(path, "exists" if found else "does not exist", context.host.source)
    return found


def seen(context: Context, *texts: str) -> bool:
    """Return whether one of these texts is anywhere in the log."""
    lines = (each for each in context.log.lines if any(text in each for text in texts))
    line = next(lines, None)
    if line is not None:
        context.saw("the log says", line.strip()[:200], "the log")
    return line is not None


def has_exception(context: Context) -> bool:
    """Return whether the log has an exception; else a warning in it may be all there is."""
    return bool(context.log.chains)


FACTS = {
    "variable": variable,
    "count_set": count_set,
    "exists": exists,
    "filters_clash": filters_clash,
    "seen": seen,
    "switched_on": switched_on,
    "has_exception": has_exception,
}
