"""ROC501, sync-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, calls, calls_in, fitted, is_explained_beside

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
    """Steps that all log the time between two events."""
    del source
    return reads_events(found.step) and not logs_sometimes(found.step)


_MEANT = (has_events, is_wait_measured, is_waited_for_anyway)


def is_explained(found: InStep, source: Source) -> bool:
    """Waits for a time or a value, in a benchmark or with a comment that gives a reason."""
    explained = "benchmark" in source.kinds or is_explained_beside(found.call, source)
    return explained and any(each(found, source) for each in _MEANT)


class SyncInTrainingLoop(PythonRule["cst.Call"]):
    """``torch.cuda.synchronize()`` runs on every training step.

    ## Why it matters
    PyTorch queues kernels ahead of the GPU. A host that waits for the GPU on every step queues
    nothing meanwhile, so the GPU idles while the next step is prepared. With several GPUs each
    rank waits for its own device before it joins the next collective, and a rank that takes
    another way through the step leaves the others hanging.

    A wait on every step of an engine of ``deepspeed.initialize`` is an error: DeepSpeed overlaps
    its collectives with the backward pass, and a rank that waits in between can hang the run.

    Events can be read many steps later, and ``.item()`` waits by itself: waits that only a clock,
    an event or such a value needs are one note for each loop.

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
    tiers = {"error": "the steps are those of an engine of DeepSpeed"}  # noqa: RUF012
    retired = {"ROC504": "sync-in-measured-step"}  # noqa: RUF012 - a constant of the class
    skips = frozenset({"test"})
    excuses = (
        *STEP_EXCUSES,
        is_needed_by_copy,
        is_saved_next,
        measures_peak,
        is_explained,
    )
    doubts = (*_MEANT, is_of_bitsandbytes)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find waits for the device on every step; several are one finding, at the first."""
        found = self._in_step(node, source)
        severity = None if found is None else self.severity_of(found, source)
        if found is None or severity is None:
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
        if reads_events(found.step) or severity == "note":
            help = self._help_of_note(found, source)
            yield self.finding(node, source, message, help=help, severity=severity)
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

    def _help_of_note(self, found: InStep, source: Source) -> str:
        """Return what to do about a wait that somebody may have meant."""
        if reads_events(found.step):
            return READ_EVENTS_LATER
        if is_waited_for_anyway(found, source):
            return "Delete it: the value that is read next to it makes the host wait all the same."
        return (
            "Wait only in the steps that are measured (`if step % n == 0:`). "
            "The host queues nothing meanwhile, so the wait slows down what it measures."
        )

    def _that_can_go(self, found: InStep, source: Source) -> list[cst.Call]:
        """Return the waits of a step that nothing needs, from the first on, in the same loop.

        Where all of them may be meant, these are all.
        """
        loop = loop_inside(found, source)
        steps = (self._in_step(each, source) for each in calls_in(whole_step(found, source)))
        alike = [each for each in steps if each and loop_inside(each, source) is loop]
        tiers = {each.call: self.severity_of(each, source) for each in alike}
        sure = [call for call, tier in tiers.items() if tier == self.severity]
        return sorted(sure or [call for call, tier in tiers.items() if tier], key=source.span)

    def _in_step(self, node: cst.Call, source: Source) -> InStep | None:
        """Return the step in which a call waits for the device."""
        found = in_step(node, source)
        waits = found is not None and device_function(node, source, "synchronize") is not None
        return found if waits else None
