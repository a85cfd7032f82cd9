"""Which parameter of `forward`, if a caller passes it, spares it some code."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.models.tensors.definitions import Definitions, Function
    from rocmlint.models.tensors.reach import Reaches


class Spared:
    """What runs only where a parameter of `forward` is None: ``if position_ids is None: …``."""

    def __init__(self, definitions: Definitions, reaches: Reaches) -> None:
        """Look at the conditions of each `forward`, and at where functions are mentioned."""
        self._by: dict[ast.AST, str] = {}
        self._mentions: dict[str, list[tuple[Function, ast.AST]]] = defaultdict(list)
        self._of_function: dict[Function, str] = {}
        names = {each.node.name for each in definitions.functions}
        for function, placed in reaches.placed.items():
            is_forward = function.node.name == "forward"
            for node, _ in placed if reaches.of(function) != "unreached" else ():
                if is_forward and isinstance(node, (ast.If, ast.IfExp)):
                    self._by.update(_below(node, set(_optional(function))))
                if isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) in names:
                    self._mentions[last_name(node)].append((function, node))

    def by(self, function: Function, node: ast.AST) -> str:
        """Return the parameter that spares the code at a node, "" if there is none."""
        return self._by.get(node) or self._by_all(function)

    def _by_all(self, function: Function) -> str:
        """Return the parameter that spares all the ways to a function."""
        if function.node.name == "forward":
            return ""
        if function not in self._of_function:
            self._of_function[function] = ""  # of a function that calls itself
            found = {self.by(*each) for each in self._mentions[function.node.name]}
            self._of_function[function] = found.pop() if len(found) == 1 else ""
        return self._of_function[function]


def _optional(function: Function) -> Iterator[str]:
    """Yield the parameters that are None unless they are passed."""
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*arguments.defaults, *arguments.kw_defaults]
    last = positional[len(positional) - len(arguments.defaults) :]
    for each, default in zip([*last, *arguments.kwonlyargs], defaults, strict=True):
        if isinstance(default, ast.Constant) and default.value is None:
            yield each.arg


def _below(node: ast.If | ast.IfExp, optional: set[str]) -> Iterator[tuple[ast.AST, str]]:
    """Yield what runs only where a parameter is None, with that parameter."""
    parts = [*node.test.values] if isinstance(node.test, ast.BoolOp) else [node.test]
    if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or):
        return
    for part in parts:
        match part:
            case ast.Compare(
                left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]
            ) if name in optional and isinstance(op, (ast.Is, ast.IsNot)):
                is_then = isinstance(op, ast.Is)
                if not is_then and len(parts) > 1:
                    continue
                side = node.body if is_then else node.orelse
                for each in side if isinstance(side, list) else [side]:
                    yield from ((inner, name) for inner in ast.walk(each))
