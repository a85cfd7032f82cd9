"""Modules that give their names on demand: whether a submodule stays what its file makes it."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from .nodes import elements, walk
from .values import UNKNOWN, WILD, Space, Watched

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNFIT = {"__path__", "__setattr__", "__class__", "__dict__"}
"""With one of these, what an instance has need not be what it was given."""


def is_own_child(function: object, space: Space, child: str) -> bool:
    """Return whether a ``__getattr__`` gives no other module for the name of a submodule."""
    functions: list[ast.AST] = []
    if isinstance(function, ast.ClassDef):  # whose attributes a decorator gives, as in matplotlib
        named = {getattr(each, "name", None) for each in function.body} | _assigned_in(function)
        return bool(function.decorator_list) and child.rpartition(".")[2] not in named
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        functions = [function]
    elif isinstance(function, ast.Name):
        functions = [*space.functions.get(function.id, ())]
    return bool(functions) and all(_gives_own(each, space, child) for each in functions)


def _gives_own(function: ast.AST, space: Space, child: str) -> bool:
    arguments = getattr(function, "args", None)
    names = [each.arg for each in getattr(arguments, "args", [])]
    if not names:
        return False
    name = child.rpartition(".")[2]
    known = space.knowing({names[-1]: {name}})
    if isinstance(function, ast.Lambda):
        return not _is_foreign(function.body, known, child)
    body: list[ast.stmt] = getattr(function, "body", [])
    return not any(_is_foreign(each, known, child) for each in _returned(body, known, names[-1]))


def _returned(body: list[ast.stmt], space: Space, name: str) -> Iterator[ast.expr]:
    """Yield what may be returned, past the conditions that are known to fail."""
    for each in body:
        if isinstance(each, ast.Return) and each.value is not None:
            yield each.value
        if isinstance(each, ast.If):
            holds = _holds(each.test, space)
            if holds is not False:
                yield from _returned(each.body, space, name)
            if holds is not True:
                yield from _returned(each.orelse, space, name)
            if holds and _ends(each.body):
                return
        elif not isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            for block in ("body", "orelse", "finalbody"):
                yield from _returned(getattr(each, block, []), space, name)
            for handler in getattr(each, "handlers", []):
                yield from _returned(handler.body, space, name)


def _ends(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise))


def _holds(test: ast.expr, space: Space) -> bool | None:
    """Return whether a condition holds; None where that is unknown."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _holds(test.operand, space)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [_holds(each, space) for each in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(test, ast.Name):
        values = space.assigned.get(test.id, [])
        return False if len(values) == 1 and _is_absent(values[0], space) else None
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    if isinstance(test.ops[0], (ast.Is, ast.IsNot)) and _is_absent(test.left, space):
        right = test.comparators[0]
        is_none = isinstance(right, ast.Constant) and right.value is None
        return isinstance(test.ops[0], ast.Is) if is_none else None
    left = space.texts(test.left)
    if len(left) != 1 or WILD in next(iter(left)):
        return None
    operator, right = test.ops[0], test.comparators[0]
    found = {next(iter(left))}
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        other = space.texts(right)
        if len(other) != 1 or WILD in next(iter(other)):
            return None
        return (other == found) is isinstance(operator, ast.Eq)
    if isinstance(operator, (ast.In, ast.NotIn)):
        known = _members(right, space)
        return None if known is None else bool(found & known) is isinstance(operator, ast.In)
    return None


def _is_absent(node: ast.expr, space: Space) -> bool:
    """Return whether an expression is ``table.get(name)`` of a literal table without the name."""
    if isinstance(node, ast.NamedExpr):
        return _is_absent(node.value, space)
    if isinstance(node, ast.Name):
        values = space.assigned.get(node.id, [])
        return (
            len(values) == 1
            and not isinstance(values[0], ast.Name)
            and _is_absent(values[0], space)
        )
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if node.func.attr != "get" or len(node.args) != 1:
        return False
    known = _members(node.func.value, space)
    key = space.texts(node.args[0])
    return known is not None and not any(WILD in each for each in key) and not known & key


