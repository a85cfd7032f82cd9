"""What an action on a name means for where a module is found, how it is loaded, what it has.

What an action names decides; one on what cannot be told apart from a parent counts as one on the
parent.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .lazy import is_own_child, stands_in
from .values import ANY_MODULE, UNKNOWN, WILD, matches

if TYPE_CHECKING:
    from .values import Space, Watched

LISTS = {"sys.meta_path", "sys.path_hooks"}
TABLES = {"sys.modules", "sys.path_importer_cache"}
_MACHINERY = ("importlib", "_frozen_importlib", "_frozen_importlib_external", "_imp", "zipimport")
_BUILTINS = {f"builtins.{name}" for name in ("__import__", "__build_class__", "compile", "exec")}
_DESCRIBING = {"__doc__", "__module__", "__name__", "__qualname__", "__all__", "__annotations__"}
"""Attributes that change nothing about what runs."""


@dataclass(frozen=True)
class Action:
    """Something that may lead an import elsewhere."""

    line: int
    what: str


class Effects:
    """Collects what the actions of one file may change."""

    def __init__(self, space: Space, watched: Watched) -> None:
        """Begin with nothing."""
        self.space, self.watched = space, watched
        self.seen: list[Action] = []

    def say(self, node: ast.AST, what: str) -> None:
        """Note an action, and its line."""
        self.seen.append(Action(getattr(node, "lineno", 1), what))

    def item(
        self,
        node: ast.AST,
        owner: ast.expr,
        key: ast.expr,
        value: ast.expr | None,
        *,
        adds: bool = False,
    ) -> None:
        """Say what it means that something is set under a key."""
        for name in self.space.dotted(owner) or {UNKNOWN}:
            if name == "sys.modules":
                self._registered(node, key, value)
            elif name in LISTS | TABLES:
                self.say(node, f"changes {name}")
            elif self.is_path(name):
                everything = isinstance(key, ast.Slice) and not (key.lower or key.upper or key.step)
                self.path(node, name, value if everything else None)
            elif name.endswith(".__dict__") or name == UNKNOWN:
                base = name[: -len(".__dict__")] if name != UNKNOWN else name
                for text in self.space.texts(key):
                    self.attribute(node, base, text, value, adds=adds)
            else:
                is_path = "__path__" in self.space.texts(key)
                self.attribute(
                    node, UNKNOWN if is_path else name, "__path__" if is_path else "[]", value
                )

    def attribute(
        self, node: ast.AST, owner: str, name: str, value: ast.AST | None, *, adds: bool = False
    ) -> None:
        """Say what it means that an attribute of something is set, if that matters."""
        module = self.watched.module
        if WILD in owner:  # a module of which only a part of its name is known
            if not any(matches(owner, each) for each in (module, *self.watched.parents)):
                return
            owner = ANY_MODULE
        full = f"{owner}.{name}"
        of_module = owner == module or owner.startswith(f"{module}.")
        given = value if isinstance(value, ast.expr) else None
        if owner == ANY_MODULE and not self.is_path(full):
            is_parent = self.space.module in self.watched.parents
            is_near = self.space.module.partition(".")[0] == module.partition(".")[0]
            if name not in _DESCRIBING and (is_parent or (is_near and self.watched.is_imported())):
                self.say(node, "sets attributes of modules whose names are computed")
        elif (
            WILD in name
        ):  # an attribute that only running it shows: of the module itself it counts
            if of_module:
                self.say(node, f"sets attributes of {owner}")
        elif self.is_path(full):
            self.path(node, full, given, adds=adds)
        elif name == "submodule_search_locations" or self.is_path(owner):
            self.say(node, f"changes {full.lstrip('?.')}")
        elif of_module:
            if name not in _DESCRIBING:
                self.say(node, f"sets {full.replace('.[]', '[...]')}")
        elif full in _BUILTINS or full in {*LISTS, *TABLES}:
            if not adds or full in TABLES:
                self.say(node, f"replaces {full}")
        elif owner.partition(".")[0] in _MACHINERY:
            self.say(node, f"replaces {full}")
        elif owner in self.watched.parents:
            self._of_parent(node, owner, name, value)
        elif any(owner.startswith(f"{each}.__spec__") for each in self.watched.parents):
            self.say(node, f"changes {full}")

    def _of_parent(self, node: ast.AST, parent: str, name: str, value: ast.AST | None) -> None:
        child = f"{parent}.{self.watched.child(parent)}"
        if name in {"__spec__", "__loader__"}:
            names = self.space.dotted(value) if isinstance(value, ast.expr) else set()
            if f"{parent}.{name}" not in names:
                self.say(node, f"sets {name} of {parent}")
        elif name == "__class__":
            if not stands_in(value, self.space, self.watched, parent, keeps_names=True):
                self.say(node, f"sets the class of {parent}")
        elif name == "__getattr__":
            if not is_own_child(value, self.space, child):
                self.say(node, f"defines a __getattr__ that may give another {child}")
        elif f"{parent}.{name}" == child and not self._has_own(child):
            self.say(node, f"binds another object to {child}")

    def _has_own(self, child: str) -> bool:
        """Return whether the file imports the submodule itself, whatever it calls it."""
        bound = (it for names in self.space.imported.values() for it in names)
        return any(each == child or each.startswith(f"{child}.") for each in bound)

    # ---- __path__

    def is_path(self, name: str) -> bool:
        """Return whether a name is, or may be, the list that a parent's submodules are found by."""
        owner, _, last = name.rpartition(".")
        if last == "submodule_search_locations":
            owner = owner[: -len(".__spec__")] if owner.endswith(".__spec__") else UNKNOWN
        elif last != "__path__":
            return False
        if WILD in owner:
            return any(matches(owner, each) for each in self.watched.parents)
        return owner in self.watched.parents or owner.startswith(UNKNOWN)

    def path(self, node: ast.AST, name: str, value: ast.expr | None, *, adds: bool = False) -> None:
        """Say that a parent's list changes, unless the module is found where it was."""
        owner = name.rpartition(".")[0].replace(".__spec__", "")
        parents = [owner] if owner in self.watched.parents else list(self.watched.parents)
        if adds or self._only_adds(name, value):
            if all(map(self.watched.is_regular, parents)):
                return
        elif value is not None:
            if name in self.space.dotted(value):
                return
            folders = self.space.folders(value)
            if folders and all(self.watched.takes_same(each, folders) for each in parents):
                return
        told = owner if owner in self.watched.parents else "a package"
        self.say(node, f"changes __path__ of {told}")

    def _only_adds(self, name: str, value: ast.expr | None) -> bool:
        """Return whether a new path begins with the old one."""
        if isinstance(value, ast.Call) and value.args:
            kind = self.space.dotted(value.func)
            first = self.space.dotted(value.args[0])
            if kind & {"pkgutil.extend_path", "builtins.list"}:
                return name in first or self._only_adds(name, value.args[0])
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            return name in self.space.dotted(value.left) or self._only_adds(name, value.left)
        if isinstance(value, (ast.List, ast.Tuple)) and value.elts:
            first_one = value.elts[0]
            return isinstance(first_one, ast.Starred) and name in self.space.dotted(first_one)
        return False

    # ---- sys.modules

    def _registered(self, node: ast.AST, key: ast.expr, value: ast.expr | None) -> None:
        """Tell of a module that is put in under a name which may be one that is looked for."""
        if value is not None and self._has_this_name(value, key):
            return
        names = self.space.dotted(value)
        for text in sorted(self.space.texts(key)):
            if self._is_none(text):
                continue
            if matches(text, self.watched.module):
                if self.watched.module not in names:
                    self.say(node, f"puts a module into sys.modules ({self._told(text)})")
                return
            for parent in self.watched.parents:
                if matches(text, parent) and parent not in names:
                    if not stands_in(value, self.space, self.watched, parent):
                        self.say(node, f"puts another object into sys.modules as {parent}")
                        return

    def _is_none(self, text: str) -> bool:
        """Return whether a name that is computed elsewhere has nothing to do with the module.

        A file that is not one of its parents has to have a word for it.
        """
        return (
            not text.strip(f"{WILD}.")
            and self.space.module not in self.watched.parents
            and not self.watched.is_named()
        )

    def _told(self, text: str) -> str:
        return text.replace(WILD, "...") if text != WILD else "under a name that is computed"

    def _has_this_name(self, value: ast.expr, key: ast.expr) -> bool:
        """Return whether a module is put in under the name that it has."""
        sources = [key]
        if isinstance(key, ast.Name):
            sources = self.space.assigned.get(key.id, [])
        return bool(sources) and all(_is_name_of(each, value) for each in sources)


def _is_name_of(node: ast.expr, value: ast.expr) -> bool:
    """Return whether an expression is ``value.__name__``."""
    if isinstance(node, ast.Attribute):
        return node.attr == "__name__" and ast.dump(node.value) == ast.dump(value)
    if isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
        return node.args[1].value == "__name__" and ast.dump(node.args[0]) == ast.dump(value)
    return False
