"""Who refers to an object, and who refers to those in turn, as far as Python can see.

The garbage collector knows all containers that refer to an object. What ``gc.freeze`` set aside is
given back to it: it would not be looked at.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import defaultdict
from functools import lru_cache, partial
from types import (
    AsyncGeneratorType,
    CellType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any

RUNNING = (FrameType, GeneratorType, CoroutineType, AsyncGeneratorType)
_PARTS = (
    *(dict, list, tuple, set, frozenset, CellType, MethodType, staticmethod, classmethod, partial),
    type(lru_cache(len)),
)
"""What belongs to something else, which has to be known too."""
_FEW = 64
_DEPTH = 4  # a function, a tuple, a dictionary, an object
_HERE = os.path.dirname(__file__) + os.sep


class Heap:
    """The holders of some objects, and the holders of those that are only parts of something."""

    def __init__(self, objects: list[Any]) -> None:
        """Search: one pass over all objects there are for each level, about 0.1 s per million."""
        self._holders: dict[int, list[Any]] = defaultdict(list)
        self._objects = objects
        gc.unfreeze()
        level = list(objects)
        for _ in range(_DEPTH):
            if not level:
                break
            level = self._ascend(level)

    def holders(self, each: Any) -> list[Any]:
        """Return what refers to an object."""
        return self._holders.get(id(each), [])

    def _ascend(self, level: list[Any]) -> list[Any]:
        """Find the holders of some objects, and return those whose holders are needed too."""
        ids = {id(each) for each in level}
        mine = {id(self._objects), id(self._holders), id(level), *map(id, self._holders.values())}
        known = set(self._holders)
        holders = referrers(level)
        mine.add(id(holders))
        above: dict[int, Any] = {}
        for holder in holders:
            if id(holder) in mine or is_ours(holder):
                continue
            for part in gc.get_referents(holder):
                if id(part) in ids and not _has(self._holders[id(part)], holder):
                    self._holders[id(part)].append(holder)
            if isinstance(holder, _PARTS) and id(holder) not in known and not is_namespace(holder):
                above[id(holder)] = holder
        return list(above.values())


def referrers(objects: list[Any]) -> list[Any]:
    """Return what the collector shows; it compares every reference there is with each object.

    Not the tuple in which Python itself passes the objects, which nothing else refers to.
    """
    if len(objects) <= _FEW:
        found = gc.get_referrers(*objects)
        only_here = 3  # the list, the variable and the argument
        return [
            each for each in found if type(each) is not tuple or sys.getrefcount(each) > only_here
        ]
    ids = {id(each) for each in objects}
    return [
        each
        for each in gc.get_objects()
        if each is not objects and any(id(part) in ids for part in gc.get_referents(each))
    ]


def _has(holders: list[Any], holder: Any) -> bool:
    return any(each is holder for each in holders)


def is_namespace(names: Any) -> bool:
    """Return whether a dictionary is the namespace of a module."""
    if type(names) is not dict or not isinstance(names.get("__name__"), str):
        return False
    module = sys.modules.get(names["__name__"])
    return isinstance(module, ModuleType) and vars(module) is names


def is_ours(holder: Any) -> bool:
    """Return whether it is a frame of the search itself, or something that a session keeps."""
    for each in ("f_code", "gi_code"):
        if isinstance(holder, RUNNING) and hasattr(holder, each):
            return str(getattr(holder, each).co_filename).startswith(_HERE)
    module = getattr(type(holder), "__module__", "")
    return isinstance(module, str) and module.startswith("rocmlint.export.")


def owner_of(names: dict[Any, Any], heap: Heap) -> Any:
    """Return the module, class, function or object whose dictionary it is; None if it has none."""
    if is_namespace(names):
        return sys.modules[names["__name__"]]
    for holder in heap.holders(names):
        if isinstance(holder, type):
            if raw_dict(holder) is names:
                return holder
        elif isinstance(holder, dict):
            continue
        elif getattr(holder, "__dict__", None) is names:
            return holder
    return None


def raw_dict(owner: type) -> Any:
    """Return the dictionary of a class itself; ``vars`` returns a view of it."""
    return next((each for each in gc.get_referents(vars(owner)) if isinstance(each, dict)), None)


def where(holder: Any, key: Any, heap: Heap, depth: int = _DEPTH) -> str:
    """Describe a place in words: its name where it has one, else what it belongs to."""
    if isinstance(holder, dict):
        return _where_in_dict(holder, key, heap, depth)
    if isinstance(holder, CellType):
        function = _function_with(holder, heap)
        return f"a closure of {name_of(function)}" if function else "a closure"
    if isinstance(holder, RUNNING):
        code = next(
            getattr(holder, a)
            for a in ("f_code", "gi_code", "cr_code", "ag_code")
            if hasattr(holder, a)
        )
        return f"{getattr(code, 'co_qualname', code.co_name)}, which is running"
    kind = type(holder).__name__
    for above in heap.holders(holder) if depth else ():
        for name in _keys(above, holder):
            return f"a {kind} in {where(above, name, heap, depth - 1)}"
    return f"a {kind}"


def _where_in_dict(names: dict[Any, Any], key: Any, heap: Heap, depth: int) -> str:
    owner = owner_of(names, heap)
    if isinstance(owner, (ModuleType, type, FunctionType)):
        return f"{name_of(owner)}.{key}"
    if owner is not None:
        return f"{name_of(type(owner))}().{key}"
    for above in heap.holders(names) if depth else ():
        if isinstance(above, FunctionType):
            what = "the defaults" if above.__kwdefaults__ is names else "the globals"
            return f"{what} of {name_of(above)}: {key}"
        for name in _keys(above, names):
            return f"{where(above, name, heap, depth - 1)}[{key!r}]"
    return f"a dictionary[{key!r}]"


def _keys(holder: Any, part: Any) -> list[Any]:
    """Return under which keys or attributes a container has an object; one is enough."""
    names = holder if isinstance(holder, dict) else getattr(holder, "__dict__", None)
    if isinstance(names, dict):
        return [key for key, value in list(names.items()) if value is part]
    return [None] if isinstance(holder, (list, tuple, CellType)) else []


def _function_with(cell: CellType, heap: Heap) -> FunctionType | None:
    for closure in heap.holders(cell):
        for above in heap.holders(closure):
            if isinstance(above, FunctionType) and above.__closure__ is closure:
                return above
    return None


def name_of(each: Any) -> str:
    """Return the dotted path of a module, class or function."""
    if isinstance(each, ModuleType):
        return each.__name__
    return f"{getattr(each, '__module__', '?')}.{getattr(each, '__qualname__', '?')}"
