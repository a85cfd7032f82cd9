"""ROC502, barrier-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, calls, compile_lazily, last_name

from ._loop import STEP_EXCUSES, InStep, in_step
from ._waiting import is_timed, names_called_after, text_of_function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_FUNCTIONS = compile_lazily(r"torch\.distributed\.(?:monitored_)?barrier|deepspeed\.comm\.barrier")
_OWNERS = {"wait_for_everyone": "accelerator", "block_all": "coordinator"}
# Kernels are full of `arch.barrier()`, which is about the threads of one GPU.
_WHERE = r"barrier\b(?<!arch\.barrier)|wait_for_everyone\b|block_all\b"
_NEEDS_ALL_RANKS = compile_lazily(
    r"save|load|state_dict|gather|scatter|broadcast|reduce|send|recv"
    r"|(?:sync|update|transfer)_\w*weights|generate|rollout|offload|sleep|wake_up|destroy"
)


def prepares_ranks(found: InStep, source: Source) -> bool:
    """Barriers before what all ranks must have reached: collectives, saving, rollouts."""
    return any(_NEEDS_ALL_RANKS.search(name) for name in names_called_after(found.call, source))


class BarrierInTrainingLoop(PythonRule["cst.Call"]):
    """A barrier of all ranks in every step of a training loop.

    ## Why it matters
    A barrier makes every rank wait for the slowest one, in addition to the gradient all-reduce,
    which does so already. A rank that skips a step (an empty batch, a NaN, the end of its data)
    never comes to the barrier, and the run hangs until the watchdog kills it.

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
    Delete it. Keep barriers where ranks share a file or a checkpoint, behind the condition that
    makes them save.
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
    on = calls("barrier", "monitored_barrier", *_OWNERS, where=_WHERE)
    severity = "warning"
    skips = frozenset({"test"})

    excuses = (*STEP_EXCUSES, is_timed, prepares_ranks)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find barriers in every step that prepare nothing which needs all ranks."""
        found = in_step(node, source)
        if found is None or not _is_barrier(node, source) or self.is_excused(found, source):
            return
        function = text_of_function(node, source)
        message = (
            f"`{function}()` runs in {found.step.described}: all ranks wait for the slowest one, "
            "and one that skips a step leaves the others hanging. Delete it: the gradient "
            "all-reduce keeps ranks together."
        )
        yield self.finding(node, source, message)


def _is_barrier(node: cst.Call, source: Source) -> bool:
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in _OWNERS:
        return last_name(node.func.value) == _OWNERS[node.func.attr.value]
    return bool(_FUNCTIONS.fullmatch(source.resolve(node.func) or ""))
