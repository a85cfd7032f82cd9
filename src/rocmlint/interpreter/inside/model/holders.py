"""Who holds tensors that should be gone: the container, its name, and the lines that fill it."""

from __future__ import annotations

import gc
import inspect
import re
import sys
import types
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..factory import torch_of_the_job

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DEPTH = 5
"""How many objects around a tensor are looked through: a list, a cell, a closure, a function."""
_NODES = 200_000
"""Of an autograd graph; more are not counted."""
_MOST = 500
"""Tensors whose holders are looked for."""
_CONTAINERS = (list, dict, tuple, set, deque, types.CellType)
_LINES = 3
_ADDS = r"\.(append|appendleft|add|extend|insert|update|setdefault)\(|\[[^\]]*\]\s*=[^=]|\s*\+="


def of_storages(addresses: set[int], files: Sequence[str]) -> list[str]:
    """Name what holds the tensors with this memory, the one that holds most of them first.

    ``files`` are looked through for lines that fill it, after the file that it is defined in.
    """
    torch = torch_of_the_job()
    # isinstance() would run what a proxy says.
    tensors = [each for each in gc.get_objects() if issubclass(type(each), torch.Tensor)]
    growing = [each for each in tensors if _address(each) in addresses][:_MOST]
    names = [
        f"{name} (holds {many} of them)" for name, many in _owners(growing, files).most_common(4)
    ]
    return names + list(_graphs(tensors, len(addresses), files))


def _address(tensor: Any) -> int | None:
    with suppress(Exception):  # tensors without memory
        return int(tensor.untyped_storage()._cdata)  # noqa: SLF001 - what tells two apart
    return None


def _owners(values: list[Any], files: Sequence[str]) -> Counter[str]:
    """Return the names of the program that values are held by, and how many each holds.

    All values are looked for at once, as each search goes through all objects of the process.
    """
    owners: Counter[str] = Counter()
    path = _Path({id(each): 1 for each in values}, {}, files)
    level = values
    for _ in range(_DEPTH):
        ours = {id(values), id(level), id(path.held), id(path.keys)}
        referrers = gc.get_referrers(*level) if level else []
        found = []
        for each in referrers:
            if id(each) in ours or id(each) in path.held or _is_ours(each):
                continue
            many = sum(path.held.get(id(it), 0) for it in gc.get_referents(each))
            name = _name(each, path)
            if name:
                owners[name] += many
            elif isinstance(each, _CONTAINERS):
                found.append((each, many))
        for each, many in found:
            path.add(each, many)
        level = [each for each, _ in found]
    return owners


@dataclass
class _Path:
    """The path to the values: for each object how many are below it."""

    held: dict[int, int]
    keys: dict[int, str]
    """For a dictionary, under which key: it may be the attributes of an object."""
    files: Sequence[str]

    def add(self, holder: Any, many: int) -> None:
        """Remember an object that holds what is known."""
        if isinstance(holder, dict):
            keys = (str(key) for key, each in holder.items() if id(each) in self.held)
            self.keys[id(holder)] = next(keys, "")
        self.held[id(holder)] = many


def _is_ours(value: Any) -> bool:
    """Return whether something is a frame of this search."""
    is_frame = isinstance(value, types.FrameType)
    return is_frame and str(value.f_globals.get("__name__")).startswith(__package__)


def _name(holder: Any, path: _Path) -> str:
    """Return under which name of the program a holder has what is held; empty without one."""
    if isinstance(holder, types.FrameType):
        code, names = holder.f_code, _keys(holder.f_locals, path)
        return _description("variable", names, code.co_name, _place(code), path)
    if isinstance(holder, types.FunctionType):
        code = holder.__code__
        cells = enumerate(holder.__closure__ or ())
        names = [code.co_freevars[at] for at, cell in cells if id(cell) in path.held]
        return _description("variable", names, holder.__qualname__, _place(code), path)
    if isinstance(holder, dict):
        module = sys.modules.get(str(holder.get("__name__")))
        if module is not None and vars(module) is holder:
            file = getattr(module, "__file__", None) or module.__name__
            return _description("global variable", _keys(holder, path), "", file, path)
        return ""
    return "" if isinstance(holder, _CONTAINERS) else _attribute(holder, path)


def _keys(values: Any, path: _Path) -> list[str]:
    return [str(name) for name, each in values.items() if id(each) in path.held]


def _attribute(holder: Any, path: _Path) -> str:
    """Return the attribute of an object that holds what is held."""
    kind = holder if isinstance(holder, type) else type(holder)
    if issubclass(kind, torch_of_the_job().Tensor):
        return ""
    with suppress(Exception):  # objects of all kinds
        own = vars(holder)
        names = _keys(own, path) or [path.keys[id(own)]]
        file = ""
        with suppress(TypeError, OSError):
            file = inspect.getsourcefile(kind) or ""
        return _description("attribute", names, kind.__qualname__, file, path)
    return ""


def _place(code: types.CodeType) -> str:
    return f"{code.co_filename}:{code.co_firstlineno}"


def _description(what: str, names: list[str], owner: str, place: str, path: _Path) -> str:
    """Write a name, whose it is, and the lines that fill it."""
    if not names or not names[0]:
        return ""
    of = f" of {owner}{f' ({place})' if place else ''}" if owner else f" of {place}"
    file = re.sub(r":\d+$", "", place)
    for each in dict.fromkeys((file, *path.files)):
        found = _lines(each, names[0])
        if found:
            numbers = ", ".join(map(str, found[:_LINES]))
            where = "" if each == file else f" of {each}"
            return f"{what} {names[0]}{of}, filled in line {numbers}{where}"
    return f"{what} {names[0]}{of}"


def _lines(file: str, name: str) -> list[int]:
    """Return the lines of a file that add to what has a name."""
    pattern = re.compile(rf"\b{re.escape(name)}\b\s*({_ADDS}|=[^=].*\b{re.escape(name)}\b)")
    with suppress(OSError, UnicodeError), open(file, encoding="utf-8") as lines:
        return [number for number, line in enumerate(lines, 1) if pattern.search(line)]
    return []


def _graphs(tensors: list[Any], fewest: int, files: Sequence[str]) -> Iterator[str]:
    """Name the tensor with the largest autograd graph, if it can hold so many tensors."""
    sizes = [(_nodes(each.grad_fn), at) for at, each in enumerate(tensors) if _has_graph(each)]
    nodes, at = max(sizes, default=(0, 0))
    if nodes < fewest or not nodes:
        return
    more = "at least " if nodes >= _NODES else ""
    for name in sorted(_owners([tensors[at]], files))[:2]:
        yield f"{name}: an autograd graph of {more}{nodes:,} operations is attached to it"


def _has_graph(tensor: Any) -> bool:
    with suppress(Exception):
        return tensor.grad_fn is not None
    return False


def _nodes(start: Any) -> int:
    seen, stack = {start}, [start]
    while stack and len(seen) < _NODES:
        for node, _ in stack.pop().next_functions:
            if node is not None and node not in seen:
                seen.add(node)
                stack.append(node)
    return len(seen)
