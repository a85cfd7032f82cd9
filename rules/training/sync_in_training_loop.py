"""ROC501, sync-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Fix, PythonRule, calls, compile_lazily

from ._loop import step_around
from ._waiting import (
    copies_in_background,
    device_function,
    host_reads_result,
    names_called_after,
    reads_clock,
    reads_events,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    from ._loop import Step

_SAVES = compile_lazily(r"save|state_dict|checkpoint")
_DELETE = "Delete it, or guard it with `if step % n == 0:`."
_POSTPONE = "Keep the events, and call `elapsed_time` for many steps after one synchronize."


class SyncInTrainingLoop(PythonRule["cst.Call"]):
    """A ``torch.cuda.synchronize()`` in every step of a training loop.

    ## Why it matters
    PyTorch queues kernels ahead of the GPU. A host that waits for the GPU in every step queues
    nothing meanwhile, so the GPU idles while the next step is prepared. With several GPUs each
    rank waits for its own device before it joins the next collective, and a rank that takes
    another way through the step leaves the others hanging.

    ## Instead
    Delete it: ``.item()``, ``.cpu()`` and collectives wait by themselves for what they need. To
    measure, synchronize only around the timer and only in the steps that are measured; with
    events, call ``elapsed_time`` for many steps after one synchronize. Waits whose end is
    measured in every step, that stand behind a condition, or that end copies to the host and
    work on other streams are not reported. With ``--preview`` also waits of steps that measure
    themselves, where events are read or ``.item()`` waits before the clock is read.

    ## Fix safety
    Unsafe: the statement goes, and something outside the loop may have relied on the wait.

    ## Source
    Seed 001, M-002.
    """

    code = "ROC501"
    name = "sync-in-training-loop"
    since = "0.1.0"
    on = calls("synchronize")
    severity = "warning"
    skips = frozenset({"test"})

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find waits for the device in every step whose end nobody measures."""
        step = step_around(node, source)
        function = device_function(node, source, "synchronize") if step else None
        if step is None or function is None or _is_needed(node, step, source):
            return
        events = reads_events(step)
        if (events or reads_clock(step, source)) and not self.with_preview:
            return
        message = (
            f"`{function}()` runs in {step.described}: the host waits until the GPU has finished "
            "and queues nothing meanwhile, so the GPU idles between steps. "
            + (_POSTPONE if events else _DELETE)
        )
        fix = None if events else _fix(node, function, source)
        yield self.finding(node, source, message, fix=fix)


def _is_needed(node: cst.Call, step: Step, source: Source) -> bool:
    """Say whether a copy, a snapshot or a clock that is read next needs the wait."""
    if copies_in_background(step):
        return True
    if any(_SAVES.search(name) for name in names_called_after(node, source)):
        return True
    return reads_clock(step, source) and not host_reads_result(node, source)


def _fix(node: cst.Call, function: str, source: Source) -> Fix | None:
    line = source.enclosing(node, cst.SimpleStatementLine)
    span = source.span(node)
    commented = any(span.line <= comment.line <= span.end_line for comment in source.comments)
    if line is None or len(line.body) > 1 or commented:
        return None
    return Fix(f"Delete `{function}()`", (source.remove_statement(node),))
