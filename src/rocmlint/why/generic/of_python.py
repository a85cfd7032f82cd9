"""Names that Python's own modules do not have yet, or no longer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.installed import python_version
from rocmlint.why.facts.packages.python_names import python_name
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import innermost, made, python_of, where
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context

_IMPORT = re.compile(r"cannot import name ['\"](?P<name>\w+)['\"] from ['\"](?P<module>\w+)['\"]")
_ATTRIBUTE = re.compile(
    r"module ['\"](?P<module>\w+)['\"] has no attribute ['\"](?P<name>\w+)['\"]"
)
_NEWER = {"tomllib": ("3.11", "tomli"), "zoneinfo": ("3.9", "backports.zoneinfo")}
"""Modules that came with a Python, and the package for older ones."""
_WEIGHT = 26


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a name of Python's own that this Python lacks."""
    found = _IMPORT.search(near(text, "cannot import name"))
    found = found or _ATTRIBUTE.search(near(text, "has no attribute"))
    if found is not None:
        yield from _of_name(context, found["module"], found["name"], found[0])
        return
    missing = re.search(r"No module named ['\"](\w+)['\"]", near(text, "No module named"))
    if missing is not None and missing[1] in _NEWER:
        came, package = _NEWER[missing[1]]
        python = python_of_log(context)
        if isinstance(python, str) and is_below(python, came):
            context.saw("Python", python, "the log or the environment")
            yield _made(
                context,
                f"Python {python} has no {missing[1]}: it came with {came}",
                (Action(f"use Python {came}, or import {package} instead"),),
                None,
                missing[0],
            )


def _of_name(context: Context, module: str, name: str, message: str) -> Iterator[Explanation]:
    known = python_name(module, name)
    if known is None:
        return
    python = python_of_log(context)
    unread = python if isinstance(python, UnreadFact) else None
    if isinstance(python, str):
        is_older = is_below(python, known.came or known.went)
        if is_older is bool(known.went):
            return
        context.saw("Python", python, "the log or the environment")
    instead = f"use {known.instead}" if known.instead else f"do without {name}"
    this = f"Python {python}" if isinstance(python, str) else "this Python"
    if known.went:
        cause = f"{this} has no {module}.{name}: it was removed in {known.went}"
        place = innermost(context)
        is_package = place is not None and place.owner.kind == "package"
        text = (
            f"upgrade {place.owner.name}, whose release is older than this Python"
            if (place is not None and is_package)
            else instead
        )
    else:
        cause = f"{this} has no {module}.{name} yet: it came with {known.came}"
        text = f"use Python {known.came}" + (f", or {known.instead}" if known.instead else "")
    yield _made(context, cause, (Action(text),), unread, message)


def _made(
    context: Context,
    cause: str,
    actions: tuple[Action, ...],
    unread: UnreadFact | None,
    message: str,
) -> Explanation:
    return made(
        context,
        "name-of-python",
        cause,
        weight=_WEIGHT,
        where=where(innermost(context)),
        actions=actions,
        confirm=f"{python_of(context)} --version",
        missing=(unread,),
        message=message,
    )


def python_of_log(context: Context) -> str | UnreadFact:
    """Return the Python whose library is in the frames or in the message, else the chosen one."""
    texts = [each.file for each in context.frames]
    if context.raised is not None:
        texts.insert(0, context.raised.message)
    for text in texts:
        found = re.search(r"[/\\][Pp]ython(3)\.?(\d{1,2})[/\\]", text)
        if found is not None:
            return f"{found[1]}.{found[2]}"
    python = python_version(context)
    if python is None or isinstance(python, UnreadFact):
        return UnreadFact("the version of Python", "python --version")
    return str(python)


def is_below(python: str, other: str) -> bool:
    """Return whether a Python is older than another, both as major.minor."""
    return _numbers(python) < _numbers(other)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(".")[:2])
