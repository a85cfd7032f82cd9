"""Which optional parameters no call in a file passes, so that they are None."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocmlint.python.names import last_name

if TYPE_CHECKING:
    from rocmlint.models.tensors.definitions import Definitions, Function

_BEGIN = frozenset({"forward", "__init__", "__call__"})
"""Methods that are called in other ways than by their names."""


@dataclass
class _Calls:
    """What the calls of a name pass."""

    number: int = 0
    mentions: int = 0
    is_told: bool = True
    """Whether none of them passes `*args` or `**kwargs`."""
    positional: int = 0
    """The most positional arguments."""
    named: set[str | None] = field(default_factory=set)


class Passed:
    """What the calls in a file pass to its functions, by their names."""

    def __init__(self, tree: ast.Module, definitions: Definitions) -> None:
        """Look at all calls of the file."""
        names = {each.node.name for each in definitions.functions} - _BEGIN
        self._calls: dict[str, _Calls] = defaultdict(_Calls)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) in names:
                self._calls[last_name(node)].mentions += 1
            elif isinstance(node, ast.Call) and last_name(node.func) in names:
                self._note(node, self._calls[last_name(node.func)])
            elif isinstance(node, ast.Constant) and node.value in names:
                self._calls[node.value].mentions += 1  # for `getattr`, or exported by `__all__`

    def is_never(self, function: Function, parameter: str) -> bool:
        """Check whether a file calls a function, and none of its calls passes a parameter.

        A function that is mentioned in another way than by a call may be given anything.
        """
        calls = self._calls.get(function.node.name)
        if calls is None or not calls.number or calls.mentions != calls.number:
            return False
        names = [each.arg for each in function.parameters()]
        return calls.is_told and parameter not in {*names[: calls.positional], *calls.named}

    def _note(self, node: ast.Call, calls: _Calls) -> None:
        named = [each.arg for each in node.keywords]
        calls.number += 1
        calls.is_told &= None not in named
        calls.is_told &= not any(isinstance(each, ast.Starred) for each in node.args)
        calls.positional = max(calls.positional, len(node.args))
        calls.named.update(named)