def _members(node: ast.expr, space: Space) -> set[str] | None:
    """Return the texts in a literal container; None for any other."""
    if isinstance(node, ast.Name):
        values = space.assigned.get(node.id, [])
        return _members(values[0], space) if len(values) == 1 else None
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
        return None
    if isinstance(node, ast.Dict) and None in node.keys:
        return None
    found = {text for each in elements(node) for text in space.texts(each)}
    return None if any(WILD in each for each in found) else found


def _is_foreign(node: ast.expr, space: Space, child: str) -> bool:
    """Return whether an expression gives a module that is known to be another, or any at all."""
    if isinstance(node, ast.Call):
        called = space.dotted(node.func)
        if called & {"importlib.import_module", "builtins.__import__"} and node.args:
            return any(each != child for each in _imported(node, space))
        if "builtins.getattr" in called and len(node.args) > 1:
            is_asked = child.rpartition(".")[2] in space.texts(node.args[1])
            return is_asked and _is_foreign_attribute(node.args[0], space, child)
    if isinstance(node, ast.Subscript):
        values = _looked_up(node, space)
        if values is not None:
            return any(_is_foreign(each, space, child) for each in values)
    if isinstance(node, ast.Name) and node.id in space.assigned:
        inner = [each for each in space.assigned[node.id] if isinstance(each, (ast.Call, ast.Name))]
        if inner and not space.imported.get(node.id):
            return any(_is_foreign(each, space, child) for each in inner if each is not node)
    names = {each for each in space.dotted(node) if not each.startswith((UNKNOWN, "builtins."))}
    return bool(names) and child not in names and not any("__dict__" in each for each in names)


def _is_foreign_attribute(owner: ast.expr, space: Space, child: str) -> bool:
    """Return whether another module is asked for the name, and no table says for which names."""
    if isinstance(owner, ast.Name) and len(space.assigned.get(owner.id, ())) > 1:
        return False
    owners = {each for each in space.dotted(owner) if not each.startswith(UNKNOWN)}
    return bool(owners) and child.rpartition(".")[0] not in owners


def _imported(node: ast.Call, space: Space) -> set[str]:
    package = space.texts(node.args[1]) if len(node.args) > 1 else {space.package}
    if package - {space.package, space.module}:
        return {UNKNOWN}
    return set(space.import_names(node))


def _looked_up(node: ast.Subscript, space: Space) -> list[ast.expr] | None:
    """Return what a literal table has under the key; None for any other."""
    tables = space.assigned.get(node.value.id, []) if isinstance(node.value, ast.Name) else []
    if len(tables) != 1 or not isinstance(tables[0], ast.Dict):
        return None
    wanted = space.texts(node.slice)
    pairs = zip(tables[0].keys, tables[0].values)  # noqa: B905 - Python 3.9
    return [value for key, value in pairs if key is not None and space.texts(key) & wanted]


# ---- a module object of another class


def stands_in(
    value: object,
    space: Space,
    watched: Watched,
    parent: str,
    *,
    keeps_names: bool = False,
) -> bool:
    """Return whether an object in place of a package looks for submodules where that does.

    ``value`` is the call of a class that sets ``__path__`` to the package's folder; with
    ``keeps_names`` it is a class that the package itself gets, names and all.
    """
    if isinstance(value, ast.Name) and not keeps_names:
        values = space.assigned.get(value.id, [])
        value = values[0] if len(values) == 1 else None
    node = value if keeps_names else value.func if isinstance(value, ast.Call) else None
    if not isinstance(node, ast.expr):
        return False
    found = _class(node, space, watched)
    if found is None:
        return False
    home, kind = found
    if not _is_plain(kind, home) or not _keeps_child(kind, home, watched, parent):
        return False
    if keeps_names:
        return not _assigned_paths(kind)
    paths = _assigned_paths(kind)
    if not paths:
        return _gets_names(space, parent)
    given = _parameters(kind, value, space) if isinstance(value, ast.Call) else {}
    inner = home.knowing(given)
    locations = watched.read(parent)
    wanted = [os.path.normpath(each) for each in (locations and locations.locations) or ()]
    return bool(paths) and all(
        [os.path.normpath(it) for it in inner.folders(each) or ()] == wanted for each in paths
    )


