"""ROC503, empty-cache-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, calls, compile_lazily

from ._loop import STEP_EXCUSES, InStep, in_step
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


def frees_for_others(found: InStep, source: Source) -> bool:
    """Memory that somebody else needs: beside saving, offloading, generation, rollouts."""
    call = found.call
    around = (*names_called_before(call, source), *names_called_after(call, source))
    return any(_FREES_FOR_OTHERS.search(name) for name in around)


class EmptyCacheInTrainingLoop(PythonRule["cst.Call"]):
    """A ``torch.cuda.empty_cache()`` in every step of a training loop.

    ## Why it matters
    PyTorch keeps freed memory to hand it out again. Emptying that cache in every step gives it
    back to the driver, which waits for the GPU, and the next step allocates all of it anew with
    slow driver calls. It does not lower the peak: what is in use stays in use.

    ## Example
    ```python
    import torch

    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            torch.cuda.empty_cache()
    ```

    ## Use instead
    Delete it. Against fragmentation set ``PYTORCH_HIP_ALLOC_CONF=expandable_segments:True``
    (``PYTORCH_CUDA_ALLOC_CONF`` works too). Empty the cache once per epoch, after an
    out-of-memory error, or before the memory goes to somebody else, such as an inference engine.
    ```python
    import torch

    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
        torch.cuda.empty_cache()
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-memory-management
    """

    code = "ROC503"
    name = "empty-cache-in-training-loop"
    since = "0.1.0"
    on = calls("empty_cache", "clear_device_cache")
    severity = "warning"
    skips = frozenset({"test"})

    excuses = (*STEP_EXCUSES, frees_for_others)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find cache clearing in every step that frees memory for nobody else."""
        found = in_step(node, source)
        if found is None or not _empties_cache(node, source) or self.is_excused(found, source):
            return
        function = text_of_function(node, source)
        message = (
            f"`{function}()` runs in {found.step.described}: memory goes back to the driver, "
            "which waits for the GPU, and the next step allocates it anew. Delete it, or call it "
            "once per epoch or after an out-of-memory error."
        )
        yield self.finding(node, source, message)


def _empties_cache(node: cst.Call, source: Source) -> bool:
    if device_function(node, source, "empty_cache") is not None:
        return True
    return isinstance(node.func, cst.Name) and bool(
        _IMPORTED.fullmatch(source.resolve(node.func) or "")
    )
