"""Where else a function is: every place that would still call it after its target is replaced.

Modules that imported it, dispatch tables, closures, default arguments, instances, bound methods and
``functools.partial``. A reference that no Python object has, such as a kernel in torch's C++
dispatcher, is only noticed in the count of references.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from types import CellType, FunctionType, MemberDescriptorType, MethodType
from typing import TYPE_CHECKING, Any

from rocmlint.export import references
from rocmlint.export.heap import (
    RUNNING,
    Heap,
    is_namespace,
    is_ours,
    name_of,
    owner_of,
    referrers,
    where,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from rocmlint.export.kept_originals import Kept
    from rocmlint.export.references import Reference


@dataclass(frozen=True, eq=False)
class Alias:
    """A place that refers to a function, or to a method or descriptor around it.

    ``around`` returns the value that the place needs for another function.
    """

    reference: Reference
    around: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Aliases:
    """The places of one function.

    ``fixed`` are those that cannot be changed, ``keys`` dictionaries and sets that look it up, and
    ``running`` variables of functions that run now.
    """

    places: list[Alias] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)


def search(functions: list[Any], kept: Kept) -> list[Aliases]:
    """Return the aliases of each function, except for those that are kept."""
    found = _search(functions, kept)
    if any(each.fixed for each in found):
        del found
        gc.collect()  # garbage is found as well, and what cannot be changed would be reported
        found = _search(functions, kept)
    return found


def _search(functions: list[Any], kept: Kept) -> list[Aliases]:
    heap = Heap(functions)
    return [_Search(heap, kept).of(each) for each in functions]


def unseen(functions: list[Any]) -> list[int]:
    """Return how many references to each function no Python object has.

    What compiled code holds is not a container that the garbage collector knows, but it counts.
    Variables of functions that run now are not in such a container either; they are subtracted.
    ``functions`` is a list: of a tuple that is passed on with ``*`` gc may say nothing.
    """
    counts = Counter(
        id(part) for holder in referrers(functions) for part in gc.get_referents(holder)
    )
    surplus = [
        # getrefcount() counts its own argument
        sys.getrefcount(functions[index]) - 1 - counts[id(functions[index])]
        for index in range(len(functions))
    ]
    if any(each > 0 for each in surplus):
        local = _in_variables()
        surplus = [
            each - local[id(function)] for each, function in zip(surplus, functions, strict=True)
        ]
    return [
        0 if isinstance(function, type) else max(each, 0)
        for each, function in zip(surplus, functions, strict=True)
    ]


def _in_variables() -> Counter[int]:
    """Return how often each object is a variable of a function that runs, in any thread."""
    counts: Counter[int] = Counter()
    for frame in sys._current_frames().values():  # noqa: SLF001 - the documented way
        each: FrameType | None = frame
        while each is not None:
            counts.update(() if is_ours(each) else map(id, _variables(each)))
            each = each.f_back
        del frame  # one of them is the frame of this very function
    return counts


def _variables(frame: FrameType) -> Iterator[Any]:
    """Yield the variables of a function that are not in a closure, which is a container."""
    code = frame.f_code
    names = {*code.co_varnames} - {*code.co_cellvars, *code.co_freevars}
    values = frame.f_locals if names else {}
    yield from (values[name] for name in names if name in values)


class _Search:
    """The search for the aliases of one function."""

    def __init__(self, heap: Heap, kept: Kept) -> None:
        self._heap = heap
        self._kept = kept
        self._found = Aliases()

    def of(self, function: Any) -> Aliases:
        for holder in self._heap.holders(function):
            # Of a class only imports: its objects, subclasses and methods keep it in any case.
            if isinstance(function, type) and not is_namespace(holder):
                continue
            self._look(holder, function, lambda new: new)
        return self._found

    def _look(self, holder: Any, value: Any, around: Callable[[Any], Any]) -> None:
        """Add the places in one holder of a value."""
        if self._kept.has(holder):
            return
        if isinstance(holder, (MethodType, staticmethod, classmethod)):
            again = _again(holder)
            for above in self._heap.holders(holder):
                self._look(above, holder, lambda new: again(around(new)))
        elif isinstance(holder, RUNNING):
            self._found.running.append(where(holder, None, self._heap))
        elif isinstance(holder, (set, frozenset)):
            self._found.keys.append(where(holder, None, self._heap))
        else:
            references = list(self._references(holder, value))
            self._found.places.extend(Alias(each, around) for each in references)

    def _references(self, holder: Any, value: Any) -> Iterator[Reference]:
        if isinstance(holder, dict):
            yield from self._in_dict(holder, value)
        elif isinstance(holder, list):
            yield references.element(holder, value, where(holder, None, self._heap))
        elif isinstance(holder, CellType):
            yield references.cell(holder, where(holder, None, self._heap))
        elif isinstance(holder, partial) and holder.func is value:
            yield references.partial_function(holder, where(holder, None, self._heap))
        elif isinstance(holder, tuple):
            yield from self._in_tuple(holder, value)
        else:
            yield from self._in_object(holder, value)

    def _in_dict(self, holder: dict[Any, Any], value: Any) -> Iterator[Reference]:
        if any(key is value for key in list(holder)):
            self._found.keys.append(where(holder, name_of(value), self._heap))
        owner = owner_of(holder, self._heap)
        if owner is None and not self._heap.holders(holder):
            # A dictionary of variables that a debugger, or the search itself, asked Python for.
            self._found.running.append("code that is running")
            return
        for key in [key for key, each in list(holder.items()) if each is value]:
            if self._kept.has_item(holder, key):
                continue
            if isinstance(owner, type):
                yield references.attribute(owner, key, f"{name_of(owner)}.{key}")
            else:
                yield references.item(holder, key, where(holder, key, self._heap))

    def _in_tuple(self, holder: tuple[Any, ...], value: Any) -> Iterator[Reference]:
        above = self._heap.holders(holder)
        functions = [
            each for each in above if isinstance(each, FunctionType) and each.__defaults__ is holder
        ]
        for function in functions:
            for index in [index for index, each in enumerate(holder) if each is value]:
                said = f"the defaults of {name_of(function)}"
                yield references.default(function, index, said)
        if above and not functions:
            self._found.fixed.append(where(holder, None, self._heap))

    def _in_object(self, holder: Any, value: Any) -> Iterator[Reference]:
        """Yield attributes of an object; since Python 3.11 it may do without a dictionary."""
        if isinstance(holder, type):
            return  # its dictionary is a holder too
        parts = gc.get_referents(holder)
        direct = sum(part is value for part in parts)
        found = [each for each in _attributes(holder, parts) if each.read() is value]
        yield from found
        if len(found) < direct:  # such as the function inside of functools.lru_cache
            self._found.fixed.append(where(holder, None, self._heap))


def _attributes(holder: Any, parts: list[Any]) -> Iterator[Reference]:
    """Yield the attributes that are in an object itself; a dictionary of its own is a holder."""
    said = f"{name_of(type(holder))}()"
    names = getattr(holder, "__dict__", None)
    if isinstance(names, dict) and not any(part is names for part in parts):
        for key in list(names):
            yield references.item(names, key, f"{said}.{key}")
    for each in type(holder).__mro__:
        for name, kind in list(vars(each).items()):
            if isinstance(kind, MemberDescriptorType):
                yield references.slot(holder, name, f"{said}.{name}")


def _again(holder: Any) -> Callable[[Any], Any]:
    """Return what makes the same method or descriptor of another function."""
    if isinstance(holder, MethodType):
        self = holder.__self__
        return lambda new: MethodType(new, self)
    return type(holder)
