"""The tensors that are alive: how many bytes, and which lines made them.

Each operation is seen, and the memory (the storage) of what it returns is watched without being
held. So what only an autograd graph holds is counted too, which the garbage collector cannot see.
"""

from __future__ import annotations

import importlib
import inspect
import os
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..factory import torch_of_the_job

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTALLED = ("site-packages", "dist-packages")
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


@dataclass(frozen=True)
class MemoryOrigin:
    """Where and when memory was taken."""

    place: str
    """The innermost line outside of torch."""
    own: str
    """The innermost line outside of all installed packages; empty without one."""
    step: int


@dataclass
class Live:
    """The watch over operations; ``mode`` is entered while steps run."""

    step: int = 0
    operations: int = 0
    """How many were seen."""
    known: dict[int, tuple[Any, MemoryOrigin]] = field(default_factory=dict)
    """By the address of the storage: a weak reference to it, and its origin."""

    def mode(self) -> Any:
        """Return a context in which every operation is seen."""
        base: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode
        tensor: Any = torch_of_the_job().Tensor
        live = self

        class Watch(base):  # type: ignore[misc]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                live.operations += 1
                result = func(*args, **(kwargs or {}))
                for each in (*args, *(kwargs or {}).values(), result):
                    # What operations take and give is nested once, in lists of tensors.
                    for leaf in each if isinstance(each, (tuple, list)) else (each,):
                        if isinstance(leaf, tensor):
                            live.note(leaf)
                return result

        return Watch()

    def note(self, tensor: Any) -> None:
        """Remember the memory of a tensor, if it is new."""
        try:
            storage = tensor.untyped_storage()
            address = storage._cdata  # noqa: SLF001 - what tells two of them apart
        except (RuntimeError, NotImplementedError, AttributeError):  # tensors without memory
            return
        known = self.known.get(address)
        if known is None or known[0]() is None:
            self.known[address] = (weakref.ref(storage), _origin(self.step))

    def alive(self) -> Iterator[tuple[Any, MemoryOrigin]]:
        """Yield each storage that is alive with its origin, and forget the others."""
        for address, (reference, origin) in list(self.known.items()):
            storage = reference()
            if storage is None:
                del self.known[address]
            else:
                yield storage, origin

    def bytes(self) -> dict[str, int]:
        """Return the bytes that are alive, by type of device."""
        found: dict[str, int] = {}
        for storage, _ in self.alive():
            kind = str(storage.device.type)
            found[kind] = found.get(kind, 0) + int(storage.nbytes())
        return found


def _origin(step: int) -> MemoryOrigin:
    """Return the lines that run now; called for each tensor, so each code is judged once."""
    frame = inspect.currentframe()
    place = own = ""
    while frame is not None and not own:
        kind = _KINDS.get(frame.f_code) or _kind(frame)
        if kind is not _SKIPPED:
            line = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            place = place or line
            own = line if kind is _OWN else ""
        frame = frame.f_back
    return MemoryOrigin(place, own, step)


_SKIPPED, _PACKAGE, _OWN = "skipped", "package", "own"
_KINDS: dict[Any, str] = {}
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _kind(frame: Any) -> str:
    """Return whose code a frame runs."""
    path = frame.f_code.co_filename
    torch = os.path.dirname(os.path.abspath(torch_of_the_job().__file__)) + os.sep
    if path.startswith((torch, _HERE, "<")):
        kind = _SKIPPED
    elif any(f"{os.sep}{each}{os.sep}" in path for each in _INSTALLED):
        kind = _PACKAGE
    else:
        kind = _OWN if not path.startswith(_LIBRARY) else _SKIPPED
    _KINDS[frame.f_code] = kind
    return kind


def sees_graphs() -> bool:
    """Return whether this torch keeps a weak reference alive for what only a graph holds."""
    torch = torch_of_the_job()
    live = Live()
    with live.mode():
        start = torch.ones(1000, requires_grad=True)
        end = start.exp().sum()  # the graph holds the result of exp()
    held = sum(live.bytes().values())
    return bool(end.requires_grad) and held >= 8000
