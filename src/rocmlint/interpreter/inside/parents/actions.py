"""What the code of one file does to the ways in which a module is found, loaded and filled.

Here actions are found: assignments, deletions, imports, calls. What they mean is a question for
:mod:`.effects`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .effects import LISTS, TABLES, Effects
from .escaping_tables import AT_END, CHANGING, HandedOn
from .nodes import children, paired, walk
from .reach import is_never
from .values import UNKNOWN, WILD, Space

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from .effects import Action
    from .values import Function, Watched

_READING = {"get", "keys", "values", "items", "copy", "index", "count"}
_READING |= {"__contains__", "__getitem__", "__iter__", "__len__", "__str__", "__repr__"}


def actions(space: Space, watched: Watched, reached: Container[str]) -> list[Action]:
    """Return what the file of a space does at its top and in the functions that are reached."""
    return _Reader(space, watched, reached).found()


class _Reader:
    def __init__(self, space: Space, watched: Watched, reached: Container[str]) -> None:
        self.space, self.watched, self.reached = space, watched, reached
        self.functions: list[Function] = []
        self.classes: list[str] = []
        self.is_global: list[set[str]] = []
        self.effects = Effects(space, watched)
        self.handed = HandedOn(self.effects)

    def found(self) -> list[Action]:
        self._all(self.space.tree.body)
        return self.effects.seen

    # ---- walking

    def _all(self, nodes: list[ast.stmt]) -> None:
        for each in nodes:
            self._visit(each)

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.If) and is_never(node.test):
            self._all(node.orelse)
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._visit_function(node)
            return
        if isinstance(node, ast.ClassDef):
            self._visit_class(node)
            return
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, ast.AugAssign):
            self._write(node.target, None, adds=isinstance(node.op, ast.Add))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._assign(node.target, None)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._assign(node.optional_vars, None)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._delete(target)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, ast.Call):
            self._call(node)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            self.handed.check(node)
        for each in children(node):
            self._visit(each)

    def _visit_function(self, node: Function) -> None:
        for each in (*node.decorator_list, node.args):
            self._visit(each)
        if self._is_top:
            self._bound(node, node.name, node)
        is_special = node.name.startswith("__") and node.name.endswith("__")
        name = self.classes[-1] if is_special and self.classes else node.name
        if name not in self.reached:
            return
        self.functions.append(node)
        classes, self.classes = self.classes, []
        named = {it for each in walk(node) if isinstance(each, ast.Global) for it in each.names}
        self.is_global.append(named)
        self._all(node.body)
        self.is_global.pop()
        self.functions.pop()
        self.classes = classes

    def _visit_class(self, node: ast.ClassDef) -> None:
        for each in (*node.decorator_list, *node.bases, *node.keywords):
            self._visit(each)
        if self._is_top:
            self._bound(node, node.name, node)
        self.classes.append(node.name)
        self._all(node.body)
        self.classes.pop()

    @property
    def _is_top(self) -> bool:
        return not self.functions and not self.classes

    # ---- what is written

    def _assign(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Tuple):
            value = next(self.space.returned(value), value)
        for each, given in paired(target, value):
            self._write(each, given)

    def _write(self, target: ast.expr, value: ast.expr | None, *, adds: bool = False) -> None:
        if isinstance(target, ast.Name):
            named = self.is_global[-1] if self.is_global else set()
            if self._is_top or target.id in named:
                self._bound(target, target.id, value, adds=adds)
        elif isinstance(target, ast.Attribute) and not self._is_self(target.value):
            for owner in self.space.dotted(target.value) or {UNKNOWN}:
                self.effects.attribute(target, owner, target.attr, value, adds=adds)
        elif isinstance(target, ast.Subscript):
            self.effects.item(target, target.value, target.slice, value, adds=adds)

    def _is_self(self, node: ast.expr) -> bool:
        """Return whether it is the object of a method, which is judged where it is made."""
        around = self.functions[-1].args.args if self.functions else []
        return isinstance(node, ast.Name) and bool(around) and around[0].arg == node.id == "self"

    def _bound(
        self, node: ast.AST, name: str, value: ast.AST | None, *, adds: bool = False
    ) -> None:
        """Tell of a name that a module gets."""
        if self.space.module in self.watched.parents:
            self.effects.attribute(node, self.space.module, name, value, adds=adds)

    def _delete(self, target: ast.expr) -> None:
        for each, _ in paired(target, None):
            if isinstance(each, ast.Name) and self._is_top and each.id == "__path__":
                self._bound(each, each.id, None)
            elif isinstance(each, ast.Attribute):
                for owner in self.space.dotted(each.value):
                    self.effects.attribute(each, owner, each.attr, None)
            elif isinstance(each, ast.Subscript):
                owners = self.space.dotted(each.value)
                if any(self.effects.is_path(it) or it in LISTS for it in owners):
                    self.effects.say(each, f"deletes from {min(owners)}")
                elif any(it.endswith(".__dict__") for it in owners):
                    self.effects.item(each, each.value, each.slice, None)

    # ---- calls

    def _call(self, node: ast.Call) -> None:
        arguments = node.args
        for each in arguments if not self.handed.is_reader(node) else ():
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                is_of_module = each.value.startswith(f"{self.watched.module}.")
                if is_of_module or (each.value == "__path__" and not self._is_known(node)):
                    self.effects.say(node, f"hands the name {each.value} to other code")
        for name in self.space.dotted(node.func):
            owner, _, method = name.rpartition(".")
            if name in {"builtins.setattr", "builtins.delattr"} and len(arguments) > 1:
                value = arguments[2] if len(arguments) > 2 else None
                for target in self.space.dotted(arguments[0]) or {UNKNOWN}:
                    for key in sorted(self.space.texts(arguments[1])):
                        self.effects.attribute(node, target, key, value)
            elif name in {"builtins.exec", "builtins.eval"} and arguments:
                self._run_text(node)
            elif method == "__setattr__" and len(arguments) > 1:
                target = name[: -len(".__setattr__")]
                if target in {"builtins.object", "types.ModuleType"}:
                    target, arguments = (
                        (*self.space.dotted(arguments[0]), UNKNOWN)[0],
                        arguments[1:],
                    )
                for key in sorted(self.space.texts(arguments[0])):
                    self.effects.attribute(node, target, key, arguments[-1])
            elif isinstance(node.func, (ast.Attribute, ast.Name)):
                self._method(node, owner, method)

    def _is_known(self, node: ast.Call) -> bool:
        """Return whether what a call does with a name is judged below."""
        known = {"builtins.setattr", "builtins.delattr"}
        return any(
            name in known or name.rpartition(".")[0].endswith(".__dict__")
            for name in self.space.dotted(node.func)
        )

    def _method(self, node: ast.Call, owner: str, method: str) -> None:
        first = node.args[0] if node.args else None
        if self.effects.is_path(owner) and method not in _READING:
            folders = _inserted(node, method)
            self.effects.path(node, owner, folders, adds=method in AT_END)
        elif owner in LISTS and method not in _READING | AT_END:
            self.effects.say(node, f"changes {owner}")
        elif owner in TABLES or owner.endswith(".__dict__"):
            self._table_method(node, owner, method, first)
        elif owner.startswith(f"{self.watched.module}.") and method in CHANGING:
            self.effects.say(node, f"changes {owner}")

    def _table_method(
        self, node: ast.Call, owner: str, method: str, first: ast.expr | None
    ) -> None:
        if method in {"setdefault", "__setitem__"} and len(node.args) > 1:
            target = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            self.effects.item(node, target, node.args[0], node.args[1])
        elif method in {"update", "__ior__"}:
            target = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            for key, value in _items(node):
                self.effects.item(node, target, key, value)
            if owner == "sys.modules" and first is not None and not isinstance(first, ast.Dict):
                self.effects.say(node, "updates sys.modules with names that are computed")
        elif method == "clear" and owner in TABLES:
            self.effects.say(node, f"clears {owner}")

    def _run_text(self, node: ast.Call) -> None:
        """Read the text that ``exec`` runs, or say that there is none to read."""
        spaces = self.space.dotted(node.args[1]) if len(node.args) > 1 else set()
        if any(each.startswith(f"{self.watched.module}.") for each in spaces):
            self.effects.say(node, f"runs text in {self.watched.module}")
        if len(node.args) > 1 and f"{self.space.module}.__dict__" not in spaces:
            return
        for text in self.space.texts(node.args[0]):
            try:
                tree = ast.parse(text) if WILD not in text else None
            except (SyntaxError, ValueError):
                continue
            if tree is None:
                if self._is_eval_of_a_name(node):
                    continue
                self.effects.say(node, "runs text that is not in the file")
                continue
            inner = Space(self.space.module, self.space.origin, tree, self.space.locations).bind()
            inner.imported = {**self.space.imported, **inner.imported}
            for each in actions(inner, self.watched, self.reached):
                self.effects.say(node, each.what)

    def _is_eval_of_a_name(self, node: ast.Call) -> bool:
        return self.space.dotted(node.func) == {"builtins.eval"}

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if not self._is_top:
            return
        for alias in node.names:
            if alias.name == "*" and isinstance(node, ast.ImportFrom):
                self._import_all(node)
                continue
            bound = alias.asname or alias.name.partition(".")[0]
            self._bound(node, bound, None)

    def _import_all(self, node: ast.ImportFrom) -> None:
        """Tell of names with underscores: ``__all__`` of the other module may have them."""
        if self.space.module not in self.watched.parents:
            return
        other = self.watched.read(self.space.imported_from(node))
        for value in other.assigned.get("__all__", []) if other else ():
            texts = [it.value for it in walk(value) if isinstance(it, ast.Constant)]
            if "__path__" in texts:
                self.effects.say(node, f"changes __path__ of {self.space.module}")


def _items(node: ast.Call) -> Iterator[tuple[ast.expr, ast.expr]]:
    for each in node.args:
        if isinstance(each, ast.Dict):
            pairs = zip(each.keys, each.values)  # noqa: B905 - Python 3.9
            yield from ((key, value) for key, value in pairs if key is not None)
    yield from ((ast.Constant(it.arg), it.value) for it in node.keywords if it.arg)


def _inserted(node: ast.Call, method: str) -> ast.expr | None:
    """Return the path that ``insert`` makes, as an expression."""
    if method != "insert" or len(node.args) != 2 or not isinstance(node.func, ast.Attribute):
        return None
    rest = ast.Starred(node.func.value, ast.Load())
    return ast.List([node.args[1], rest], ast.Load())
