"""ROC502, barrier-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, calls, calls_in

from ._barriers import (
    OWNERS,
    follows_validation,
    is_barrier,
    prepares_ranks,
)
from ._deepspeed import engine_of, message_of_engine
from ._loop import STEP_EXCUSES, InStep, in_step, it_and, whole_step
from ._waiting import text_of_function

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Severity, Source

# Kernels are full of `arch.barrier()`, which is about the threads of one GPU; and
# `torch.cuda.synchronize()` is about one GPU too, but `synchronize()` may be a barrier.
_BEGINS = ("barrier", "synchronize", *OWNERS)
_WHERE = r"barrier\b(?<!arch\.barrier)|wait_for_everyone\b|block_all\b|(?<!\.)\bsynchronize\b"


class BarrierInTrainingLoop(PythonRule["cst.Call"]):
    """All ranks wait at a barrier on every training step.

    ## Why it matters
    A barrier makes every rank wait for the slowest one, in addition to the gradient all-reduce,
    which does so already. A rank that skips a step (an empty batch, a NaN, the end of its data)
    never comes to the barrier, and the run hangs until the watchdog kills it.

    A barrier on every step of an engine of ``deepspeed.initialize`` is an error: the engine runs
    collectives of its own, and ranks that meet them in another order deadlock.

    ## Example
    ```python
    import torch.distributed as dist

    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            dist.barrier()
    ```

    ## Use instead
    Delete it. Where ranks share a file or a checkpoint, keep it behind the condition that makes
    them save.
    ```python
    import torch.distributed as dist

    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
        dist.barrier()
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.barrier
    """

    code = "ROC502"
    name = "barrier-in-training-loop"
    since = "0.1.0"
    on = calls("barrier", "monitored_barrier", "synchronize", *OWNERS, where=_WHERE, begins=_BEGINS)
    severity = "warning"
    skips = frozenset({"test"})

    excuses = (
        *STEP_EXCUSES,
        prepares_ranks,
        follows_validation,
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find barriers on every step that prepare nothing which needs all ranks.

        Several that can go are one finding, at the first.
        """
        found = self._needless(node, source)
        if found is None:
            return
        function = text_of_function(node, source)
        message = f"`{function}()` runs on {found.step.described}"
        engine = engine_of(found.step.node, source)
        if engine is not None:
            message = message_of_engine(function, engine)
        severity: Severity = self.severity if engine is None else "error"
        first, *others = self._that_can_go(found, source)
        if node is first:
            help = (
                f"Delete {it_and(others, source)}: "
                "the gradient all-reduce keeps the ranks together, and if one skips a step, the "
                "others wait forever. If some steps need it to save, move it there, on all ranks."
            )
            yield self.finding(node, source, message, help=help, severity=severity)

    def _that_can_go(self, found: InStep, source: Source) -> list[cst.Call]:
        """Return the barriers of a step that nothing needs, from the first on, in all its loops."""
        calls = calls_in(whole_step(found, source))
        return sorted((each for each in calls if self._needless(each, source)), key=source.span)

    def _needless(self, node: cst.Call, source: Source) -> InStep | None:
        """Return the step in which a call is a barrier that prepares nothing."""
        found = in_step(node, source) if is_barrier(node, source) else None
        return None if found is None or self.is_excused(found, source) else found
