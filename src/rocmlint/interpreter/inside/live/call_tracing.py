"""Whether calls of an object around a function run that function: seen at each start of both."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass, field
from functools import partial
from operator import is_
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from .objects.layers import first_code, layers

if TYPE_CHECKING:
    import weakref
    from collections.abc import Iterable

_LIMIT = 2000
"""How many objects of one wrapper are looked at."""
_GENERATORS = 0x20 | 0x80 | 0x200
"""CO_GENERATOR, CO_COROUTINE and CO_ASYNC_GENERATOR of CPython's ``code.h``."""


@dataclass
class Passage:
    """An object that stands for a function, and what was seen of the calls through it."""

    module: str
    name: str
    value: object
    code: CodeType
    """That of the function behind it."""
    alone: bool
    """Whether nothing else leads to the function, so that each run of it came through here."""
    entry: CodeType | None = None
    """The code of the object itself, if it is in Python."""
    part: object = None
    """The function or the instance with this code."""
    calls: int = 0
    passed: int = 0
    """Calls that started the function."""
    runs: int = 0
    translated: int = 0
    """How many of the runs were of what torch.compile made of the function."""
    open: dict[int, list[bool]] = field(default_factory=dict)
    """By the identity of a frame of its own code: whether the function has started below it."""

    @property
    def facts(self) -> dict[str, Any]:
        """The observations, for a report."""
        counts = {"calls": self.calls, "passed": self.passed, "runs": self.runs}
        counts["translated"] = self.translated
        return {"name": self.name, "watched": True, "alone": self.alone, **counts}


_passages: list[Passage] = []
_watched: set[tuple[str, int]] = set()
"""Where the code is whose starts are of interest, and what it was translated to."""


def watch(module: str, name: str, value: object, behind: weakref.ref[FunctionType]) -> None:
    """Begin to count the calls of an object and the runs of the function behind it."""
    core = behind()
    if core is None:
        return
    alone = _is_only_way(value, core)
    found = Passage(module, name, value, core.__code__, alone)
    for each in layers(value, partial(is_, core)) or [value]:
        found.entry, found.part = first_code(each), each
        if found.entry is not None:
            _watched.add(_place(found.entry))
            break
    _passages.append(found)
    _watched.add(_place(core.__code__))


def passages(module: str) -> list[Passage]:
    """Return what was seen of the objects in a module."""
    return [each for each in _passages if each.module == module]


def is_watched(code: CodeType) -> bool:
    """Return whether the starts of code are to be counted."""
    return (code.co_filename, code.co_firstlineno) in _watched


def original(code: CodeType) -> CodeType:
    """Return the code from which torch.compile made other code; else the same.

    ``torch._dynamo.utils.orig_code_map`` has it, in torch 2.1 to 2.13.
    """
    known = getattr(sys.modules.get("torch._dynamo.utils"), "orig_code_map", None)
    try:
        found = None if known is None else known.get(code)
    except (AttributeError, KeyError, TypeError):
        return code
    return found if isinstance(found, CodeType) else code


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_filename, code.co_firstlineno


def started(frame: FrameType) -> None:
    """Count a start of watched code."""
    code = frame.f_code
    if code.co_flags & _GENERATORS and not _is_first(frame):
        return
    source = original(code)
    for each in _passages:
        if each.entry is code and _is_of(frame, each.part):
            each.calls += 1
            each.open[id(frame)] = [False]
        if each.code is source:
            each.runs += 1
            each.translated += source is not code
            _credit(each, frame.f_back)


def _credit(passage: Passage, frame: FrameType | None) -> None:
    """Note the nearest call of the object below which the function has started."""
    while frame is not None:
        if frame.f_code is passage.entry and id(frame) in passage.open:
            has_passed = passage.open[id(frame)]
            passage.passed += not has_passed[0]
            has_passed[0] = True
            return
        frame = frame.f_back


def _is_first(frame: FrameType) -> bool:
    """Return whether a generator starts here, and does not go on."""
    if frame.f_lasti < 0 or sys.version_info < (3, 11):
        return frame.f_lasti < 0
    return frame.f_code.co_code[frame.f_lasti + 1] & 3 == 0  # the argument of RESUME


def _is_of(frame: FrameType, part: Any) -> bool:
    """Return whether a frame is of a function, or of a method of an object: many share code."""
    names, code = frame.f_locals, frame.f_code
    if type(part) is MethodType:
        part = part.__self__
    if type(part) is not FunctionType:
        return not code.co_varnames or names.get(code.co_varnames[0]) is part
    cells = part.__closure__ or ()
    return all(names.get(code.co_freevars[at]) is it.cell_contents for at, it in enumerate(cells))


def _is_only_way(value: object, core: FunctionType) -> bool:
    """Return whether only the parts of an object refer to a function, and only that to its code."""
    parts: dict[int, object] = {}
    waiting = [value]
    while waiting and len(parts) < _LIMIT:
        each = waiting.pop()
        if id(each) in parts or isinstance(each, (type, ModuleType, CodeType, FrameType)):
            continue
        parts[id(each)] = each
        if type(each) is FunctionType:
            waiting += _kept(each)
        else:
            waiting += gc.get_referents(each)
    ours = (waiting, parts)
    holders = [it for it in gc.get_referrers(core) if type(it) is not FrameType]
    others = [it for it in gc.get_referrers(core.__code__) if type(it) is FunctionType]
    return all(id(it) in parts or any(it is own for own in ours) for it in holders) and others == [
        core
    ]


def _kept(function: FunctionType) -> Iterable[object]:
    """Return what a function keeps, and not the names of its module."""
    space = function.__globals__
    return [each for each in gc.get_referents(function) if each is not space]