def _class(node: ast.expr, space: Space, watched: Watched) -> tuple[Space, ast.ClassDef] | None:
    """Find the class that a name stands for, through the imports of the modules on the way."""
    if isinstance(node, ast.Name) and node.id in space.classes:
        return space, space.classes[node.id]
    for name in space.dotted(node):
        module, _, last = name.rpartition(".")
        other = watched.read(module)
        if other is not None and other.module != space.module:
            return _class(ast.Name(last, ast.Load()), other, watched)
    return None


def _is_plain(kind: ast.ClassDef, home: Space) -> bool:
    """Return whether an instance has the attributes that it was given, as a module does."""
    bases = {name for each in kind.bases for name in home.dotted(each)}
    named = {each.name for each in kind.body if isinstance(each, ast.FunctionDef)}
    named |= _assigned_in(kind)
    is_module = bool(bases) and all(each.endswith(".ModuleType") for each in bases)
    return is_module and not kind.keywords and not kind.decorator_list and not named & _UNFIT


def _assigned_in(kind: ast.ClassDef) -> set[str]:
    return {
        target.id
        for each in kind.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }


def _keeps_child(kind: ast.ClassDef, home: Space, watched: Watched, parent: str) -> bool:
    child = f"{parent}.{watched.child(parent)}"
    return all(
        each.name != watched.child(parent)
        and (each.name != "__getattr__" or _gives_own(each, home, child))
        and (each.name != "__getattribute__" or _asks_base(each, home, watched.child(parent)))
        for each in kind.body
        if isinstance(each, ast.FunctionDef)
    )


def _asks_base(function: ast.FunctionDef, home: Space, child: str) -> bool:
    """Return whether ``__getattribute__`` leaves the names that imports use to the class below."""
    parameter = function.args.args[-1].arg
    for name in (child, "__path__", "__spec__", "__dict__"):
        known = home.knowing({parameter: {name}})
        for each in _returned(function.body, known, parameter):
            called = each.func if isinstance(each, ast.Call) else None
            if not (isinstance(called, ast.Attribute) and called.attr == "__getattribute__"):
                return False
            owner = called.value
            if not (isinstance(owner, ast.Call) and getattr(owner.func, "id", "") == "super"):
                return False
    return True


def _gets_names(space: Space, parent: str) -> bool:
    """Return whether a file gives all names of a package to the object that takes its place."""
    return any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr == "update"
        and isinstance(each.func.value, ast.Attribute)
        and each.func.value.attr == "__dict__"
        and len(each.args) == 1
        and f"{parent}.__dict__" in space.dotted(each.args[0])
        for each in walk(space.tree)
    )


def _assigned_paths(kind: ast.ClassDef) -> list[ast.expr]:
    """Return all that the methods of a class assign to ``self.__path__``."""
    return [
        each.value
        for each in walk(kind)
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Attribute) and target.attr == "__path__"
    ]


def _parameters(kind: ast.ClassDef, call: ast.Call, space: Space) -> dict[str, set[str]]:
    """Return the texts that a call gives to the parameters of ``__init__``."""
    for each in kind.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            names = [it.arg for it in each.args.args[1:]]
            pairs = zip(names, call.args)  # noqa: B905 - Python 3.9
            found = {name: space.texts(node) for name, node in pairs}
            named = {it.arg: space.texts(it.value) for it in call.keywords if it.arg}
            return {**found, **named}
    return {}
