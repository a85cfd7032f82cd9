"""Waits for a device that has nothing left to do, as the host waits for it anyway."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    calls_in,
    children,
    compile_lazily,
    constant,
    defined_elsewhere,
    last_name,
    statements,
    walk,
)

from ._loop import asks_machine, trains_by
from ._waiting import HOST_READS, device_function, reads_clock, unconditional_calls

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.rule import Source

    from ._loop import InStep

_VALUES = compile_lazily(r"(?:\w+_)?(?:loss|norm)")
"""What is left on the device: a float is called ``loss_value``."""
_SHOWS = frozenset({"float", "print"})
_ARRAYS = compile_lazily(r"(?:\w+_)?numpy")
"""Arguments that ask for the result on the host."""
_SCALES = frozenset({"get_scale", "state_dict"})
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
    if _reads_first(after, source) is True:
        return True
    return not reads_clock(found.step, source) and _ends_in_wait(before, source) is True


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


def _reads_first(nodes: Iterable[cst.CSTNode], source: Source) -> bool | None:
    """Return whether the host waits before more work is queued; None if what runs does neither."""
    starts = (_start(node, source) for node in nodes)
    return next((start for start in starts if start is not None), None)


def _start(node: cst.CSTNode, source: Source) -> bool | None:
    if isinstance(node, cst.If):
        if asks_machine(node.test):
            return _start(node.body, source)
        start = _start(node.test, source)
        return start if start is not None else _start_of_branches(node, source)
    if isinstance(node, (cst.BaseSuite, cst.Else)):
        return _reads_first(children(node), source)
    calls = list(unconditional_calls(node))
    if any(map(_queues, calls)):
        return False
    return True if any(_reads(each, source) for each in calls) else None


def _start_of_branches(node: cst.If, source: Source) -> bool | None:
    """Return True where the host waits first in each branch of an `if` with an `else`."""
    waits = [_start(branch, source) is True for branch in _branches(node)]
    return True if len(waits) > 1 and all(waits) else None


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
    branches = _branches(node)
    ends = [_end(branch, source) for branch in branches]
    if len(branches) > 1 and all(any(map(_queues, calls_in(each))) for each in branches):
        return True in ends
    return False if False in ends else None


def _branches(node: cst.If) -> list[cst.CSTNode]:
    return [node.body] if node.orelse is None else [node.body, node.orelse]


def _queues(call: cst.Call) -> bool:
    """Check whether a call is a forward or backward pass or an update."""
    return trains_by(call) or _FORWARDS.match(last_name(call.func) or "") is not None


def _reads(call: cst.Call, source: Source) -> bool:
    """Check whether a call gives the host a value of the device: ``.item()``, ``float(loss)``."""
    name = last_name(call.func)
    if any(_asks_for_array(each) for each in call.args) or _is_reader(call, source):
        return True
    if isinstance(call.func, cst.Attribute):
        owner = last_name(call.func.value) or ""
        asks = name in HOST_READS or (name in _SCALES and owner.endswith("scaler"))
        return asks or _is_meter(call.func, call, source)
    return name in _SHOWS and any(_shows_loss(each.value) for each in call.args)


def _asks_for_array(argument: cst.Arg) -> bool:
    """Check for ``out_numpy=True`` and its like."""
    keyword = "" if argument.keyword is None else argument.keyword.value
    return _ARRAYS.fullmatch(keyword) is not None and constant(argument.value) == "True"


def _is_reader(call: cst.Call, source: Source) -> bool:
    """Check whether a function of the project reads a value each time, and queues no work."""
    if not call.args:
        return False
    function = _definition(call.func, source)
    if not isinstance(function, cst.FunctionDef) or any(map(_queues, calls_in(function))):
        return False
    choices = (each for each in walk(function.body) if isinstance(each, cst.IfExp))
    chosen = {call for each in choices for call in calls_in(each)}
    calls = (each for each in unconditional_calls(function.body) if each not in chosen)
    return any(last_name(each.func) in HOST_READS for each in calls)


def _is_meter(method: cst.Attribute, call: cst.Call, source: Source) -> bool:
    """Check whether a class of the project reads, in this method, a value that it is given."""
    made = source.value_of(method.value)
    given = any(_VALUES.fullmatch(last_name(each.value) or "") for each in call.args)
    defined = _definition(made.func, source) if given and isinstance(made, cst.Call) else None
    own = statements(defined.body) if isinstance(defined, cst.ClassDef) else []
    methods = (each for each in own if isinstance(each, cst.FunctionDef))
    reads = (calls_in(each) for each in methods if each.name.value == method.attr.value)
    return any(last_name(each.func) in HOST_READS for each in chain.from_iterable(reads))


def _definition(name: cst.BaseExpression, source: Source) -> cst.FunctionDef | cst.ClassDef | None:
    """Return what a name stands for, from the file itself or another one of the project."""
    defined = source.definition(name.value) if isinstance(name, cst.Name) else None
    if defined is not None:
        return defined
    found = defined_elsewhere(source.resolve(name) or "", source)
    return None if found is None else found.source.definition(found.name)


def _shows_loss(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.FormattedString):
        parts = (each for each in value.parts if isinstance(each, cst.FormattedStringExpression))
        return any(_shows_loss(each.expression) for each in parts)
    return (last_name(value) or "").endswith("loss")
