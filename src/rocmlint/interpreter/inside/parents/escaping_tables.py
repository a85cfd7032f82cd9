"""What other code gets of the lists and tables that imports go through, and may then change."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .effects import LISTS
from .nodes import children, walk
from .values import UNKNOWN, WILD

if TYPE_CHECKING:
    from .effects import Effects

AT_END = {"append", "extend"}
CHANGING = {"insert", "remove", "clear", "sort", "reverse", "update", "setdefault", "register"}
CHANGING |= AT_END | {"pop", "__setitem__", "__delitem__", "__iadd__", "__ior__", "__setattr__"}
_READERS = ("pkgutil.", "os.", "pathlib.", "glob.", "copy.", "typing.", "importlib.resources.")
_WRITERS = {"builtins.setattr", "builtins.delattr", "builtins.exec", "builtins.eval"}


class HandedOn:
    """Tells reading from handing on, by what stands around an expression."""

    def __init__(self, effects: Effects) -> None:
        """Note what is around each node of the file."""
        self.effects, self.space = effects, effects.space
        self.parents: dict[ast.AST, ast.AST] = {
            child: node for node in walk(self.space.tree) for child in children(node)
        }

    def check(self, node: ast.expr) -> None:
        """Tell of a list or table that other code gets, which may then change it."""
        if not isinstance(getattr(node, "ctx", None), (ast.Load, type(None))):
            return
        for name in self.space.dotted(node):
            owner, _, method = name.rpartition(".")
            is_table = name in LISTS | {"sys.modules"} or self.effects.is_path(name)
            is_method = owner in LISTS | {"sys.modules"} or self.effects.is_path(owner)
            is_changed_elsewhere = is_table and not self._is_read(node)
            if is_method and method in CHANGING:
                is_changed_elsewhere = not self._is_called(node)
            if name == self.effects.watched.module:
                is_changed_elsewhere = self._is_argument(node)
            if is_changed_elsewhere:
                self.effects.say(node, f"hands {name.lstrip('?.')} to other code")

    def _is_called(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        return (isinstance(parent, ast.Call) and parent.func is node) or isinstance(
            parent, (ast.Assign, ast.Attribute)
        )

    def _is_argument(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        call = self.parents.get(parent) if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call) or call.func is node:
            return False
        return not self.is_reader(call)

    def is_reader(self, call: ast.Call) -> bool:
        """Return whether a call only reads what it gets, or what it does is seen elsewhere."""
        names = self.space.dotted(call.func)
        if isinstance(call.func, ast.Name) and call.func.id in self.space.functions:
            return True  # what that does with it is seen there
        if isinstance(call.func, ast.Attribute) and self.space.texts(call.func.value) != {WILD}:
            return True  # a method of a text
        return bool(names) and all(
            (each.count(".") == 1 and each.startswith("builtins.") and each not in _WRITERS)
            or each.startswith(_READERS)
            or each in {"importlib.reload", "importlib.import_module"}
            for each in names
        )

    def _is_read(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, (ast.BoolOp, ast.IfExp, ast.NamedExpr)):
            return self._is_read(parent)
        if isinstance(parent, (ast.Call, ast.keyword)):
            return not self._is_argument(node)
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return all(isinstance(each, (ast.Name, ast.Attribute)) for each in targets) and all(
                isinstance(each, ast.Name) or self.effects.is_path(f"{UNKNOWN}.{each.attr}")
                for each in targets
                if isinstance(each, (ast.Name, ast.Attribute))
            )
        if isinstance(parent, (ast.Tuple, ast.List)):
            return isinstance(self.parents.get(parent), (ast.Assign, ast.For, ast.Compare))
        if type(parent).__name__ == "Match":  # Python 3.10 and later
            return False
        return not isinstance(parent, (ast.Dict, ast.Set, ast.Yield, ast.Lambda))
