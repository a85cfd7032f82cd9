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
_NEEDS = (
    r"save|(?<!up)(?<!down)load|state_dict|gather|scatter|broadcast|reduce|send|recv"
    r"|(?:sync|update|transfer)_\w*weights|generate|rollout|offload|sleep|wake_up|destroy"
)
_NEEDS_ALL_RANKS = compile_lazily(_NEEDS)
_SAVES = compile_lazily(rf"{_NEEDS}|checkpoint|upload|push_to_hub")
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


def needed_after(found: InStep, source: Source) -> Iterator[str]:
    """Yield the names of what is called after a barrier, on every step, and needs all ranks."""
    for statement in neighbours(found.call, source)[1][:2]:
        for call, condition in _calls_after(statement):
            name = last_name(call.func) or ""
            if condition is None and _NEEDS_ALL_RANKS.search(name):
                yield name


def needed_sometimes(found: InStep, source: Source) -> tuple[str, cst.If] | None:
    """Return the first call beside a barrier that needs it in some steps only, and its `if`.

    What one rank does alone needs no barrier, and one under its condition would hang.
    """
    before, after = neighbours(found.call, source)
    for statement in (*after[:2], *before[-2:]):
        for call, condition in _calls_after(statement):
            name = last_name(call.func) or ""
            if condition is not None and _SAVES.search(name):
                return None if _is_for_one_rank(condition, source) else (name, condition)
    return None


def follows_validation(found: InStep, source: Source) -> bool:
    """Barriers after validation, which takes some ranks longer than the watchdog waits."""
    return any(map(_VALIDATES.search, names_called_before(found.call, source)))


def _calls_after(
    node: cst.CSTNode, condition: cst.If | None = None
) -> Iterator[tuple[cst.Call, cst.If | None]]:
    """Yield the calls in a statement, each with the `if` that not every step enters."""
    if isinstance(node, (cst.For, cst.While)):
        return
    if not isinstance(node, (cst.If, cst.With, cst.Try)):
        yield from ((call, condition) for call in calls_in(node))
        return
    if isinstance(node, cst.With):
        yield from ((call, condition) for item in node.items for call in calls_in(item))
    if isinstance(node, cst.If) and condition is None and not _asks_rank(node.test):
        condition = node
    for statement in statements(node.body):
        yield from _calls_after(statement, condition)
    if isinstance(node, cst.If) and node.orelse is not None:
        rest = node.orelse
        for statement in [rest] if isinstance(rest, cst.If) else statements(rest.body):
            yield from _calls_after(statement, condition)


def _is_for_one_rank(condition: cst.If, source: Source) -> bool:
    """Check whether a condition, or one around it, asks for the rank."""
    around = [each for each in source.ancestors(condition) if isinstance(each, cst.If)]
    return any(_names_rank(each.test) for each in (condition, *around))


def _names_rank(test: cst.BaseExpression) -> bool:
    """Check whether a condition asks for the rank, with something else or alone."""
    if isinstance(test, cst.BooleanOperation):
        return _names_rank(test.left) or _names_rank(test.right)
    return _asks_rank(test) and not asks_machine(test)


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
