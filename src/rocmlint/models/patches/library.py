"""What libraries define, by dotted names: re-exports are followed, and bases of classes."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from rocmlint.models.patches.evaluation import Evaluator, dotted_name
from rocmlint.models.patches.namespace import Namespace
from rocmlint.models.patches.sources import Sources, is_package
from rocmlint.python.names import last_name
from rocmlint.python.scopes import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from packaging.version import Version

    from rocmlint.disk.disk import DiskView
    from rocmlint.models.patches.namespace import Binding
    from rocmlint.models.patches.sources import Module

_HOPS = 12
_NONE: Mapping[str, Version] = MappingProxyType({})
_MADE_AT_RUN_TIME = re.compile(
    r"\b(?:__getattr__|_LazyModule|sys\.modules|globals\(\)|vars\(\)|exec\(|setattr\()"
)
"""What stands in modules whose names are not all written as such."""
_WITHOUT_MEMBERS = {"abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"}
_ADDING_NONE = {"auto_docstring", "dataclass", "final", "requires", "runtime_checkable"}
"""Decorators after which a class has the members that it had, but for those with underscores."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a dotted name stands for.

    ``node`` is None for a module. ``several``: a condition that nobody can decide chooses between
    this definition and others. ``missing`` is the shortest beginning that is not there.
    """

    status: Literal["found", "missing", "unknown"]
    dotted: str = ""
    module: Module | None = None
    node: ast.AST | None = None
    names: Namespace | None = None
    several: bool = False
    missing: str = ""
    owner: Found | None = None
    """The class that a member is found in."""

    @property
    def is_class(self) -> bool:
        """Whether it is a class."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        """Whether it is a function or a method."""
        return isinstance(self.node, FUNCTIONS)


UNKNOWN = Found("unknown")


@dataclass(frozen=True)
class Order:
    """A class and its bases in the order in which members are looked up.

    Not ``complete``: a base could not be read. ``cycle`` names a class that is its own base.
    """

    classes: tuple[Found, ...]
    complete: bool
    cycle: str = ""


class Library:
    """The definitions in the folders of an environment, for one version of each package."""

    def __init__(
        self, folders: tuple[str, ...], view: DiskView, versions: Mapping[str, Version] = _NONE
    ) -> None:
        """Take the folders that hold packages, and what reads them.

        ``versions`` are those that conditions compare, in place of the installed ones.
        """
        self.sources = Sources(folders, view)
        self._versions: dict[str, Version | None] = {**versions}
        self._evaluator = Evaluator(self)
        self._namespaces: dict[ast.Module, Namespace] = {}
        self._members: dict[ast.AST, Namespace] = {}
        self._found: dict[str, Found] = {}
        self._orders: dict[ast.AST, Order] = {}
        self.truth = self._evaluator.truth
        self.value = self._evaluator.value

    def version(self, package: str) -> Version | None:
        """Return the version of a top-level package, None where it is unknown."""
        if package not in self._versions:
            self._versions[package] = self.sources.version(package)
        return self._versions[package]

    def variant(self, versions: Mapping[str, Version]) -> Library:
        """Return the same sources, as if other versions of packages were installed."""
        return Library(self.sources.folders, self.sources.view, versions)

    def names_of(self, module: Module) -> Namespace:
        """Return what a module binds; while that is read, what it has bound so far."""
        if module.tree not in self._namespaces:
            names = self._namespaces[module.tree] = Namespace(module, self)
            names.fill(module.tree.body)
        return self._namespaces[module.tree]

    def members_of(self, holder: Found) -> Namespace:
        """Return what the body of a class binds."""
        if holder.node not in self._members:
            assert isinstance(holder.node, ast.ClassDef)
            assert holder.module is not None
            names = Namespace(holder.module, self, holder.names)
            names.fill(holder.node.body)
            self._members[holder.node] = names
        return self._members[holder.node]

    # Names

    def is_there(self, dotted: str) -> bool | None:
        """Return whether there is a module or a name of one; None: cannot tell."""
        status = self.find(dotted).status
        return None if status == "unknown" else status == "found"

    def has(self, dotted: str, member: str) -> bool | None:
        """Return whether something has an attribute; None: cannot tell."""
        found = self.find(dotted)
        if found.status == "missing" or (found.node is not None and not found.is_class):
            return None
        if not found.is_class:
            return self.is_there(f"{dotted}.{member}")
        status = self.member(found, member).status
        return None if status == "unknown" else status == "found"

    def values(self, dotted: str) -> tuple[tuple[ast.AST, Namespace], ...]:
        """Return what a name is bound to, with the names around it; nothing where unsure."""
        found = self.find(dotted)
        if found.node is None or found.names is None or found.several:
            return ()
        return ((found.node, found.names),)

    def find(self, dotted: str) -> Found:
        """Return what a dotted name stands for."""
        if dotted not in self._found:
            self._found[dotted] = UNKNOWN  # for names that lead back to themselves
            self._found[dotted] = self._find(dotted, _HOPS)
        return self._found[dotted]

    def _find(self, dotted: str, hops: int) -> Found:
        longest = self.sources.longest(dotted) if hops else None
        if longest is None:
            return UNKNOWN
        name, rest = longest
        module = self.sources.module(name)
        if not rest:
            return self._shadowing(name, hops) or Found("found", name, module)
        if module is None or self.sources.is_compiled(name, rest[0]):
            return UNKNOWN
        found = self.in_module(module, rest[0], hops)
        return self._attributes(found, rest[1:], hops)

    def _shadowing(self, name: str, hops: int) -> Found | None:
        """Return what a package binds under the name of one of its modules: ``torch.cond``."""
        package, _, last = name.rpartition(".")
        module = self.sources.module(package) if package else None
        bindings = self.names_of(module).names.get(last, ()) if module is not None else ()
        if module is None or len(bindings) != 1 or bindings[0].dotted == name:
            return None
        found = self._bound(bindings, name, self.names_of(module), hops)
        return found if found.status == "found" and found.node is not None else None

    def in_module(self, module: Module, name: str, hops: int = _HOPS) -> Found:
        """Return what a name at the top level of a module stands for."""
        names = self.names_of(module)
        bindings = names.names.get(name)
        if bindings:
            return self._bound(bindings, f"{module.name}.{name}", names, hops)
        if name.startswith("__"):
            return UNKNOWN
        missing = Found("missing", missing=f"{module.name}.{name}")
        is_made = _MADE_AT_RUN_TIME.search(module.text) is not None
        if is_made and self.sources.has_extensions(module.path):
            return self._starred(names, name, hops) or UNKNOWN
        if is_made and not self._is_mentioned(module, name):
            return missing
        starred = self._starred(names, name, hops)
        return starred or (UNKNOWN if is_made else missing)

    def _starred(self, names: Namespace, name: str, hops: int) -> Found | None:
        """Return what a star import brings; None where each module behind one lacks the name."""
        answers = [self._find(f"{each}.{name}", hops - 1) for each in names.stars]
        known = [each for each in answers if each.status != "missing"]
        return next((each for each in known if each.status == "found"), UNKNOWN if known else None)

    def _is_mentioned(self, module: Module, name: str) -> bool:
        """Return whether a module has a word, or any module of its package."""
        word = rf"\b{re.escape(name)}\b"
        if not is_package(module.path):
            return re.search(word, module.text) is not None
        folder = module.path.removesuffix("__init__.py")
        return bool(self.sources.view.modules_with(folder, (word,)))

    def _bound(
        self, bindings: tuple[Binding, ...], dotted: str, names: Namespace, hops: int
    ) -> Found:
        """Return what the last of the bindings leads to that can be found."""
        answers = [self._followed(each, dotted, names, hops) for each in reversed(bindings)]
        known = [each for each in answers if each.status == "found"]
        if not known:
            return answers[0] if len(answers) == 1 else UNKNOWN
        return replace(known[0], several=known[0].several or len(bindings) > 1)

    def _followed(self, binding: Binding, dotted: str, names: Namespace, hops: int) -> Found:
        if binding.dotted:
            return self._find(binding.dotted, hops - 1) if binding.dotted != dotted else UNKNOWN
        node = binding.node
        if isinstance(node, (ast.Name, ast.Attribute)) and hops:
            alias = dotted_name(node, names)
            if alias is not None and alias != dotted:
                found = self._find(alias, hops - 1)
                if found.status == "found":
                    return found
        if node is None:
            return Found(
                "found", dotted, names.module, ast.Constant(value=...), names, several=True
            )
        return Found("found", dotted, names.module, node, names)

    def _attributes(self, found: Found, rest: tuple[str, ...], hops: int) -> Found:
        for index, each in enumerate(rest):
            if found.status != "found":
                return found
            if found.node is None:
                return self._find(".".join([found.dotted, *rest[index:]]), hops - 1)
            if not found.is_class:
                return UNKNOWN
            found = self.member(found, each)
        return found

    # Classes

    def member(self, holder: Found, name: str) -> Found:
        """Return what an attribute of a class stands for, be it inherited."""
        order = self.order(holder)
        for each in order.classes:
            names = self.members_of(each)
            if name not in names.names and name.startswith("__") and _is_dataclass(each):
                return UNKNOWN
            if name in names.names:
                dotted = f"{each.dotted}.{name}"
                found = self._bound(names.names[name], dotted, names, _HOPS)
                return replace(found, owner=each, dotted=dotted)
        if not order.complete or holder.several or any(map(_is_open, order.classes)):
            return UNKNOWN
        if name in vars(builtins.object):
            return Found("found", f"builtins.object.{name}", None, ast.Constant(value=...))
        return Found("missing", missing=f"{holder.dotted}.{name}")

    def order(self, holder: Found) -> Order:
        """Return a class and its bases, as Python's method resolution order has them."""
        assert holder.node is not None
        if holder.node not in self._orders:
            self._orders[holder.node] = Order((holder,), complete=False, cycle=holder.dotted)
            self._orders[holder.node] = self._order(holder)
        return self._orders[holder.node]

    def _order(self, holder: Found) -> Order:
        bases = [self._base(each, holder) for each in _bases(holder)]
        known = [each for each in bases if each is not None and each.is_class]
        orders = [self.order(each) for each in known]
        complete = len(known) == sum(each is not None for each in bases)
        cycle = next((each.cycle for each in orders if each.cycle), "")
        merged = _linear([[*each.classes] for each in orders] + [known])
        if merged is None:
            return Order((holder,), complete=False, cycle=cycle)
        complete = complete and all(each.complete for each in orders)
        return Order((holder, *merged), complete, cycle)

    def _base(self, node: ast.expr, holder: Found) -> Found | None:
        """Return a base of a class; None for one without members of its own."""
        names = holder.names
        node = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(node, ast.Name) and node.id == "object":
            return None
        dotted = dotted_name(node, names) if names is not None else None
        if dotted in _WITHOUT_MEMBERS:
            return None
        return UNKNOWN if dotted is None else self.find(dotted)


def _bases(holder: Found) -> Iterator[ast.expr]:
    assert isinstance(holder.node, ast.ClassDef)
    yield from holder.node.bases


def _is_open(holder: Found) -> bool:
    """Return whether a class may have members that are not written."""
    node = holder.node
    return isinstance(node, ast.ClassDef) and bool(node.keywords or decorators(node) - _ADDING_NONE)


def _is_dataclass(holder: Found) -> bool:
    return holder.node is not None and "dataclass" in decorators(holder.node)


def decorators(node: ast.AST) -> set[str]:
    """Return the last names of decorators: "no_grad" of ``@torch.no_grad()``."""
    return {last_name(each) or "?" for each in getattr(node, "decorator_list", ())}


def _linear(orders: list[list[Found]]) -> list[Found] | None:
    """Merge the orders of bases (C3); None where Python would refuse them."""
    result: list[Found] = []
    while any(orders):
        orders = [each for each in orders if each]
        tails = {node.node for each in orders for node in each[1:]}
        head = next((each[0] for each in orders if each[0].node not in tails), None)
        if head is None:
            return None
        result.append(head)
        orders = [[node for node in each if node.node is not head.node] for each in orders]
    return result
