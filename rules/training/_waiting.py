"""Calls that make the host wait, and what stands around them that makes the wait meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    Fix,
    argument,
    calls_in,
    children,
    compile_lazily,
    last_name,
    string_value,
)

from ._loop import neighbours, own_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

    from ._loop import InStep, TrainingStep

_DEVICE_MODULES = compile_lazily(r"torch(?:_\w+)?(?:\.\w+)+")
_GETTERS = compile_lazily(r"get_(?:torch_)?(?:accelerator|device(?:_module)?)$")
_CLOCKS = compile_lazily(
    r"time\.(?:time|perf_counter|monotonic|process_time)(?:_ns)?"
    r"|timeit\.default_timer|datetime\.datetime\.(?:now|utcnow)"
)
_TIMERS = compile_lazily(r"(?i)\w*timers?$|stopwatch$|tic$|toc$")
_LONGEST_FUNCTION = 26
"""A message has a hundred characters for this, the line and the cell."""
_EVENT_TIME = "elapsed_time"


def device_function(call: cst.Call, source: Source, name: str) -> str | None:
    """Return the text of the function called if it is the one with this name of a torch device.

    It is ``torch.cuda.synchronize``, ``torch.accelerator.…``, ``get_accelerator().…`` or that of
    a name which stands for one of these.
    """
    dotted = source.resolve(call.func) or ""
    module = dotted.removesuffix(f".{name}")
    if module != dotted and _DEVICE_MODULES.fullmatch(module):
        return text_of_function(call, source)
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == name:
        owner: cst.CSTNode | None = call.func.value
        owner = owner if isinstance(owner, cst.Call) else source.value_of(call.func.value)
        if isinstance(owner, cst.Call) and _GETTERS.match(last_name(owner.func) or ""):
            return text_of_function(call, source)
    return None


def text_of_function(call: cst.Call, source: Source) -> str:
    """Return what is called as it is written, on one line; only its last name where it is long."""
    text = " ".join(source.text_of(call.func).split())
    return text if len(text) <= _LONGEST_FUNCTION else (last_name(call.func) or "")


READ_EVENTS_LATER = (
    "Keep the events, and call `elapsed_time` for many steps after one synchronize. "
    "The wait costs what it measures: the host queues nothing meanwhile."
)


def copies_in_background(step: TrainingStep) -> bool:
    """Return whether the step copies to the host or works on a stream without waiting for it."""
    return any(_runs_aside(call) for call in calls_in(step.node))


def is_needed_by_copy(found: InStep, source: Source) -> bool:
    """Waits that end copies to the host, or work on other streams."""
    del source
    return copies_in_background(found.step)


def is_measured_by_clock(found: InStep, source: Source) -> bool:
    """Steps that read a clock or a timer."""
    return any(_is_clock(call, source) for call in unconditional_calls(found.step.node.body))


def is_measured_by_events(found: InStep, source: Source) -> bool:
    """Steps that ask for the time between two events of the device."""
    del source
    calls = (each for each in own_nodes(found.step.node) if isinstance(each, cst.Call))
    return any(last_name(call.func) == _EVENT_TIME for call in calls)


def loop_inside(found: InStep, source: Source) -> cst.CSTNode | None:
    """Return the loop around a call that its step's function contains, such as one over weights."""
    if not isinstance(found.step.node, cst.FunctionDef):
        return None
    return source.enclosing(found.call, cst.For, cst.While)


def delete_waits(nodes: list[cst.Call], function: str, source: Source) -> Fix | None:
    """Make the fix that deletes calls, if each stands alone on its lines and has no comment."""
    for node in nodes:
        line = source.enclosing(node, cst.SimpleStatementLine)
        span = source.span(node)
        commented = any(span.line <= comment.line <= span.end_line for comment in source.comments)
        if line is None or len(line.body) > 1 or commented:
            return None
    return Fix(f"Delete `{function}()`", tuple(map(source.remove_statement, nodes)))


def names_called_before(call: cst.Call, source: Source) -> Iterator[str]:
    """Yield the last names of what the two statements before the call's own call."""
    return _names_called(neighbours(call, source)[0][-2:])


def names_called_after(call: cst.Call, source: Source) -> Iterator[str]:
    """Yield the last names of what the two statements after the call's own call."""
    return _names_called(neighbours(call, source)[1][:2])


def unconditional_calls(node: cst.CSTNode) -> Iterator[cst.Call]:
    """Yield the calls in a node that no condition stands around, the last to run first."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, cst.Call):
            yield current
        if not isinstance(current, (cst.If, cst.ExceptHandler, cst.FunctionDef, cst.Lambda)):
            stack.extend(children(current))


def _runs_aside(call: cst.Call) -> bool:
    name = last_name(call.func)
    to_host = name == "to" and string_value(argument(call, 0, "device")) == "cpu"
    copies = name == "copy_" or to_host
    return name == "stream" or (copies and argument(call, None, "non_blocking") is not None)


def _names_called(statements: list[cst.CSTNode]) -> Iterator[str]:
    for statement in statements:
        if not isinstance(statement, (cst.For, cst.While)):
            yield from (last_name(call.func) or "" for call in calls_in(statement))


def _is_clock(call: cst.Call, source: Source) -> bool:
    return _names_timer(call) or bool(_CLOCKS.fullmatch(source.resolve(call.func) or ""))


def _names_timer(node: cst.CSTNode) -> bool:
    """Return whether a name in ``self.timers("forward").start()`` speaks of a timer."""
    while isinstance(node, (cst.Call, cst.Attribute, cst.Subscript)):
        if isinstance(node, cst.Attribute) and _TIMERS.match(node.attr.value):
            return True
        node = node.func if isinstance(node, cst.Call) else node.value
    return isinstance(node, cst.Name) and bool(_TIMERS.match(node.value))
