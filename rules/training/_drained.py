"""Waits for a device that has nothing left to do, as the host waits for it anyway."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import calls_in, children, compile_lazily, last_name, statements

from ._loop import asks_machine, trains_by
from ._modules import defined_elsewhere
from ._waiting import HOST_READS, device_function, reads_clock, unconditional_calls

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.rule import Source

    from ._loop import InStep

_VALUES = compile_lazily(r"(?:\w+_)?(?:loss|norm)")
"""What is left on the device: a float is called ``loss_value``."""
_SHOWS = frozenset({"float", "print"})
_SCALES = frozenset({"get_scale", "state_dict"})
_FORWARDS = compile_lazily(
    r"(?i)(?!(?:un\w+|get|load|save|import|create|build|make|set|init|prepare|update)_)"
    r"(?:\w*_)?(?:model|net|network|module|engine|backbone|encoder|decoder|criterion"
    r"|generator|discriminator|forward|compute_loss|loss_(?:fn|func))(?:_?\d)?$"
)
"""What a forward pass is called."""


def is_waited_for_anyway(found: InStep, source: Source) -> bool:
    """Waits beside `.item()` or its like, which waits as long, unless work is queued between.

    That stands after it, or before it, be it at the end of the iteration before. Where the step
    reads a clock, the wait was meant for that, and there it does nothing.
    """
    if reads_clock(found.step, source):
        return False
    before, after = _around(found, source)
    return _reads_first(after, source) or _ends_in_wait(before, source) is True


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


def _reads_first(after: list[cst.CSTNode], source: Source) -> bool:
    """Check whether the host waits in every step before more work is queued."""
    for statement in after:
        runs = statement
        if isinstance(statement, cst.If):
            runs = statement.body if asks_machine(statement.test) else statement.test
        calls = list(unconditional_calls(runs))
        if any(map(_queues, calls)):
            return False
        if any(_reads(each, source) for each in calls):
            return True
    return False


def _ends_in_wait(nodes: Iterable[cst.CSTNode], source: Source) -> bool | None:
    """Return whether the host waits after the last work in what runs; None if it does neither."""
    ends = (_end(node, source) for node in reversed(tuple(nodes)))
    return next((end for end in ends if end is not None), None)


def _end(node: cst.CSTNode, source: Source) -> bool | None:
    if isinstance(node, (cst.ExceptHandler, cst.ExceptStarHandler, cst.FunctionDef, cst.ClassDef)):
        return None
    if isinstance(node, cst.If):
        end = _end_of_branches(node, source)
        return end if end is not None else _end(node.test, source)
    if isinstance(node, (cst.BaseCompoundStatement, cst.BaseSuite, cst.Else, cst.Finally)):
        return _ends_in_wait(children(node), source)
    for call in unconditional_calls(node):
        if _queues(call):
            return False
        if _reads(call, source) or device_function(call, source, "synchronize") is not None:
            return True
    return None


def _end_of_branches(node: cst.If, source: Source) -> bool | None:
    """Return how an `if` ends: in a wait if it always trains, and so in one of its branches."""
    if asks_machine(node.test):
        return _end(node.body, source)
    branches = [node.body] if node.orelse is None else [node.body, node.orelse]
    ends = [_end(branch, source) for branch in branches]
    if len(branches) > 1 and all(any(map(_queues, calls_in(each))) for each in branches):
        return True in ends
    return False if False in ends else None


def _queues(call: cst.Call) -> bool:
    """Check whether a call is a forward or backward pass or an update."""
    return trains_by(call) or _FORWARDS.match(last_name(call.func) or "") is not None


def _reads(call: cst.Call, source: Source) -> bool:
    """Check whether a call gives the host a value of the device: ``.item()``, ``float(loss)``."""
    name = last_name(call.func)
    if isinstance(call.func, cst.Attribute):
        owner = last_name(call.func.value) or ""
        asks = name in HOST_READS or (name in _SCALES and owner.endswith("scaler"))
        return asks or _is_meter(call.func, call, source)
    return name in _SHOWS and any(_shows_loss(each.value) for each in call.args)


def _is_meter(method: cst.Attribute, call: cst.Call, source: Source) -> bool:
    """Check whether a class of the project reads, in this method, a value that it is given."""
    made = source.value_of(method.value)
    given = any(_VALUES.fullmatch(last_name(each.value) or "") for each in call.args)
    defined = _class(made.func, source) if given and isinstance(made, cst.Call) else None
    own = [] if defined is None else statements(defined.body)
    methods = (each for each in own if isinstance(each, cst.FunctionDef))
    reads = (calls_in(each) for each in methods if each.name.value == method.attr.value)
    return any(last_name(each.func) in HOST_READS for each in chain.from_iterable(reads))


def _class(name: cst.BaseExpression, source: Source) -> cst.ClassDef | None:
    """Return the class of a name, from the file itself or another one of the project."""
    defined = source.definition(name.value) if isinstance(name, cst.Name) else None
    if defined is None:
        found = defined_elsewhere(source.resolve(name) or "", source)
        defined = None if found is None else found.source.definition(found.name)
    return defined if isinstance(defined, cst.ClassDef) else None


def _shows_loss(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.FormattedString):
        parts = (each for each in value.parts if isinstance(each, cst.FormattedStringExpression))
        return any(_shows_loss(each.expression) for each in parts)
    return (last_name(value) or "").endswith("loss")
