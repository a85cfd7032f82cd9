"""ROC504, sync-in-measured-step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, calls

from ._loop import STEP_EXCUSES, in_step
from ._waiting import (
    delete_wait,
    device_function,
    is_needed_by_copy,
    is_saved_next,
    is_wait_measured,
    reads_clock,
    reads_events,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class SyncInMeasuredStep(PythonRule["cst.Call"]):
    """A wait for the GPU in every step, only to read events or a clock that waits by itself.

    ## Why it matters
    The wait costs what it is meant to measure: the host queues nothing while it waits, so the
    GPU idles between steps. Events can be read many steps later, and ``.item()`` waits anyway.

    ## Example
    ```python
    import torch

    def train(model, optimizer, loader, start, end):
        for batch in loader:
            start.record()
            model(batch).mean().backward()
            optimizer.step(); end.record()
            torch.cuda.synchronize()
            print(start.elapsed_time(end))
    ```

    ## Use instead
    Keep the events, and read them all after one synchronize.
    ```python
    import torch

    def train(model, optimizer, loader, events):
        for batch, (start, end) in zip(loader, events):
            start.record()
            model(batch).mean().backward()
            optimizer.step(); end.record()
        torch.cuda.synchronize()
        print([start.elapsed_time(end) for start, end in events])
    ```

    ## Fix safety
    Deleting the wait where ``.item()`` waits anyway is unsafe: something outside of the loop may
    have relied on it.

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.cuda.Event.html
    - https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    code = "ROC504"
    name = "sync-in-measured-step"
    since = "0.1.0"
    on = calls("synchronize")
    severity = "warning"
    preview = True
    skips = frozenset({"test"})
    excuses = (*STEP_EXCUSES, is_needed_by_copy, is_saved_next, is_wait_measured)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find waits in steps that measure themselves."""
        found = in_step(node, source)
        function = device_function(node, source, "synchronize") if found else None
        if found is None or function is None or self.is_excused(found, source):
            return
        events = reads_events(found.step)
        if events or reads_clock(found.step, source):
            advice = (
                "Keep the events, and call `elapsed_time` for many steps after one synchronize."
                if events
                else "Delete it, or guard it with `if step % n == 0:`."
            )
            message = (
                f"`{function}()` runs in {found.step.described}, which measures itself: the wait "
                f"costs what it should measure, as the host queues nothing meanwhile. {advice}"
            )
            fix = None if events else delete_wait(node, function, source)
            yield self.finding(node, source, message, fix=fix)
