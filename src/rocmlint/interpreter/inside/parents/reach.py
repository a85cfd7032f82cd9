"""What of a file runs when it is imported: the imports at its top, and the names that are used."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .nodes import children

if TYPE_CHECKING:
    from .values import Space


_SHORT = 200
"""How many characters a text may have that is a name, or the path of one."""


@dataclass(eq=False)
class Function:
    """What one function uses; a special method has the name of its class."""

    name: str
    names: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)


@dataclass
class Reach:
    """The names that a file's own code uses, and those that each of its functions uses."""

    imports: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    functions: list[Function] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    """All names of the file."""
    texts: set[str] = field(default_factory=set)
    """The short texts of the file, and their parts between dots."""


def reach_of(space: Space) -> Reach:
    """Return what runs when the module of a space is imported."""
    reach = Reach(names={"__getattr__"})
    collector = _Collector(space, reach)
    collector.block(space.tree.body, Function("", reach.names, reach.imports), "")
    for each in used(reach.functions, set(reach.names)):
        reach.imports |= each.imports
    return reach


def used(functions: list[Function], names: set[str]) -> list[Function]:
    """Return the functions that are named by what runs, and add to ``names`` what those name."""
    found: list[Function] = []
    waiting, now = functions, [each for each in functions if each.name in names]
    while now:
        found += now
        names.update(*(each.names for each in now))
        waiting = [each for each in waiting if each not in now]
        now = [each for each in waiting if each.name in names]
    return found


class _Collector:
    def __init__(self, space: Space, reach: Reach) -> None:
        self.space, self.reach = space, reach

    def block(self, nodes: list[ast.stmt], within: Function, owner: str) -> None:
        for each in nodes:
            self.visit(each, within, owner)

    def visit(self, node: ast.AST, within: Function, owner: str) -> None:
        """Collect from one node, for the function around it or for the file."""
        if isinstance(node, ast.If) and is_never(node.test):
            self.block(node.orelse, within, owner)
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for each in (*node.decorator_list, node.args):
                self.visit(each, within, owner)
            is_special = node.name.startswith("__") and node.name.endswith("__")
            inner = Function(owner if is_special and owner else node.name)
            self.reach.functions.append(inner)
            self.block(node.body, inner, "")
            return
        if isinstance(node, ast.ClassDef):
            for each in (*node.decorator_list, *node.bases, *node.keywords):
                self.visit(each, within, owner)
            self.block(node.body, within, node.name)
            return
        if isinstance(node, ast.Name):
            self.reach.words.add(node.id)
            if isinstance(node.ctx, ast.Load):
                within.names.add(node.id)
        elif isinstance(node, ast.Attribute):
            self.reach.words.add(node.attr)
            within.names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if len(node.value) < _SHORT:
                self.reach.texts.update((node.value, *node.value.split(".")))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
            within.names.update(
                each.value
                for each in node.args[1:2]
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node, within)
        for each in children(node):
            self.visit(each, within, owner)

    def _import(self, node: ast.Import | ast.ImportFrom, within: Function) -> None:
        base = f"{self.space.imported_from(node)}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            self.reach.words.update({alias.name.rpartition(".")[2], *base.split(".")[-2:]})
            within.imports.add(f"{base}{alias.name}".removesuffix(".*"))


def is_never(test: ast.expr) -> bool:
    """Return whether a condition holds for type checkers or for a program only."""
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name):
        last = test.comparators[0]
        is_main = isinstance(last, ast.Constant) and last.value == "__main__"
        return test.left.id == "__name__" and is_main and isinstance(test.ops[0], ast.Eq)
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"
