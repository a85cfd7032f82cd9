"""What an exported program shows of a patch: which of its nodes were traced below it."""

from __future__ import annotations

import inspect
import re
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from rocmlint.export.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FRAME = re.compile(r'File "(?P<file>[^"]*)", line (?P<line>\d+), in (?P<name>.+)')


class Program:
    """The nodes of an exported program, also those of the branches of a ``cond``."""

    def __init__(self, program: Any) -> None:
        """Take a ``torch.export.ExportedProgram``, or an ``ONNXProgram`` that has one.

        Raises ExportError.
        """
        exported = getattr(program, "exported_program", program)
        module = getattr(exported, "graph_module", exported)
        if not hasattr(module, "graph") or not hasattr(module, "modules"):
            kind = f"{type(program).__module__}.{type(program).__qualname__}"
            raise ExportError(f"not an exported program: {kind}: pass what torch.export returned")
        nodes = [node for graph in _graphs(module) for node in graph.nodes]
        self._traces = [str(node.meta.get("stack_trace") or "") for node in nodes]
        self.mode = next(filter(None, map(_mode_of, nodes)), None)
        """The fake tensor mode in which it was traced; each export has its own."""

    def below(self, mark: str) -> int:
        """Return how many nodes were traced below a patch."""
        return sum(f'File "<{mark}>"' in trace for trace in self._traces)

    def from_original(self, function: Any, mark: str) -> int:
        """Return how many nodes were traced below a function, and not by its replacement."""
        codes = list(_codes_of(function))
        return sum(
            f'File "<{mark}>"' not in trace and any(_is_below(trace, code) for code in codes)
            for trace in self._traces
        )


def _graphs(module: Any) -> Iterator[Any]:
    for each in module.modules():
        if hasattr(each, "graph"):
            yield each.graph


def _mode_of(node: Any) -> Any:
    pending = [node.meta.get("val")]
    while pending:
        value = pending.pop()
        if isinstance(value, (list, tuple)):
            pending += value
        elif getattr(value, "fake_mode", None) is not None:
            return value.fake_mode
    return None


def _codes_of(function: Any) -> Iterator[CodeType]:
    """Yield the code of a function, or of what a decorator made it of."""
    inner = inspect.unwrap(function) if callable(function) else function
    if isinstance(inner, FunctionType):
        yield inner.__code__


def _is_below(trace: str, code: CodeType) -> bool:
    last = max((line for *_, line in code.co_lines() if line), default=code.co_firstlineno)
    return any(
        frame["file"] == code.co_filename
        and frame["name"] == code.co_name
        and code.co_firstlineno <= int(frame["line"]) <= last
        for frame in _FRAME.finditer(trace)
    )
