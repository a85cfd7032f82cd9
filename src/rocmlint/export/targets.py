"""What a patch replaces: the raw value of the target, and the raw value that is installed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import CellType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from rocmlint.export.calls import Calls, counted
from rocmlint.export.errors import ExportError
from rocmlint.export.references import MISSING, Reference, attribute, cell, item

if TYPE_CHECKING:
    from rocmlint.export.patch import Patch


@dataclass(frozen=True, eq=False, slots=True)
class Target:
    """A patch that is ready to be installed.

    ``before`` is what the place itself had: MISSING for an inherited name. ``original`` is what the
    name meant, and ``installed`` what it means while the session is open.
    """

    patch: Patch
    reference: Reference
    before: Any
    original: Any
    installed: Any
    calls: Calls

    @property
    def functions(self) -> tuple[Any, Any]:
        """Return the functions of the two, without the descriptor around them."""
        return function_of(self.original), function_of(self.installed)


def function_of(value: Any) -> Any:
    """Return the function of a staticmethod or classmethod, and anything else as it is."""
    return value.__func__ if isinstance(value, (staticmethod, classmethod)) else value


def is_home(target: Target) -> bool:
    """Return whether the owner of a target is where its original is defined."""
    owner, name, original = target.patch.owner, target.patch.name, target.functions[0]
    module = getattr(original, "__module__", None)
    if isinstance(owner, ModuleType):
        names = getattr(original, "__globals__", {})
        defined = getattr(original, "__name__", name)
        return (
            callable(original)
            and owner.__name__ in {module, names.get("__name__")}
            and (defined == name or getattr(owner, defined, None) is not original)
        )
    if isinstance(owner, type) and isinstance(original, FunctionType):
        inside = original.__qualname__.rpartition(".")[0]
        return (module, inside) == (owner.__module__, owner.__qualname__)
    return False


def is_made(target: Target) -> bool:
    """Return whether what is installed is a function that only this session has."""
    return target.calls.counted and isinstance(target.functions[1], FunctionType)


def target_of(patch: Patch, mark: str) -> Target:
    """Look up what a patch replaces. Raises ExportError if there is nothing to replace."""
    owner, name = patch.owner, patch.name
    if isinstance(owner, dict):
        reference = item(owner, name, patch.label)
        original = reference.read()
    elif isinstance(owner, CellType):
        reference = cell(owner, patch.label)
        original = reference.read()
    else:
        if isinstance(owner, ModuleType):
            getattr(owner, name, None)  # a lazy module has the name only once it was asked for
        reference = attribute(owner, name, patch.label)
        original = _meaning(owner, name, reference)
    if original is MISSING:
        raise ExportError(f"{patch.label} does not exist{_hint(owner, name)}")
    calls = Calls(mark)
    replacement = _alike(patch.replacement, original, owner, name)
    installed = counted(replacement, original, calls)
    if installed is original:
        raise ExportError(f"{patch.label} is replaced with itself")
    return Target(patch, reference, reference.read(), original, installed, calls)


def _meaning(owner: Any, name: str, reference: Reference) -> Any:
    """Return the raw value of a name, also where a class or a base has it."""
    value = reference.read()
    if value is not MISSING:
        return value
    classes = owner.__mro__ if isinstance(owner, type) else type(owner).__mro__
    for each in classes:
        if name in vars(each):
            return vars(each)[name]
    return MISSING if isinstance(owner, type) else getattr(owner, name, MISSING)


def _hint(owner: Any, name: str) -> str:
    metaclass = type(owner)
    if isinstance(owner, type) and any(name in vars(each) for each in metaclass.__mro__):
        return f": {name!r} is an attribute of its metaclass, {metaclass.__qualname__}; patch that"
    if isinstance(owner, type) and hasattr(owner, name):
        return f": its metaclass, {metaclass.__qualname__}, computes it"
    return ""


def _alike(replacement: Any, original: Any, owner: Any, name: str) -> Any:
    """Return the replacement as the kind of descriptor that the original is."""
    if not isinstance(owner, type) or not isinstance(replacement, FunctionType):
        return replacement
    if isinstance(original, (staticmethod, classmethod)):
        return type(original)(replacement)
    if type(original) is property:
        return property(replacement, original.fset, original.fdel, original.__doc__)
    if isinstance(original, cached_property):
        alike: cached_property[Any] = cached_property(replacement)
        alike.__set_name__(owner, name)
        return alike
    return replacement
