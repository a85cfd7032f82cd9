"""Waits for a device that has nothing left to do, as the host waits for it anyway."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import calls_in, children, compile_lazily, last_name

from ._loop import asks_machine, trains_by
from ._waiting import is_measured_by_clock, unconditional_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.rule import Source

    from ._loop import InStep

_READS = frozenset({"item", "tolist", "cpu", "numpy", "get_scale", "synchronize"})
"""Methods that wait for the device."""
_SHOWS = frozenset({"float", "print"})
_FORWARDS = compile_lazily(
    r"(?i)(?!(?:un\w+|get|load|save|import|create|build|make|set|init|prepare|update)_)"
    r"(?:\w*_)?(?:model|net|network|module|engine|backbone|encoder|decoder|criterion"
    r"|generator|discriminator|forward|compute_loss|loss_(?:fn|func))(?:_?\d)?$"
)
"""What a forward pass is called."""


def is_waited_for_anyway(found: InStep, source: Source) -> bool:
    """Waits beside `.item()` or its like, which waits as long, unless work is queued between.

    That is after it, or before it, be it at the end of the iteration before. Where the step reads a
    clock, the wait was meant for that, and behind another it does nothing.
    """
    before, after = _around(found, source)
    if _first_waits(_in_order(after)):
        return True
    last = _first_waits(reversed(list(_in_order(before))))
    return last is True and not is_measured_by_clock(found, source)


def _around(found: InStep, source: Source) -> tuple[list[cst.CSTNode], list[cst.CSTNode]]:
    """Return what runs before a call, and what runs after it in its iteration.

    Before an iteration of a loop comes another: what runs first is what runs after the call.
    """
    before: list[cst.CSTNode] = []
    after: list[cst.CSTNode] = []
    below: cst.CSTNode = found.call
    for above in source.ancestors(found.call):
        if isinstance(above, (cst.For, cst.While)):
            return after + before, after
        if isinstance(above, cst.FunctionDef):
            break
        if isinstance(above, (cst.IndentedBlock, cst.SimpleStatementLine)):
            index = next(index for index, each in enumerate(above.body) if each is below)
            before = [*above.body[:index], *before]
            after += above.body[index + 1 :]
        below = above
    return before, after


def _first_waits(nodes: Iterable[cst.CSTNode]) -> bool | None:
    """Return whether the first of these that does either waits or queues work; else None."""
    found = (_waits(node) for node in nodes)
    return next((waits for waits in found if waits is not None), None)


def _waits(node: cst.CSTNode) -> bool | None:
    """Return True where the host waits for a value last, False where work is queued, else None.

    What stands under a condition may wait, but not on every step.
    """
    if isinstance(node, cst.If):
        return False if any(map(_queues, calls_in(node))) else None
    for call in unconditional_calls(node):
        if _queues(call):
            return False
        if _reads(call):
            return True
    return None


def _in_order(nodes: Iterable[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Yield what runs one after the other: statements, and the tests of conditions."""
    for node in nodes:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.ExceptHandler)):
            continue
        if isinstance(node, cst.If):
            yield node.test
            if asks_machine(node.test):
                yield from _in_order(children(node.body))
            else:
                yield node
        elif isinstance(node, (cst.BaseCompoundStatement, cst.BaseSuite, cst.Else, cst.Finally)):
            yield from _in_order(children(node))
        else:
            yield node


def _queues(call: cst.Call) -> bool:
    """Check whether a call is a forward or backward pass or an update."""
    return trains_by(call) or _FORWARDS.match(last_name(call.func) or "") is not None


def _reads(call: cst.Call) -> bool:
    """Check whether a call gives the host a value of the device: ``.item()``, ``float(loss)``."""
    name = last_name(call.func)
    if isinstance(call.func, cst.Attribute):
        return name in _READS
    return name in _SHOWS and any(_shows_loss(each.value) for each in call.args)


def _shows_loss(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.FormattedString):
        parts = (each for each in value.parts if isinstance(each, cst.FormattedStringExpression))
        return any(_shows_loss(each.expression) for each in parts)
    return (last_name(value) or "").endswith("loss")
