"""What is replaced with what: the forms in which a patch is written, and the one they become.

A patch is any of

- a class with ``_PATCHED_CLASS_``, the class to patch or its dotted path, and ``_PATCHES_``, the
  names to replace with its own;
- ``(owner, name, replacement)``; the owner is a class, a module, an object, a dictionary (``name``
  is then a key) or a dotted path;
- ``("package.module.Class.name", replacement)``;
- a ``Patch``;
- a module: all classes with ``_PATCHED_CLASS_`` that it defines, and its ``PATCHES``, if any.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import CellType, ModuleType
from typing import TYPE_CHECKING, Any

from rocmlint.export.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, eq=False)
class Patch:
    """A name of an owner, and what it is replaced with.

    ``replacement`` is a function, or a ``staticmethod``, ``classmethod`` or ``property`` exactly as
    it is to be in the class. A plain function that replaces one of the first two becomes one too.
    ``source`` is where the patch was written, for messages. A patch that is not ``required`` may
    turn out not to be used by a model. One that ``rewrites`` claims to do what the original does.
    An owner may also be a variable of a closure.
    """

    owner: Any
    name: Any
    replacement: Any
    source: str = ""
    required: bool = True
    rewrites: bool = False

    @property
    def label(self) -> str:
        """Return the target as a dotted path, as far as it has one."""
        if isinstance(self.owner, ModuleType):
            return f"{self.owner.__name__}.{self.name}"
        if isinstance(self.owner, type):
            return f"{self.owner.__module__}.{self.owner.__qualname__}.{self.name}"
        if isinstance(self.owner, CellType):
            return f"{getattr(self.replacement, '__module__', '?')}.{self.name}"
        if isinstance(self.owner, dict):
            return f"{type(self.owner).__name__}[{self.name!r}]"
        return f"{type(self.owner).__module__}.{type(self.owner).__qualname__}().{self.name}"


def patches_of(given: Any) -> list[Patch]:
    """Return what is written in any of the forms, one patch for each name.

    A name that is patched twice is an error: one of the two would have no effect. Raises
    ExportError.
    """
    patches = list(_read(given))
    seen: dict[tuple[int, Any], Patch] = {}
    for patch in patches:
        other = seen.setdefault((id(patch.owner), patch.name), patch)
        if other is not patch:
            message = f"{patch.label} is patched twice, by {_origin(other)} and {_origin(patch)}"
            raise ExportError(message)
    return patches


def find(path: str) -> Any:
    """Return what a dotted path names, importing the module it begins with. Raises ExportError."""
    parts = path.split(".")
    for size in range(len(parts), 0, -1):
        name = ".".join(parts[:size])
        try:
            found: Any = importlib.import_module(name)
        except ModuleNotFoundError as error:
            # Only that this very name is not a module: a failure inside of it is not hidden.
            if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
                raise
            continue
        for each in parts[size:]:
            try:
                found = getattr(found, each)
            except AttributeError:
                message = f"{path} does not exist: {name} has no attribute {each!r}"
                raise ExportError(message) from None
            name = f"{name}.{each}"
        return found
    message = f"{path} does not exist: there is no module {parts[0]!r}"
    raise ExportError(message)


def _read(given: Any) -> Iterator[Patch]:
    if given is None:
        return
    if isinstance(given, Patch):
        yield given
    elif isinstance(given, ModuleType):
        yield from _of_module(given)
    elif isinstance(given, type):
        yield from _of_class(given)
    elif isinstance(given, tuple) and _is_pair(given):
        owner, _, name = given[0].rpartition(".")
        if not owner:
            message = f"not a valid dotted path: {given[0]!r}: it must name a module too"
            raise ExportError(message)
        yield Patch(find(owner), name, given[1], _origin_of(given[1]))
    elif isinstance(given, tuple) and _is_triple(given):
        owner = find(given[0]) if isinstance(given[0], str) else given[0]
        yield Patch(owner, given[1], given[2], _origin_of(given[2]))
    elif isinstance(given, (list, tuple, set, frozenset)):
        for each in given:
            yield from _read(each)
    else:
        message = (
            f"not a valid patch: {given!r}: use a class with _PATCHED_CLASS_ and _PATCHES_, "
            "(owner, name, replacement), or a dotted path and its replacement"
        )
        raise ExportError(message)


def _is_pair(given: tuple[Any, ...]) -> bool:
    return len(given) == 2 and isinstance(given[0], str)


def _is_triple(given: tuple[Any, ...]) -> bool:
    """Tell ``(owner, name, replacement)`` from three patches: those have no name in the middle."""
    return len(given) == 3 and (isinstance(given[1], str) or isinstance(given[0], dict))


def _of_module(module: ModuleType) -> Iterator[Patch]:
    for each in list(vars(module).values()):
        if isinstance(each, type) and "_PATCHED_CLASS_" in vars(each):
            if each.__module__ == module.__name__:
                yield from _of_class(each)
    yield from _read(getattr(module, "PATCHES", None))


def _of_class(patched: type) -> Iterator[Patch]:
    written = f"{patched.__module__}.{patched.__qualname__}"
    if not hasattr(patched, "_PATCHED_CLASS_") or not hasattr(patched, "_PATCHES_"):
        message = f"{written} is not a patch: it needs _PATCHED_CLASS_ and _PATCHES_"
        raise ExportError(message)
    target: Any = patched._PATCHED_CLASS_
    names: Iterable[str | None] = patched._PATCHES_
    if target is None:
        return  # the installed version does not have the class
    if isinstance(target, str):
        target = find(target)
    if not isinstance(target, type):
        message = f"{written}._PATCHED_CLASS_ is not a class: {target!r}"
        raise ExportError(message)
    for name in names:
        if name is None:
            continue  # a name that depends on the version and is not needed in this one
        replacement = _defined(patched, name)
        if replacement is None:
            message = f"{written} names {name!r} in _PATCHES_ and does not define it"
            raise ExportError(message)
        yield Patch(target, name, replacement, written)


def _defined(patched: type, name: str) -> Any:
    """Return what the class defines, raw, or one of its bases that are patches or mixins too."""
    for each in patched.__mro__[:-1]:
        if name in vars(each):
            return vars(each)[name]
    return None


def _origin_of(replacement: Any) -> str:
    name = getattr(replacement, "__qualname__", type(replacement).__qualname__)
    return f"{getattr(replacement, '__module__', None) or '?'}.{name}"


def _origin(patch: Patch) -> str:
    return patch.source or _origin_of(patch.replacement)
