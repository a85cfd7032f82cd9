"""Which public names a published package has in which version, and how they are called.

The data were proven by importing each version and asking getattr (tools/build_names.py), for the
packages of `packages()`. Sets of versions are integers whose bit i stands for `versions[i]`.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.version import Version

from rocmlint.published.name_data import FOLDER, NameFile, NamesDamagedError
from rocmlint.published.name_facts import History, Signature, index_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ".names"
__all__ = [
    "History",
    "NamesDamagedError",
    "PackageNames",
    "Signature",
    "index_of",
    "names_of",
    "packages",
]

# What every class has from `object`.
OF_OBJECT = frozenset(dir(object))
_MASK = "LlamaModel._prepare_decoder_attention_mask"
GONE_BEFORE = dict.fromkeys(
    (
        f"transformers.{_MASK}",
        f"transformers.models.llama.{_MASK}",
        f"transformers.models.llama.modeling_llama.{_MASK}",
    ),
    "4.35",
)
"""What was gone before the index begins: the first release without it, looked up in the wheels."""


@dataclass
class _Name:
    """A name of a module: where what it stands for is defined -> in which versions."""

    targets: dict[str, int]
    there: int = 0
    unknown: int = 0


def packages() -> tuple[str, ...]:
    """Import names of the packages that the index knows."""
    try:
        files = os.listdir(FOLDER)
    except OSError:
        return ()
    return tuple(sorted(each.removesuffix(ENDING) for each in files if each.endswith(ENDING)))


@functools.cache
def names_of(package: str) -> PackageNames | None:
    """Return the names of a package by its import name ("huggingface_hub"); None if unknown.

    Raises:
        NamesDamagedError: its file cannot be read.
    """
    if not package.isidentifier():
        return None
    try:
        return PackageNames(NameFile(os.path.join(FOLDER, package + ENDING)))
    except FileNotFoundError:
        return None


class PackageNames:
    """What is known of one package."""

    def __init__(self, pieces: NameFile) -> None:
        """Take the head; all else is read when it is asked for."""
        self._pieces = pieces
        head = pieces.head
        self.package: str = head["package"]
        self.versions = tuple(Version(each) for each in head["versions"])
        self._all = (1 << len(self.versions)) - 1
        self._sets: list[int] = head["sets"]
        self._foreign = frozenset(head["foreign"].split())
        self._bases: dict[str, str | None] = head["bases"]
        self._modules = {
            module: self._state(state)
            for state, modules in head["modules"].items()
            for module in modules.split()
        }
        self._names: dict[str, dict[str, list[tuple[str, str]]]] = {}
        self._keywords: dict[str, tuple[frozenset[str] | None, ...]] = {}
        self._found: dict[str, _Name | None] = {}

    def history(self, dotted: str) -> History | None:
        """Return the history of a module or of a name of a module; None if nothing is known of it.

        A name that no version has gets a history without any version, if its module was read to
        the end in them; a name that a module only imported from another package is not known.
        """
        there, unknown = self._modules.get(dotted, (0, 0))
        listed = dotted.rpartition(".")[2] in self._listed(dotted.rpartition(".")[0])
        name = self._name(dotted) if listed or dotted not in self._modules else _Name({})
        if name is None:
            return None
        there |= name.there
        return self._history(dotted, there, (unknown | name.unknown) & ~there)

    def member(self, dotted_class: str, attribute: str) -> History | None:
        """Return the history of a class's attribute, its own or inherited; None: cannot tell.

        Where the class itself is gone, so is its attribute. The class may be named by any module
        that exports it.
        """
        name = self._name(dotted_class)
        if name is None or not name.targets:
            return None
        if attribute in OF_OBJECT:
            return History(self.versions, name.there, name.unknown)
        there, unknown = 0, name.unknown
        for target, versions in name.targets.items():
            has, perhaps = self._attribute(target, attribute)
            there |= has & versions
            unknown |= perhaps & versions
        unknown |= name.there & ~functools.reduce(int.__or__, name.targets.values())
        return self._history(f"{dotted_class}.{attribute}", there, unknown & ~there)

    def signature(self, dotted: str, version: Version) -> Signature | None:
        """How a function, a class or a class's method is called in a version.

        None: it takes **kwargs, is wrapped by something that may take keywords out, is not there,
        or is not known.
        """
        index = index_of(self.versions, version)
        text = None if index is None else self._signature(dotted, index)
        return None if text is None else Signature.of(text)

    def keyword(self, dotted: str, keyword: str) -> History:
        """In which versions a callable takes a keyword; unknown where its signature is."""
        there = unknown = 0
        for index, keywords in enumerate(self._keywords_of(dotted)):
            if keywords is None:
                unknown |= 1 << index
            elif keyword in keywords:
                there |= 1 << index
        return History(self.versions, there, unknown)

    def defined_as(self, dotted: str, version: Version) -> str | None:
        """Return the full name by which a version defines what a name of a module stands for."""
        index, name = index_of(self.versions, version), self._name(dotted)
        if index is None or name is None:
            return None
        found = next(self._at(name.targets, index), "!")
        return None if found.startswith("!") else found.replace(":", ".")

    def elsewhere(self, name: str, version: Version) -> tuple[str, ...]:
        """Return the modules of a version that have a name of this name, the shortest first."""
        index = index_of(self.versions, version)
        if index is None:
            return ()
        found = [
            module
            for piece in self._pieces.names()
            if not name.isascii() or self._pieces.mentions(piece, name)
            for module in self._pieces.piece(piece)
            if (entry := self._entry(module, name)) and entry.there >> index & 1
        ]
        return tuple(sorted(found, key=lambda module: (module.count("."), module)))

    def is_module(self, dotted: str) -> bool:
        """Return whether some version has a module of this name."""
        return bool(self._modules.get(dotted, (0, 0))[0])

    def modules(self) -> tuple[str, ...]:
        """Return all modules that some version has."""
        return tuple(module for module, (there, _) in self._modules.items() if there)

    def names(self, module: str) -> tuple[str, ...]:
        """Return all names that some version of a module has."""
        return tuple(self._listed(module))

    # Names and where they are defined.

    def _history(self, dotted: str, there: int, unknown: int) -> History | None:
        gone = GONE_BEFORE.get(dotted)
        if gone is not None:
            return History(self.versions, there, 0, Version(gone))
        return None if unknown == self._all else History(self.versions, there, unknown)

    def _state(self, text: str) -> tuple[int, int]:
        """Return the two sets of versions that "there" or "there/unknown" stands for."""
        there, _, unknown = text.partition("/")
        return self._sets[int(there)], self._sets[int(unknown)] if unknown else 0

    def _table(self, module: str) -> dict[str, Any]:
        """Return what the index has of a module; nothing, if that is not known."""
        prefix = module
        while prefix:
            if prefix in self._pieces:
                table: dict[str, Any] = self._pieces.piece(prefix).get(module, {})
                return table
            prefix = prefix.rpartition(".")[0]
        return {}

    def _listed(self, module: str) -> dict[str, list[tuple[str, str]]]:
        """Return all names of a module with the target and the state of each of their entries."""
        if module not in self._names:
            found: dict[str, list[tuple[str, str]]] = {}
            for target, by_state in self._table(module).get("names", {}).items():
                for state, names in by_state.items():
                    entry = (target, state)
                    for name in names.split():
                        found.setdefault(name, []).append(entry)
            self._names[module] = found
        return self._names[module]

    def _entry(self, module: str, name: str) -> _Name | None:
        """Return a name that a module lists."""
        entries = self._listed(module).get(name)
        if entries is None:
            return None
        found = _Name({}, 0, 0)
        for target, state in entries:
            there, unknown = self._state(state)
            found.there |= there
            found.unknown |= unknown
            if target:  # "." is this module, nothing is a value
                home, _, within = target.partition(":")
                home = module if home == "." else home
                found.targets[f"{home}:{within or name}"] = there
        return found

    def _name(self, dotted: str) -> _Name | None:
        """Return a name of a module; None if nothing is known of the module."""
        if dotted not in self._found:
            self._found[dotted] = self._find(dotted)
        return self._found[dotted]

    def _find(self, dotted: str) -> _Name | None:
        """Look a name up: what its module, if that told all its names, does not list is absent."""
        module, _, name = dotted.rpartition(".")
        if module not in self._modules:
            parent = self.history(module) if module else None
            return _Name({}, 0, parent.there | parent.unknown) if parent else None
        found = self._entry(module, name)
        if found is None:
            there, unknown = self._modules[module]
            absent = self._all & ~there & ~unknown
            if name not in self._foreign and not _is_of_python(name):
                absent |= self._sets[self._table(module).get("whole", 0)]
            found = _Name({}, 0, self._all & ~absent)
        return found

    # Classes.

    def _class(self, defined: str) -> dict[str, Any]:
        """Return what is known of the class that is defined as "module:Name"."""
        module, _, name = defined.partition(":")
        table: dict[str, Any] = self._table(module).get("classes", {}).get(name, {})
        return table

    def _attribute(self, defined: str, attribute: str) -> tuple[int, int]:
        """In which versions a class has an attribute, and of which that is not known."""
        if defined.startswith("!"):
            names = self._bases.get(defined[1:])
            if names is None:
                return 0, self._all
            return (self._all if attribute in names.split() else 0), 0
        table = self._class(defined)
        there, unknown = 0, self._sets[table.get("open", 0)]
        for state, names in table.get("own", {}).items():
            if attribute in names.split():
                there |= self._sets[int(state)]
        seen = 0
        for state, bases in table.get("bases", {}).items():
            versions = self._sets[int(state)]
            seen |= versions
            for base in bases.split():
                has, perhaps = self._attribute(base, attribute)
                there |= has & versions
                unknown |= perhaps & versions
        return there, (unknown | self._all & ~seen) & ~there

    def _order(self, defined: str, index: int) -> list[str]:
        """Return the class and its bases in the order in which Python asks them, in one version."""
        bases = self._bases_of(defined, index)
        waiting = [self._order(base, index) for base in bases] + [bases]
        order = [defined]
        while waiting := [each for each in waiting if each]:
            tails = {base for each in waiting for base in each[1:]}
            head = next((each[0] for each in waiting if each[0] not in tails), waiting[0][0])
            order.append(head)
            waiting = [[base for base in each if base != head] for each in waiting]
        return order

    def _bases_of(self, defined: str, index: int) -> list[str]:
        """Return the bases of a class in one version."""
        for state, bases in self._class(defined).get("bases", {}).items():
            if self._sets[int(state)] >> index & 1:
                return list(bases.split())
        return []

    # Signatures.

    def _keywords_of(self, dotted: str) -> tuple[frozenset[str] | None, ...]:
        """Return the keywords of a callable in each version: one after the other is asked for."""
        if dotted not in self._keywords:
            texts = [self._signature(dotted, index) for index in range(len(self.versions))]
            read = {text: Signature.of(text).keywords for text in set(texts) if text is not None}
            self._keywords[dotted] = tuple(
                read[text] if text is not None else None for text in texts
            )
        return self._keywords[dotted]

    def _signature(self, dotted: str, index: int) -> str | None:
        """Return the written signature of a callable in one version."""
        name = self._name(dotted)
        if name is not None:
            for defined in self._at(name.targets, index):
                module, _, within = defined.partition(":")
                functions = self._table(module).get("functions", {})
                if within in functions:
                    return self._written(functions[within], index)
                return self._of_class(defined, index, ("__init__", "__new__"))
            return None
        outer, _, method = dotted.rpartition(".")
        holder = self._name(outer)
        for defined in self._at(holder.targets, index) if holder else ():
            return self._of_class(defined, index, (method,))
        return None

    def _at(self, targets: dict[str, int], index: int) -> Iterator[str]:
        """Where a name is defined in one version."""
        return (defined for defined, versions in targets.items() if versions >> index & 1)

    def _of_class(self, defined: str, index: int, methods: tuple[str, ...]) -> str | None:
        """Return the signature of the first of these methods that a class or a base of it has."""
        for each in self._order(defined, index):
            table = self._class(each)
            owned = [
                name
                for name in methods
                for state, names in table.get("own", {}).items()
                if self._sets[int(state)] >> index & 1 and name in names.split()
            ]
            if owned:
                wanted = "()" if "__init__" in methods else owned[0]
                return self._written(table.get("methods", {}).get(wanted, {}), index)
            if each.startswith("!"):
                listed = self._bases.get(each[1:])
                if listed is None or "__init__" in methods or methods[0] in listed.split():
                    return None
            elif self._sets[table.get("closed", 0)] >> index & 1:
                return None
        return None

    def _written(self, by_text: dict[str, int], index: int) -> str | None:
        """Return the signature that holds in one version."""
        for text, state in by_text.items():
            if self._sets[state] >> index & 1:
                return text
        return None


def _is_of_python(name: str) -> bool:
    """Return whether Python itself may give a module this name: ``__file__``, ``__path__``."""
    return name.startswith("__") and name.endswith("__")
