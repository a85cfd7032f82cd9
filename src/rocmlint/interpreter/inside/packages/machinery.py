"""Whether imports still work as in a new Python, or start-up code has changed how they do.

Everything that runs here ran after the ``.pth`` files and ``sitecustomize``. What an import does is
written in three modules that are frozen into the interpreter, so each function and class that they
have now can be compared with what their code defines.
"""

from __future__ import annotations

import _imp
import builtins
import os
import re
import sys
from dataclasses import dataclass
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..live.objects.fingerprints import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FROZEN = ("_frozen_importlib", "_frozen_importlib_external", "zipimport")
_COMPILED = ("_imp", "_io", "_thread", "_warnings", "_weakref", "builtins", "marshal", os.name)
"""The modules in C that the frozen modules call."""
_ONLY_WRITES = {"print"}
"""A builtin that they call for ``python -v`` alone, and that programs like to replace."""
_OF_CLASSES = {"__abstractmethods__", "_abc_impl", "__dict__", "__weakref__", "__doc__"}
"""Attributes that a class may have gained or lost without a change of behavior."""
_PLAIN = (bool, int, str, bytes, list, tuple)


@dataclass(frozen=True)
class ImportChange:
    """A change of the import system, and where that is written."""

    what: str
    place: str | None


def changes() -> list[ImportChange]:
    """Return the changes to the import system; empty for nearly every environment."""
    found: list[ImportChange] = []
    used = {"__import__", "__build_class__"}
    for name in _FROZEN:
        code = _imp.get_frozen_object(name)
        used.update(_names(code))
        found += _changed_names(sys.modules.get(name), _executed(code, name), name)
    for name in _COMPILED:
        found += _written_in_python(name, used - _ONLY_WRITES)
    return [*found, *_changed_front(), *_changed_state()]


def _executed(code: CodeType, name: str, **given: Any) -> dict[str, Any]:
    """Return what a module of the import system defines; its code does nothing else."""
    space: dict[str, Any] = {"__name__": name, "__builtins__": builtins, **given}
    exec(code, space)  # noqa: S102 - Python's own
    return space


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _changed_names(
    module: object, original: Mapping[str, Any], name: str
) -> Iterator[ImportChange]:
    if type(module) is not ModuleType:
        yield _replaced(name, place_of(module))
        return
    live = vars(module)
    for key, value in original.items():
        if not key.startswith("__"):
            yield from _changed(
                live.get(key), value, f"{_public_name(name)}.{key}", (live, original)
            )
    for key in live.keys() - original.keys():
        value = live[key]
        if hasattr(builtins, key) or (isinstance(value, ModuleType) and not _is_known(value)):
            if not key.startswith("__"):
                yield _replaced(f"{_public_name(name)}.{key}", place_of(value))


def _replaced(name: str, place: str | None) -> ImportChange:
    return ImportChange(f"replaces {name}", place or _mention_of(name.rpartition(".")[2]))


def _mention_of(name: str) -> str | None:
    """Return the line of start-up code that has a word for what it replaced."""
    library = os.path.dirname(os.__file__)
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        is_installed = isinstance(path, str) and "-packages" in path
        if not isinstance(path, str) or path.startswith(own) or not path.endswith(".py"):
            continue
        if path.startswith(library) and not is_installed:
            continue
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    if re.search(rf"\b{re.escape(name)}\b", line):
                        return f"{path}:{number}"
        except OSError:
            continue
    return None


def _public_name(name: str) -> str:
    return name.replace("_frozen_importlib_external", "importlib").replace("_frozen_", "")


def _is_known(module: ModuleType) -> bool:
    return type(module) is ModuleType and sys.modules.get(module.__name__) in {module, None}


_Spaces = tuple["Mapping[str, Any]", "Mapping[str, Any]"]
"""The names of a module: as they are now, and as its code defines them."""


def _changed(live: Any, original: Any, name: str, spaces: _Spaces) -> Iterator[ImportChange]:
    """Yield what is not as it was defined; of a class, each method."""
    if isinstance(original, (staticmethod, classmethod, property)):
        if type(live) is not type(original):
            yield _replaced(name, place_of(live))
            return
        part = "fget" if isinstance(original, property) else "__func__"
        live, original = getattr(live, part), getattr(original, part)
    if isinstance(original, FunctionType):
        is_own = original.__globals__ is spaces[1]
        if not (_is_same_function(live, original, spaces[0]) if is_own else live is original):
            yield _replaced(name, place_of(live))
    elif isinstance(original, type):
        yield from _changed_class(live, original, name, spaces)
    elif isinstance(original, _PLAIN) and original:
        if type(live) is not type(original) or live != original:
            yield _replaced(name, place_of(live))
    elif isinstance(original, ModuleType) and live is not original:
        yield _replaced(name, place_of(live))


