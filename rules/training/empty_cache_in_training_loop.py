"""ROC503, empty-cache-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, argument, calls, compile_lazily, last_name, string_value

from ._loop import STEP_EXCUSES, InStep, in_step, neighbours
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
_MODELS = compile_lazily(
    r"(?:\w+_)?(?:model|module|network|teacher|reference|ref|policy|critic|actor|vae|unet"
    r"|transformer|encoder|decoder|pipeline|pipe)(?:_\w+)?"
)
_NEAR = 3
"""Statements above the call in which a model goes; `gc.collect()` often stands between."""
_FREES_FOR_OTHERS = compile_lazily(
    r"save|state_dict|gather|(?:sync|update)_\w*weights|generate|rollout"
    r"|offload|onload|unload|sleep|wake_up|reset_(?:peak|max)_memory"
)


def frees_for_others(found: InStep, source: Source) -> bool:
    """Memory that somebody else needs: beside saving, offloading, generation, rollouts."""
    call = found.call
    around = (*names_called_before(call, source), *names_called_after(call, source))
    return any(_FREES_FOR_OTHERS.search(name) for name in around)


def model_moved_away(found: InStep, source: Source) -> bool:
    """Memory that a model has just left: below `model.to("cpu")` or `del model`."""
    return any(map(_moves_model_away, neighbours(found.call, source)[0][-_NEAR:]))


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

    excuses = (*STEP_EXCUSES, frees_for_others, model_moved_away)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find cache clearing in every step that frees memory for nobody else."""
        found = in_step(node, source)
        if found is None or not _empties_cache(node, source) or self.is_excused(found, source):
            return
        message = f"`{text_of_function(node, source)}()` runs on {found.step.described}"
        help = (
            "Delete it: the next step allocates the memory again, with slow calls of the driver. "
            "Empty the cache once per epoch or after an out-of-memory error, if at all."
        )
        yield self.finding(node, source, message, help=help)


def _empties_cache(node: cst.Call, source: Source) -> bool:
    if device_function(node, source, "empty_cache") is not None:
        return True
    return isinstance(node.func, cst.Name) and bool(
        _IMPORTED.fullmatch(source.resolve(node.func) or "")
    )


def _moves_model_away(statement: cst.CSTNode) -> bool:
    """Check whether a statement moves a module to the CPU in place, or deletes a model."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    for each in statement.body:
        if isinstance(each, cst.Del):
            gone = each.target
            many = gone.elements if isinstance(gone, cst.Tuple) else ()
            targets = [element.value for element in many] or [gone]
            if any(_MODELS.fullmatch(last_name(target) or "") for target in targets):
                return True
        elif isinstance(each, cst.Expr) and isinstance(each.value, cst.Call):
            call = each.value
            to_cpu = string_value(argument(call, 0, "device")) == "cpu"
            if last_name(call.func) == "cpu" or (last_name(call.func) == "to" and to_cpu):
                return True
    return False
