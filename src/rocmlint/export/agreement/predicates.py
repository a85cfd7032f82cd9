"""Running a program node by node: what its predicates were, and what each node computed."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from rocmlint.export.agreement.child_torch import Tensor, torch
from rocmlint.export.frames import is_of_user

if TYPE_CHECKING:
    from collections.abc import Callable

_FX: Any = importlib.import_module("torch.fx")
_FRAME = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)')


def is_cond(node: Any) -> bool:
    """Return whether a node is torch.cond."""
    return node.op == "call_function" and str(node.target) == "cond"


def conds(module: Any) -> list[str]:
    """Return the place of the predicate of each torch.cond in a graph, also within branches."""
    return [
        place_of(node) for graph in _graphs(module) for node in graph.graph.nodes if is_cond(node)
    ]


def _graphs(module: Any) -> list[Any]:
    return [each for each in module.modules() if isinstance(each, _FX.GraphModule)]


def place_of(node: Any) -> str:
    """Return the line of the model that computes a predicate; else the name of the node."""
    for each in (node.args[0] if node.args else None, node):
        trace = each.meta.get("stack_trace") if isinstance(each, _FX.Node) else None
        found = [
            f"{it['file']}:{it['line']}"
            for it in _FRAME.finditer(trace or "")
            if is_of_user(it["file"])
        ]
        if found:
            return found[-1]
    return str(node.name)


class Watching(_FX.Interpreter):  # type: ignore[misc]  # torch is Any to mypy
    """Runs a graph; ``predicate(place, value)`` and ``value(node, result)`` are told of it."""

    def __init__(
        self,
        module: Any,
        predicate: Callable[[str, bool], None],
        value: Callable[[Any, Any], None] | None = None,
    ) -> None:
        """Run this graph, and the branches that it takes, in the same way."""
        super().__init__(module)
        self._predicate = predicate
        self._value = value

    def run_node(self, n: Any) -> Any:
        """Run a node; of torch.cond, the branch that its predicate chooses."""
        result = self._branch(n) if is_cond(n) else super().run_node(n)
        if self._value is not None:
            self._value(n, result)
        return result

    def _branch(self, node: Any) -> Any:
        args, _ = self.fetch_args_kwargs_from_env(node)
        chosen = bool(args[0])
        self._predicate(place_of(node), chosen)
        branch = args[1] if chosen else args[2]
        operands = args[3] if len(args) > 3 else ()
        return Watching(branch, self._predicate, self._value).run(*operands)


def seen_in(module: Any, flat: list[Any], seen: dict[str, set[bool]]) -> None:
    """Run a program and add what its predicates were.

    What it raises is told elsewhere: here it only means that nothing more was seen.
    """

    def note(place: str, value: bool) -> None:
        seen.setdefault(place, set()).add(value)

    try:
        with torch.no_grad():
            Watching(module, note).run(*flat, enable_io_processing=False)
    except Exception:  # noqa: BLE001
        return


def values_in(module: Any, flat: list[Any]) -> list[Tensor]:
    """Return copies of all tensors that a program computes."""
    found: list[Tensor] = []

    def keep(_: Any, value: Any) -> None:
        held = value if isinstance(value, (tuple, list)) else (value,)
        found.extend(each.detach().clone() for each in held if isinstance(each, torch.Tensor))

    with torch.no_grad():
        Watching(module, lambda *_: None, keep).run(*flat, enable_io_processing=False)
    return found
