"""Calls that make ranks wait for each other: torch's own, and functions that do nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import calls_in, compile_lazily, defined_elsewhere, last_name, statements

from ._loop import asks_machine, neighbours
from ._waiting import names_called_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

    from ._loop import InStep

_HOPS = 3
"""How many functions and re-exports are followed."""
OWNERS = {"wait_for_everyone": "accelerator", "block_all": "coordinator"}
"""Methods that are barriers, and what their objects are called."""
_FUNCTIONS = compile_lazily(r"torch\.distributed\.(?:monitored_)?barrier|deepspeed\.comm\.barrier")
_ASKS_ONLY = compile_lazily(r"(?:is|get|current)_\w+|device")
_RANKS = compile_lazily(
    r"(?i)(?:\w+_)?rank(?:_?0|_zero)?|(?:is_)?(?:\w+_)?(?:main|master)(?:_process|_rank)?"
)
_NEEDS_ALL_RANKS = compile_lazily(
    r"save|(?<!up)(?<!down)load|state_dict|gather|scatter|broadcast|reduce|send|recv"
    r"|(?:sync|update|transfer)_\w*weights|generate|rollout|offload|sleep|wake_up|destroy"
)
_VALIDATES = compile_lazily(r"validat|evaluat|(?:^|_)eval_")


def is_barrier(call: cst.Call, source: Source, hops: int = _HOPS) -> bool:
    """Check whether a call is a barrier of all ranks and nothing else."""
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in OWNERS:
        return last_name(call.func.value) == OWNERS[call.func.attr.value]
    dotted = source.resolve(call.func)
    if dotted is not None and _FUNCTIONS.fullmatch(dotted):
        return True
    if isinstance(call.func, cst.Name) and source.definition(call.func.value) is not None:
        return _only_waits(call.func.value, source, hops)
    return dotted is not None and _is_wrapper(dotted, source, hops)


def prepares_ranks(found: InStep, source: Source) -> bool:
    """Barriers before what all ranks must have reached on every step: collectives, rollouts."""
    names = (
        last_name(call.func) or ""
        for statement in neighbours(found.call, source)[1][:2]
        for call in _calls_on_every_step(statement)
    )
    return any(map(_NEEDS_ALL_RANKS.search, names))


def follows_validation(found: InStep, source: Source) -> bool:
    """Barriers after validation, which takes some ranks longer than the watchdog waits."""
    return any(map(_VALIDATES.search, names_called_before(found.call, source)))


def _calls_on_every_step(node: cst.CSTNode) -> Iterator[cst.Call]:
    """Yield the calls in a statement that no condition stands around but one on the rank."""
    if isinstance(node, (cst.For, cst.While)) or (
        isinstance(node, cst.If) and not _asks_rank(node.test)
    ):
        return
    if not isinstance(node, (cst.If, cst.With, cst.Try)):
        yield from calls_in(node)
        return
    if isinstance(node, cst.With):
        yield from (call for item in node.items for call in calls_in(item))
    for statement in statements(node.body):
        yield from _calls_on_every_step(statement)


def _asks_rank(test: cst.BaseExpression) -> bool:
    """Check whether a condition is about the rank or the machine only."""
    if isinstance(test, cst.UnaryOperation):
        return _asks_rank(test.expression)
    if isinstance(test, cst.BooleanOperation):
        return _asks_rank(test.left) and _asks_rank(test.right)
    if asks_machine(test):
        return True
    asked = test.left if isinstance(test, cst.Comparison) else test
    asked = asked.func if isinstance(asked, cst.Call) else asked
    return _RANKS.fullmatch(last_name(asked) or "") is not None


def _is_wrapper(dotted: str, source: Source, hops: int) -> bool:
    """Check whether a name that is imported from the project is a function that only waits."""
    found = defined_elsewhere(dotted, source, hops)
    return found is not None and _only_waits(found.name, found.source, found.hops)


def _only_waits(name: str, source: Source, hops: int) -> bool:
    """Check whether a function of a file meets the other ranks and does nothing else."""
    function = source.definition(name)
    if not isinstance(function, cst.FunctionDef) or not hops:
        return False
    called = [each for each in calls_in(function) if not _only_asks(each)]
    return bool(called) and all(is_barrier(each, source, hops - 1) for each in called)


def _only_asks(call: cst.Call) -> bool:
    return _ASKS_ONLY.fullmatch(last_name(call.func) or "") is not None
