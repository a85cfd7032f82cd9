"""ROC502, barrier-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, calls, compile_lazily, last_name

from ._loop import step_around
from ._waiting import names_called_after, reads_clock, text_of_function

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


class BarrierInTrainingLoop(PythonRule["cst.Call"]):
    """A barrier of all ranks in every step of a training loop.

    ## Why it matters
    A barrier makes every rank wait for the slowest one, in addition to the gradient all-reduce,
    which does so already. A rank that skips a step (an empty batch, a NaN, the end of its data)
    never comes to the barrier, and the run hangs until the watchdog kills it.

    ## Instead
    Delete it. Keep barriers where ranks share a file or a checkpoint, behind the condition that
    makes them save. Barriers behind a condition, around a timer, and before collectives, saving
    and rollouts are not reported.

    ## Source
    Seed 001, M-002.
    """

    code = "ROC502"
    name = "barrier-in-training-loop"
    since = "0.1.0"
    on = calls("barrier", "monitored_barrier", *_OWNERS, where=_WHERE)
    severity = "warning"
    skips = frozenset({"test"})

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find barriers in every step that prepare nothing which needs all ranks."""
        step = step_around(node, source)
        if step is None or not _is_barrier(node, source) or reads_clock(step, source):
            return
        if any(_NEEDS_ALL_RANKS.search(name) for name in names_called_after(node, source)):
            return
        message = (
            f"`{text_of_function(node, source)}()` runs in {step.described}: all ranks wait for "
            "the slowest one, and one that skips a step leaves the others hanging. Delete it: the "
            "gradient all-reduce keeps ranks together."
        )
        yield self.finding(node, source, message)


def _is_barrier(node: cst.Call, source: Source) -> bool:
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in _OWNERS:
        return last_name(node.func.value) == _OWNERS[node.func.attr.value]
    return bool(_FUNCTIONS.fullmatch(source.resolve(node.func) or ""))
