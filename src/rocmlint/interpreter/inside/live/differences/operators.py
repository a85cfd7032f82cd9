"""Operators of PyTorch's dispatcher that a source defines or calls, and whose kernels run for them.

A program can register another kernel under an operator (``Library.impl``, ``register_kernel``), and
neither the operator nor the module that has it changes. Nothing here imports torch.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..objects.imported_names import imported_packages
from ..objects.origin_package import is_standard, top
from ..objects.reachable import attributes, functions_of, is_a, items
from .difference import Alteration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..objects.on_disk import OnDisk

_NAMED = re.compile(rb"[\"'](\w+::\w+(?:\.\w+)?)[\"']")
"""The name of an operator, as ``custom_op`` and ``define`` take it."""
_USED = re.compile(r"torch\.ops\.(\w+)\.(\w+)")
_REGISTERED = re.compile(r"^(\w+)(?:\[alias\])?: registered at (.+):(\d+) :: ", re.MULTILINE)
"""An active registration; those that it replaced are marked as inactive."""
_COMPILED = (".cpp", ".cc", ".cxx", ".cu", ".hip", ".mm", ".h", ".hpp")
_DEFINED = re.compile(r"^debug: registered at (.+\.py):\d+", re.MULTILINE)
_LIBRARIES = ("_op_defs", "_op_impls")
_KEPT = ("_init_fn", "_abstract_fn", "_backward_fn", "_setup_context_fn", "_vmap_fn")
_KEPT_BY_KEY = ("_backend_fns", "_torch_dispatch_fns")


def operators(space: object, disk: OnDisk) -> Iterator[Alteration]:
    """Yield the operators for which code runs that is from elsewhere than their definition."""
    dump: Any = attributes(sys.modules.get("torch._C")).get("_dispatch_dump")
    definitions: Any = attributes(sys.modules.get("torch._library.custom_ops")).get("OPDEFS")
    for name in sorted(_names(space, disk)) if dump is not None else ():
        try:
            table = dump(name)
        except RuntimeError:  # there is no such operator
            continue
        except Exception:  # noqa: BLE001 - what torch raises is not known
            yield Alteration(name, "unread")
            continue
        packages = {"torch", top(disk.module), *imported_packages(disk.source.data)}
        packages.update(filter(None, map(_package, _DEFINED.findall(table))))
        definition = definitions.get(name) if definitions is not None else None
        kernels = [*_of_dispatcher(table), *_of_definition(definition)]
        for key, file, line in kernels:
            if not _is_of(file, packages):
                yield Alteration(f"{name}[{key}]" if key else name, "kernel", file, line)
                break


def _names(space: object, disk: OnDisk) -> set[str]:
    """Return the operators that a source names, or that its libraries define."""
    found = {each.decode() for each in _NAMED.findall(disk.source.data)}
    for each in disk.bindings.used:
        found.update("::".join(match.groups()) for match in [_USED.match(each)] if match)
    for _, value in items(space):
        if type(value).__module__ == "torch.library":
            for kept in _LIBRARIES:
                names: Any = attributes(value).get(kept)
                found.update(_operator(str(each)) for each in names if is_a(names, set))
    return found


def _operator(name: str) -> str:
    """Return the name of an operator, of which a registration is ``NAMESPACE/NAME/KEY``."""
    parts = name.split("/")
    return "::".join(parts[:2]) if len(parts) > 1 else name


def _of_dispatcher(table: str) -> Iterator[tuple[str, str, int]]:
    for key, file, line in _REGISTERED.findall(table):
        if not file.endswith(_COMPILED):
            yield key, file, int(line)


def _of_definition(definition: Any) -> Iterator[tuple[str, str, int]]:
    """Yield the functions that an operator of ``torch.library.custom_op`` keeps."""
    kept = attributes(definition)
    values = [kept.get(name) for name in _KEPT]
    for name in _KEPT_BY_KEY:
        table: Any = kept.get(name)
        values += table.values() if is_a(table, dict) else []
    for value in values:
        for each in functions_of(value):
            yield "", each.__code__.co_filename, each.__code__.co_firstlineno


def _is_of(file: str, packages: set[str]) -> bool:
    return is_standard(file) or _package(file) in packages


def _package(file: str) -> str:
    """Return the package that a file is of, by the modules of the process."""
    return _packages(len(sys.modules)).get(file, "")


@lru_cache(maxsize=1)
def _packages(_count: int) -> dict[str, str]:
    found = ((attributes(it).get("__file__"), top(name)) for name, it in list(sys.modules.items()))
    return {file: package for file, package in found if type(file) is str}