def _is_same_function(live: Any, original: FunctionType, space: Mapping[str, Any]) -> bool:
    return (
        type(live) is FunctionType
        and live.__globals__ is space
        and fingerprint(live.__code__) == fingerprint(original.__code__)
        and repr(live.__defaults__) == _with_live(original.__defaults__, live.__defaults__)
        and (live.__kwdefaults__ or {}).keys() == (original.__kwdefaults__ or {}).keys()
    )


def _with_live(original: tuple[Any, ...] | None, live: tuple[Any, ...] | None) -> str:
    """Return the defaults as text, those of an ``object()`` as if they were the live ones."""
    if original is None or live is None or len(original) != len(live):
        return repr(original)
    pairs = zip(original, live)  # noqa: B905 - Python 3.9
    return repr(tuple(new if type(old) is type(new) is object else old for old, new in pairs))


def _changed_class(live: Any, original: type, name: str, spaces: _Spaces) -> Iterator[ImportChange]:
    if type(live) is not type(original):
        yield _replaced(name, place_of(live))
        return
    if [each.__name__ for each in live.__mro__] != [each.__name__ for each in original.__mro__]:
        yield _replaced(f"{name}.__bases__", place_of(live.__mro__[1]))
    now, before = vars(live), vars(original)
    for key in sorted((now.keys() | before.keys()) - _OF_CLASSES):
        if key not in now or (key not in before and not isinstance(now[key], _PLAIN)):
            yield _replaced(f"{name}.{key}", place_of(now.get(key)))
        elif key in before:
            yield from _changed(now[key], before[key], f"{name}.{key}", spaces)


def _written_in_python(name: str, used: set[str]) -> Iterator[ImportChange]:
    """Yield the names that stand for Python code where the interpreter has code in C."""
    module = sys.modules.get(name)
    if module is None:
        return
    if type(module) is not ModuleType:
        yield _replaced(name, place_of(module))
        return
    for key in sorted(used & vars(module).keys()):
        value = vars(module)[key]
        if callable(value) and not _is_compiled(value, key):
            yield _replaced(f"{name}.{key}", place_of(value))


def _is_compiled(value: Any, name: str) -> bool:
    if isinstance(value, type):
        return not any(isinstance(each, FunctionType) for each in vars(value).values())
    return type(value) is BuiltinFunctionType and value.__name__ == name


def _changed_front() -> Iterator[ImportChange]:
    """Yield what is changed of ``import_module`` and the rest of ``importlib/__init__.py``."""
    folder = os.path.join(os.path.dirname(os.__file__), "importlib")
    path = os.path.join(folder, "__init__.py")
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
    except OSError:  # a Python without the sources of its library
        return
    given = {"__package__": "importlib", "__path__": [folder], "__file__": path}
    yield from _changed_names(
        sys.modules.get("importlib"), _executed(code, "importlib", **given), "importlib"
    )


def _changed_state() -> Iterator[ImportChange]:
    """Yield what takes the place of the lists and tables that imports go through."""
    kinds = {"modules": dict, "meta_path": list, "path_hooks": list, "path_importer_cache": dict}
    for name, kind in kinds.items():
        value = getattr(sys, name, None)
        if type(value) is not kind:
            yield _replaced(f"sys.{name}", place_of(value))
    for name in ("gettrace", "getprofile"):
        if follower := getattr(sys, name)():
            yield ImportChange(f"calls {name.replace('get', 'sys.set')}", place_of(follower))


def place_of(value: Any) -> str | None:
    """Return ``file:line`` of the Python code that an object runs, if it has any."""
    seen: list[Any] = [value]
    for each in seen[:20]:
        code = getattr(each, "__code__", None)
        if isinstance(code, CodeType):
            return f"{code.co_filename}:{code.co_firstlineno}"
        kind = each if isinstance(each, type) else type(each)
        inner = [getattr(each, name, None) for name in ("__func__", "func", "fget")]
        methods = [it for it in vars(kind).values() if isinstance(it, FunctionType)]
        seen += [*(it for it in inner if it is not None), *methods][: 20 - len(seen)]
        for method in methods[:1]:
            return f"{method.__code__.co_filename}:{method.__code__.co_firstlineno}"
    return None
