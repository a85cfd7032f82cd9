"""ROC501, sync-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, calls, calls_in, fitted

from ._deepspeed import engine_of, message_of_engine
from ._drained import is_waited_for_anyway
from ._loop import STEP_EXCUSES, InStep, in_step, it_and, measures_peak, whole_step
from ._waiting import (
    READ_EVENTS_LATER,
    delete_waits,
    device_function,
    is_needed_by_copy,
    is_of_bitsandbytes,
    is_saved_next,
    is_wait_measured,
    logs_sometimes,
    loop_inside,
    reads_events,
    text_of_function,
    waits_below,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


def has_events(found: InStep, source: Source) -> bool:
    """Steps that all log the time between two events (see sync-in-measured-step)."""
    del source
    return reads_events(found.step) and not logs_sometimes(found.step)


class SyncInTrainingLoop(PythonRule["cst.Call"]):
    """``torch.cuda.synchronize()`` runs on every training step.

    ## Why it matters
    PyTorch queues kernels ahead of the GPU. A host that waits for the GPU on every step queues
    nothing meanwhile, so the GPU idles while the next step is prepared. With several GPUs each
    rank waits for its own device before it joins the next collective, and a rank that takes
    another way through the step leaves the others hanging.

    A wait on every step of an engine of ``deepspeed.initialize`` is an error: DeepSpeed overlaps
    its collectives with the backward pass, and a rank that waits in between can hang the run.

    ## Example
    ```python
    import torch

    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            torch.cuda.synchronize()
    ```

    ## Use instead
    Delete it: ``.item()``, ``.cpu()`` and collectives wait by themselves for what they need. To
    measure, synchronize only around the timer and only in the steps that are measured.
    ```python
    import torch

    def train(model, optimizer, loader):
        for step, batch in enumerate(loader):
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                torch.cuda.synchronize()
    ```

    ## Fix safety
    Unsafe: the statement goes, and something outside the loop may have relied on the wait.

    ## References
    - https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    code = "ROC501"
    name = "sync-in-training-loop"
    since = "0.1.0"
    on = calls("synchronize")
    severity = "warning"
    skips = frozenset({"test"})
    excuses = (
        *STEP_EXCUSES,
        is_needed_by_copy,
        is_saved_next,
        has_events,
        is_wait_measured,
        measures_peak,
        is_of_bitsandbytes,
        is_waited_for_anyway,
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find waits for the device on every step; several are one finding, at the first."""
        found = self._needless(node, source)
        if found is None:
            return
        first, *others = self._that_can_go(found, source)
        if node is not first:
            return
        function = text_of_function(node, source)
        message = f"`{function}()` runs on {found.step.described}"
        loop = loop_inside(found, source)
        if loop is not None:
            line = source.named_line(source.span(loop).line)
            message = fitted(
                "`{function}()` runs in the loop in {line} on {}",
                found.step.described,
                function=function,
                line=line,
            )
        help = (
            f"Delete {it_and(others, source)}, or guard it with `if step % n == 0:`. "
            "The host waits for the GPU and queues nothing meanwhile, so the GPU idles."
        )
        if reads_events(found.step):
            yield self.finding(node, source, message, help=READ_EVENTS_LATER)
            return
        if waits_below(found, source):
            help = (
                "Delete it: the wait after the loop is enough for paged state. "
                "The host waits for the GPU each time, so the GPU idles between two weights."
            )
        fix = delete_waits([node, *others], function, source)
        engine = engine_of(found.step.node, source)
        if engine is None:
            yield self.finding(node, source, message, help=help, fix=fix)
            return
        message = message_of_engine(function, engine)
        help = (
            f"Delete {it_and(others, source)}: DeepSpeed orders its own streams and collectives. "
            "A rank that waits while another has not joined a collective can hang the run."
        )
        yield self.finding(node, source, message, help=help, fix=fix, severity="error")

    def _that_can_go(self, found: InStep, source: Source) -> list[cst.Call]:
        """Return the waits of a step that nothing needs, from the first on, in the same loop."""
        loop = loop_inside(found, source)
        steps = (self._needless(each, source) for each in calls_in(whole_step(found, source)))
        free = [each.call for each in steps if each and loop_inside(each, source) is loop]
        return sorted(free, key=source.span)

    def _needless(self, node: cst.Call, source: Source) -> InStep | None:
        """Return the step in which a call waits for the device, and nothing needs that."""
        found = in_step(node, source)
        if found is None or device_function(node, source, "synchronize") is None:
            return None
        return None if self.is_excused(found, source) else found
