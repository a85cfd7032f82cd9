"""Definitions in the source of a loaded module, ready to be compared with the process."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..source.bindings import Bindings, bindings
from ..source.module_source import ModuleSource, NoSourceError, compiled, loaded_code, source_of
from .fingerprints import DefinedCode, definitions, fingerprint
from .reachable import methods, module_of, qualified_name, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FunctionType

    from ..source.events import DefinitionNode
    from .fingerprints import Fingerprint


@dataclass(frozen=True)
class OnDisk:
    """A module as its source has it."""

    module: str
    source: ModuleSource
    code: CodeType
    loaded: CodeType | None
    """The code that an import would run now."""
    files: frozenset[str]
    """How code objects of this module name their file."""
    defined: dict[Fingerprint, DefinedCode]

    @cached_property
    def sha256(self) -> str:
        """The hash of the source."""
        return hashlib.sha256(self.source.data).hexdigest()

    @cached_property
    def bindings(self) -> Bindings:
        """The final definition of each name."""
        return bindings(self.source.data)

    def settled(self, space: object) -> OnDisk:
        """Return it with a definition for each class that has several: that of its methods."""
        chosen = {}
        for name in self.bindings.unsettled:
            path = name.split(".")
            owner = value_at(space, path)
            events = self.bindings.scopes[tuple(path[:-1])].get(path[-1], ())
            for each in events if issubclass(type(owner), type) else ():
                if each.node is not None and self._are_in(methods(owner), each.node):
                    chosen[name] = each.node.lineno
        if not chosen:
            return self
        found = replace(self)
        found.__dict__["bindings"] = bindings(self.source.data, chosen)
        return found

    def _are_in(self, functions: Iterable[FunctionType], node: DefinitionNode) -> bool:
        """Return whether functions of this file are defined in a class."""
        last = node.end_lineno or node.lineno
        own = [each.__code__ for each in functions if self.is_home(each.__code__)]
        return any(node.lineno <= each.co_firstlineno <= last for each in own)

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines of the source."""
        return self.source.data.splitlines()

    @cached_property
    def class_names(self) -> frozenset[str]:
        """The qualified names of the classes."""
        return frozenset(each.name for each in self.defined.values() if not each.is_function)

    def is_own(self, owner: type) -> bool:
        """Return whether a class is one of the module."""
        return module_of(owner) == self.module or qualified_name(owner) in self.class_names

    def is_home(self, code: CodeType) -> bool:
        """Return whether code was loaded from this file, as it was then or as it is now."""
        return self.is_home_file(code.co_filename)

    def is_home_file(self, file: str) -> bool:
        """Return whether a file is this one, as code objects name it."""
        return file in self.files

    def fingerprints_of(self, codes: Iterable[CodeType]) -> set[Fingerprint]:
        """Return the fingerprints of the codes that are from this file."""
        return {fingerprint(each) for each in codes if self.is_home(each)}

    def is_outdated(self, code: CodeType) -> bool:
        """Return whether code was loaded from this file, but is not in it now."""
        return self.is_home(code) and fingerprint(code) not in self.defined


def on_disk(name: str) -> OnDisk:
    """Read and compile the source of a module of ``sys.modules``. Raises NoSourceError."""
    module = sys.modules.get(name)
    if module is None:
        message = "it is not loaded in this process"
        raise NoSourceError(message)
    source = source_of(module)
    code, loaded = compiled(source), loaded_code(module)
    files = {source.path, getattr(module, "__file__", None), getattr(loaded, "co_filename", None)}
    return OnDisk(
        name,
        source,
        code,
        loaded,
        frozenset(each for each in files if each),
        {each.fingerprint: each for each in definitions(code)},
    )
