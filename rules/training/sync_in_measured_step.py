"""ROC504, sync-in-measured-step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, calls

from ._loop import STEP_EXCUSES, in_step
from ._waiting import (
    READ_EVENTS_LATER,
    device_function,
    is_needed_by_copy,
    is_saved_next,
    logs_sometimes,
    reads_events,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class SyncInMeasuredStep(PythonRule["cst.Call"]):
    """A wait for the GPU on every step, only to read the time between two events.

    ## Why it matters
    The wait costs what it is meant to measure: the host queues nothing while it waits, so the
    GPU idles between steps. Events can be read many steps later. Where the times are logged on
    some steps only, sync-in-training-loop reports the wait.

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
    excuses = (*STEP_EXCUSES, is_needed_by_copy, is_saved_next)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find waits in steps that measure themselves."""
        found = in_step(node, source)
        function = device_function(node, source, "synchronize") if found else None
        if found is None or function is None or self.is_excused(found, source):
            return
        if reads_events(found.step) and not logs_sometimes(found.step):
            message = f"`{function}()` runs on {found.step.described}"
            yield self.finding(node, source, message, help=READ_EVENTS_LATER)
