"""Which functions of the file, or modules of torch, a call may run."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.models.tensors.value_facts import Kind
from rocmlint.python.scopes import FunctionNode, own_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.models.control_flow.scope import Scope
    from rocmlint.models.control_flow.tree import Tree
    from rocmlint.models.tensors.definitions import Class, Definitions

Target = FunctionNode | tuple[str, ast.Call]
"""A function of the file, or the name of a class of ``torch.nn`` with the call that made it."""
_LISTS = frozenset({"ModuleList", "ModuleDict", "Sequential"})
_GROWING = frozenset({"append", "extend", "insert", "add_module", "register_module", "update"})
_LOOKS_THROUGH = frozenset({"enumerate", "zip", "reversed", "list", "tuple"})


class Targets:
    """What the calls of a file may run."""

    def __init__(self, tree: Tree, definitions: Definitions) -> None:
        """Take the file and what it defines."""
        self._tree = tree
        self._definitions = definitions

    @cached_property
    def module_names(self) -> frozenset[str]:
        """The names that the module itself assigns or defines."""
        tree = self._tree.inference.tree
        return frozenset(
            each.id
            for each in own_nodes(tree.body)
            if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
        )

    def of(self, scope: Scope, node: ast.Call) -> Sequence[Target] | None:
        """Return what a call may run; None where the file does not show it."""
        match node.func:
            case ast.Name(id=name):
                return self._of_name(scope, name)
            case ast.Attribute(value=ast.Name(id=holder), attr=name) if holder == scope.own_name:
                return self._of_own(scope, name)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name):
                above = self._definitions.method(self._owner(scope), name, above=True)
                return None if above is None else [above.node]
            case ast.Attribute(value=holder, attr=name):
                found = self.methods(name)
                is_tensor = self._tree.inference.kind_of(holder) is Kind.TENSOR
                return found if found and not is_tensor else None
            case ast.Subscript(value=value):
                return self._elements(scope, value)
        return None

    def methods(self, name: str) -> list[FunctionNode]:
        """Return the methods of a name of all classes of the file."""
        return self._methods.get(name, [])

    @cached_property
    def _methods(self) -> dict[str, list[FunctionNode]]:
        found: dict[str, list[FunctionNode]] = {}
        for each in self._definitions.functions:
            if each.owner is not None and each.outer is None:
                found.setdefault(each.node.name, []).append(each.node)
        return found

    @cached_property
    def _functions(self) -> dict[str, list[FunctionNode]]:
        found: dict[str, list[FunctionNode]] = {}
        for each in self._definitions.functions:
            if each.owner is None or each.outer is not None:
                found.setdefault(each.node.name, []).append(each.node)
        return found

    def _owner(self, scope: Scope) -> Class | None:
        known = self._definitions.of_node.get(scope.node)
        return None if known is None else known.owner

    def _of_name(self, scope: Scope, name: str) -> Sequence[Target] | None:
        if name in scope.bound:
            return self._of_local(scope, name)
        if name in self._definitions.classes and name not in self._functions:
            return self._made(self._definitions.classes[name])
        return self._functions.get(name)

    def _made(self, owner: Class) -> Sequence[Target] | None:
        """Return what runs where an object of a class is made."""
        found = self._definitions.method(owner, "__init__")
        return None if found is None else [found.node]

    def _of_local(self, scope: Scope, name: str) -> Sequence[Target] | None:
        """Return what a local name runs that only ever is an element of lists of modules."""
        lists = []
        for node in own_nodes(ast.iter_child_nodes(scope.node)):
            if isinstance(node, (ast.For, ast.comprehension)):
                if any(isinstance(e, ast.Name) and e.id == name for e in ast.walk(node.target)):
                    lists.append(node.iter)
        stores = [
            each
            for each in own_nodes(ast.iter_child_nodes(scope.node))
            if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
        ]
        if not lists or len(stores) != len(lists):
            return None
        return _all(self._elements(scope, each) for each in lists)

    def _elements(self, scope: Scope, node: ast.expr) -> Sequence[Target] | None:
        """Return what the elements of a list of modules run."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _LOOKS_THROUGH:
                found = [self._elements(scope, each) for each in node.args]
                return next((each for each in found if each is not None), None)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._elements(scope, node.value)
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        if node.value.id != scope.own_name:
            return None
        return _all(self._listed(each) for each in self._values(self._owner(scope), node.attr))

    def _of_own(self, scope: Scope, name: str) -> Sequence[Target] | None:
        owner = self._owner(scope)
        related = self._related(owner)
        methods: list[Target] = [
            each.methods[name].node for each in related if name in each.methods
        ]
        values = self._values(owner, name)
        if not values:
            return methods or None
        found = _all(map(self._run_by, values))
        return None if found is None else [*methods, *found]

    def _related(self, owner: Class | None) -> list[Class]:
        """Return a class with its bases and its subclasses in this file."""
        if owner is None:
            return []
        above = list(self._definitions.lineage(owner))
        below = [
            each
            for each in self._definitions.classes.values()
            if owner in self._definitions.lineage(each) and each is not owner
        ]
        return [*above, *below]

    def _values(self, owner: Class | None, name: str) -> list[ast.expr]:
        """Return what an attribute of the objects of a class is set to."""
        return [
            value for each in self._related(owner) for value in self._set_in(each).get(name, ())
        ]

    def _set_in(self, owner: Class) -> dict[str, list[ast.expr]]:
        found = self._attributes.get(owner.name)
        if found is None:
            found = self._attributes[owner.name] = {}
            for name, value in _attributes_set(owner.node):
                found.setdefault(name, []).append(value)
        return found

    @cached_property
    def _attributes(self) -> dict[str, dict[str, list[ast.expr]]]:
        return {}

    def _run_by(self, value: ast.expr) -> Sequence[Target] | None:
        """Return what is run where a value is called."""
        if not isinstance(value, ast.Call):
            name = value.id if isinstance(value, ast.Name) else ""
            return self._functions.get(name)
        module, _, name = self._definitions.dotted(value.func).rpartition(".")
        if module.startswith("torch.nn") and name[:1].isupper():
            return self._listed(value) if name in _LISTS else [(name, value)]
        if isinstance(value.func, ast.Name):
            owner = self._definitions.classes.get(value.func.id)
            related = [each.methods for each in self._related(owner)]
            found: list[Target] = [each["forward"].node for each in related if "forward" in each]
            return found or None
        return None

    def _listed(self, value: ast.expr) -> Sequence[Target] | None:
        """Return what the modules in ``nn.ModuleList([...])`` or ``nn.Sequential(...)`` run."""
        if not isinstance(value, ast.Call) or not value.args or value.keywords:
            return None
        module, _, name = self._definitions.dotted(value.func).rpartition(".")
        if not module.startswith("torch.nn") or name not in _LISTS:
            return None
        elements: list[ast.expr] = []
        for each in value.args:
            inner = each.value if isinstance(each, ast.Starred) else each
            if isinstance(inner, (ast.ListComp, ast.GeneratorExp)):
                elements.append(inner.elt)
            elif isinstance(inner, (ast.List, ast.Tuple)):
                elements += inner.elts
            else:
                elements.append(inner)
        return _all(map(self._run_by, elements))


def _attributes_set(owner: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for each in owner.body:
        if isinstance(each, ast.Assign):
            for target in each.targets:
                if isinstance(target, ast.Name):
                    yield target.id, each.value
    for node in ast.walk(owner):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _set(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from _set(target, value)
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr=grown)):
                if grown in _GROWING:
                    yield name, node


def _set(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        yield target.attr, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            if isinstance(each, ast.Attribute):
                yield each.attr, target


def _all(found: Iterable[Sequence[Target] | None]) -> Sequence[Target] | None:
    """Return all targets of several expressions; None where one of them is not known."""
    result: list[Target] = []
    for each in found:
        if each is None:
            return None
        result += each
    return result or None
