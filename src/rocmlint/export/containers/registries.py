"""Registering classes in torch's pytrees, and undoing it in every registry that knows of them.

torch has two functions to register and only a private one to undo, which forgets the C++ registry,
so that a second registration fails: "already registered in namespace 'torch'". Only the classes of
a session are undone: what others register meanwhile, such as classes of a module that is imported
for the first time, is theirs.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers import caches, outputs
from rocmlint.export.containers.registration import Registration
from rocmlint.export.errors import ExportError
from rocmlint.export.references import MISSING, Reference, item

if TYPE_CHECKING:
    from collections.abc import Iterator

_BY_CLASS = ("SUPPORTED_NODES", "SUPPORTED_SERIALIZED_TYPES")
_UNNAMED = "NO_SERIALIZED_TYPE_NAME_FOUND"
_OPTREE = "torch"  # torch's namespace in optree's registry


@dataclass(frozen=True, eq=False)
class Registered:
    """A registration in force; ``before`` is what each registry had, by the place it is in.

    What is not there had nothing: a registry may have been imported only after registering.
    """

    registration: Registration
    before: dict[str, Any]

    def is_registered(self) -> bool:
        """Return whether torch still knows the class as it was registered."""
        node = _pytree().SUPPORTED_NODES.get(self.registration.cls)
        return node is not None and node.flatten_fn is self.registration.flatten

    def is_undone(self) -> bool:
        """Return whether every registry is as it was, as far as this class is concerned."""
        return all(reference.read() is value for reference, value in self.places())

    def places(self) -> Iterator[tuple[Reference, Any]]:
        """Yield the place in each registry that there is now, and what it had before."""
        for each in _places(self.registration.cls, self.registration.serialized_name, _pytree()):
            yield each, self.before.get(each.where, MISSING)


def registrations_of(given: Any, model: Any = None) -> list[Registration]:
    """Return what is to be registered: the given ones, or with True all that rocmlint knows.

    These are the caches and outputs of the libraries that are loaded. Raises ExportError.
    """
    if given is True:
        return [*caches.registrations(model), *outputs.registrations()]
    found = [given] if isinstance(given, Registration) else list(given or ())
    for each in found:
        if not isinstance(each, Registration):
            raise ExportError(f"not a valid registration: {each!r}: pass Registration objects")
    classes = [each.cls for each in found]
    twice = next((each for each in classes if classes.count(each) > 1), None)
    if twice is not None:
        raise ExportError(f"{twice.__module__}.{twice.__qualname__} is registered twice")
    return found


def register(registration: Registration) -> Registered:
    """Register a class, instead of a registration that it may have. Raises ExportError.

    If it fails, nothing is registered.
    """
    pytree = _pytree()
    cls = registration.cls
    if not isinstance(cls, type):
        raise ExportError(f"not a class, and cannot be registered: {cls!r}")
    name = registration.serialized_name
    owner = pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE.get(name)
    if owner is not None and owner is not cls:
        known = f"{owner.__module__}.{owner.__qualname__}"
        raise ExportError(f"the name {name!r} is that of {known}: pass another name=")
    places = list(_places(cls, name, pytree))
    registered = Registered(registration, {each.where: each.read() for each in places})
    try:
        _remove(places)
        pytree.register_pytree_node(
            cls,
            registration.flatten,
            registration.unflatten,
            serialized_type_name=name,
            to_dumpable_context=registration.to_dumpable,
            from_dumpable_context=registration.from_dumpable,
            flatten_with_keys_fn=registration.flatten_with_keys,
        )
    except BaseException as error:
        unregister(registered)
        if isinstance(error, (TypeError, ValueError)):
            raise ExportError(f"{name} cannot be registered: {error}") from error
        raise
    return registered


def unregister(registered: Registered) -> None:
    """Put back what every registry had for the class."""
    for reference, value in registered.places():
        if reference.read() is not value:
            reference.write(value)


def is_known(cls: type) -> bool:
    """Return whether torch already knows how to take a class apart."""
    return cls in _pytree().SUPPORTED_NODES


def _remove(places: list[Reference]) -> None:
    for each in places:
        if each.read() is not MISSING:
            each.write(MISSING)


def _places(cls: type, name: str, pytree: Any) -> Iterator[Reference]:
    """Yield the place of a class in each registry of this torch."""
    said = f"{cls.__module__}.{cls.__qualname__}"
    for registry in _BY_CLASS:
        yield item(getattr(pytree, registry), cls, f"{registry}[{said}]")
    by_name = pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE
    before = getattr(pytree.SUPPORTED_SERIALIZED_TYPES.get(cls), "serialized_type_name", name)
    for each in {name, before} - {_UNNAMED}:
        yield item(by_name, each, f"SERIALIZED_TYPE_TO_PYTHON_TYPE[{each!r}]")
    constants = getattr(pytree, "CONSTANT_NODES", None)
    if constants is not None:
        yield _in_set(constants, cls, f"CONSTANT_NODES[{said}]")
    fx = sys.modules.get("torch.fx._pytree")
    for registry in ("SUPPORTED_NODES", "SUPPORTED_NODES_EXACT_MATCH"):
        if fx is not None and hasattr(fx, registry):
            yield item(getattr(fx, registry), cls, f"torch.fx._pytree.{registry}[{said}]")
    pending = getattr(pytree, "_cxx_pytree_pending_imports", None)
    if pending is not None:
        yield _pending(pending, cls, f"the pending C++ registration of {said}")
    if "optree" in sys.modules and "torch.utils._cxx_pytree" in sys.modules:
        yield _in_optree(cls, f"the C++ registry[{said}]")


def _in_set(owner: set[Any], value: Any, where: str) -> Reference:
    def write(new: Any) -> None:
        if new is MISSING:
            owner.discard(value)
        else:
            owner.add(value)

    return Reference(where, lambda: value if value in owner else MISSING, write)


def _pending(owner: list[Any], cls: type, where: str) -> Reference:
    """Return the place in the list of what the C++ registry takes over once it is imported."""

    def read() -> Any:
        return next((each for each in owner if each[0][0] is cls), MISSING)

    def write(new: Any) -> None:
        owner[:] = [each for each in owner if each[0][0] is not cls]
        if new is not MISSING:
            owner.append(new)

    return Reference(where, read, write)


def _in_optree(cls: type, where: str) -> Reference:
    optree: Any = sys.modules["optree"]
    entries: dict[Any, Any] = optree.registry._NODETYPE_REGISTRY  # noqa: SLF001 - no public one

    def read() -> Any:
        return entries.get((_OPTREE, cls), MISSING)

    def write(new: Any) -> None:
        if read() is not MISSING:
            optree.unregister_pytree_node(cls, namespace=_OPTREE)
        if new is not MISSING:
            optree.register_pytree_node(
                cls, new.flatten_func, new.unflatten_func, namespace=_OPTREE
            )
            # The entry is the same object again, so that a comparison sees no difference.
            entries[_OPTREE, cls] = new

    return Reference(where, read, write)


def _pytree() -> Any:
    """Return torch's pytree module. Raises ExportError without torch."""
    try:
        return importlib.import_module("torch.utils._pytree")
    except ModuleNotFoundError as error:
        raise ExportError(f"register= needs torch, which is not installed: {error}") from None
