"""When each function of a file runs during an export: what its `forward` methods call, by name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from rocmlint.models.tensors.conditions import both, either, returns_loss
from rocmlint.models.tensors.regions import placed_nodes

if TYPE_CHECKING:
    from rocmlint.models.tensors.definitions import Class, Definitions, Function
    from rocmlint.models.tensors.dependence import Reach

    Placed = list[tuple[ast.AST, Reach]]

_OF_LABELS = re.compile(r"\w*(?:Loss|Criterion|Matcher|Metrics?|Assigner|Regularizer)\w*")
"""Modules that compare with labels, which an export does not have."""
_COMPILERS = frozenset({"jit", "njit", "vectorize", "guvectorize"})
"""Decorators of numba and Triton, whose functions are no Python that an export follows."""
_BYPASSED = "use_experts_implementation"
"""Classes with this decorator of transformers run another implementation when exported."""


class Reaches:
    """When the functions of a file run, and their nodes."""

    def __init__(self, definitions: Definitions) -> None:
        """Follow the calls from each `forward`."""
        self.placed: dict[Function, Placed] = {
            each: list(placed_nodes(each.node.body)) for each in definitions.functions
        }
        self._definitions = definitions
        self._of: dict[Function, Reach] = {}
        named: dict[tuple[str, bool], list[Function]] = defaultdict(list)
        for each in definitions.functions:
            is_method = each.owner is not None and each.outer is None
            named[each.node.name, is_method].append(each)
        waiting = [each for each in definitions.functions if self._begins(each)]
        for each in waiting:
            self._of[each] = "labels" if self._is_loss(each) else _of_class(each.owner)
        while waiting:
            caller = waiting.pop()
            for called, reach in self._called(caller).items():
                for each in named.get(called, ()):
                    reached = both(self._of[caller], reach)
                    if self._improves(each, reached):
                        waiting.append(each)

    def of(self, function: Function | None) -> Reach:
        """Return when a function runs; what is in none does as soon as it is imported."""
        return "live" if function is None else self._of.get(function, "unreached")

    def _begins(self, function: Function) -> bool:
        owner = function.owner
        if function.node.name != "forward" or owner is None or function.outer is not None:
            return False
        return self._definitions.is_module(owner)

    def _is_loss(self, function: Function) -> bool:
        """Check whether all that a `forward` returns is the loss, maybe with its metrics."""
        returned = [node for node, _ in self.placed[function] if isinstance(node, ast.Return)]
        return bool(returned) and all(map(returns_loss, returned))

    def _called(self, function: Function) -> dict[tuple[str, bool], Reach]:
        """Return the names that a function uses, and whether they are those of methods."""
        found: dict[tuple[str, bool], Reach] = {}
        for node, reach in self.placed[function]:
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    used = (name, False)
                case ast.Attribute(attr=name, ctx=ast.Load()) if name != "forward":
                    used = (name, True)  # each `forward` is a beginning of its own
                case _:
                    continue
            found[used] = either(found.get(used, reach), reach)
        return found

    def _improves(self, function: Function, reach: Reach) -> bool:
        known = self._of.get(function)
        if function.marks & _COMPILERS:
            return False
        if function.owner is not None and _BYPASSED in function.owner.marks:
            reach = both(reach, "bypassed")
        best = reach if known is None else either(known, reach)
        self._of[function] = best
        return best != known


def _of_class(owner: Class | None) -> Reach:
    if owner is None:
        return "live"
    if _BYPASSED in owner.marks:
        return "bypassed"
    return "labels" if _OF_LABELS.fullmatch(owner.name) else "live"
