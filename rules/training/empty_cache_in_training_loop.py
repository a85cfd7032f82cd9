"""ROC503, empty-cache-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, calls, compile_lazily

from ._loop import step_around
from ._waiting import (
    device_function,
    names_called_after,
    names_called_before,
    text_of_function,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_IMPORTED = compile_lazily(r"(?!torch\.)\.*[\w.]+\.empty_cache|accelerate\.utils\.(?:\w+\.)?\w+")
_FREES_FOR_OTHERS = compile_lazily(
    r"save|state_dict|gather|(?:sync|update)_\w*weights|generate|rollout"
    r"|offload|onload|unload|sleep|wake_up|reset_(?:peak|max)_memory"
)


class EmptyCacheInTrainingLoop(PythonRule["cst.Call"]):
    """A ``torch.cuda.empty_cache()`` in every step of a training loop.

    ## Why it matters
    PyTorch keeps freed memory to hand it out again. Emptying that cache in every step gives it
    back to the driver, which waits for the GPU, and the next step allocates all of it anew with
    slow driver calls. It does not lower the peak: what is in use stays in use.

    ## Instead
    Delete it. Against fragmentation set ``PYTORCH_HIP_ALLOC_CONF=expandable_segments:True``
    (``PYTORCH_CUDA_ALLOC_CONF`` works too). Empty the cache once per epoch, after an
    out-of-memory error, or before the memory goes to somebody else, such as an inference engine;
    these are not reported.

    ## Source
    Seed 001, M-003: the cache is emptied between epochs.
    """

    code = "ROC503"
    name = "empty-cache-in-training-loop"
    since = "0.1.0"
    on = calls("empty_cache", "clear_device_cache")
    severity = "warning"
    skips = frozenset({"test"})

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find cache clearing in every step that frees memory for nobody else."""
        step = step_around(node, source)
        if step is None or not _empties_cache(node, source):
            return
        around = (*names_called_before(node, source), *names_called_after(node, source))
        if any(_FREES_FOR_OTHERS.search(name) for name in around):
            return
        message = (
            f"`{text_of_function(node, source)}()` runs in {step.described}: memory goes back to "
            "the driver, which waits for the GPU, and the next step allocates it anew. Delete it, "
            "or call it once per epoch or after an out-of-memory error."
        )
        yield self.finding(node, source, message)


def _empties_cache(node: cst.Call, source: Source) -> bool:
    if device_function(node, source, "empty_cache") is not None:
        return True
    return isinstance(node.func, cst.Name) and bool(
        _IMPORTED.fullmatch(source.resolve(node.func) or "")
    )
