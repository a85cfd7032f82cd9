"""ROC503, empty-cache-in-training-loop."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    argument,
    calls,
    calls_in,
    compile_lazily,
    gives_reason,
    last_name,
    string_value,
)
from rocmlint.rule.spelling import where_called

from ._loop import (
    STEP_EXCUSES,
    InStep,
    calls_in_steps,
    in_step,
    is_rollout,
    neighbours,
    own_nodes,
    whole_step,
)
from ._waiting import (
    device_function,
    names_called_after,
    names_called_before,
    text_of_function,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_CALLS = ("empty_cache", "clear_device_cache")
_WHERE = compile_lazily(rf"{where_called(_CALLS)}|(?:empty_cache|clear_device_cache)(?=[ \t]+as\b)")
_IMPORTED = compile_lazily(r"(?!torch\.)\.*[\w.]+\.empty_cache|accelerate\.utils\.(?:\w+\.)?\w+")
_OF_MEMORY = compile_lazily(
    r"(?i)\b(?:caches?|cached|caching|memory|vram|fragment\w*|peaks?|oom)\b|[^\x00-\x7f]"
)
_MISTAKEN = compile_lazily(r"(?i)\b(?:clean|clear|empty|flush|free|release)\w*|\bfragment")
"""What a comment says who takes emptying the cache for a way to have more memory."""
_RESTATES = compile_lazily(
    r"(?i)(?:now |then )?(?:empty|clear|clean|free|release|flush)(?:s|ing)?"
    r"(?: (?:up|out|the|gpu|cuda|unused|torch|some))* (?:caches?|memory|vram)\W*"
)
"""Comments that say no more than the call does."""
_DOCSTRING = compile_lazily(
    r"(?:[ \t]*(?:#[^\n]*)?\n)*[rRuU]?(?:\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)''')"
)
_NEAR = 3
"""Statements above the call in which a model or tensor goes; `gc.collect()` may stand between."""
_FREES_FOR_OTHERS = compile_lazily(
    r"save|state_dict|gather|(?:sync|update)_\w*weights|generate|rollout"
    r"|offload|onload|unload|sleep|wake_up|reset_(?:peak|max)_memory"
)
_SETS_ALLOCATOR = compile_lazily(r"\bPYTORCH_(?:CUDA_|HIP_)?ALLOC_CONF\b")


def frees_for_others(found: InStep, source: Source) -> bool:
    """Memory that somebody else needs: beside saving, offloading, generation, rollouts.

    Written for LAION-AI/Open-Assistant, notebooks/detoxify-evaluation/detoxify-evaluation.ipynb.
    """
    call = found.call
    around = (*names_called_before(call, source), *names_called_after(call, source))
    return any(_FREES_FOR_OTHERS.search(name) for name in around)


def is_beside_micro_batches(found: InStep, source: Source) -> bool:
    """Calls beside a loop over micro-batches: once for many passes, they cost next to nothing."""
    del source
    loops = (each for each in own_nodes(found.step.node) if isinstance(each, (cst.For, cst.While)))
    return any(last_name(call.func) == "backward" for loop in loops for call in calls_in(loop))


def follows_release(found: InStep, source: Source) -> bool:
    """Memory that has just been released: below `model.to("cpu")` or `del logits`."""
    return any(map(_releases, neighbours(found.call, source)[0][-_NEAR:]))


def says_why(found: InStep, source: Source) -> bool:
    """Calls with a comment or a docstring that gives a reason, other than fragmentation.

    The comment may also be above the `if` that asks whether there is a GPU.
    """
    comments = _comments_above(found.call, source)
    given = (each for each in comments if not _MISTAKEN.search(each))
    return any(map(gives_reason, given)) or any(
        "empty_cache" in each for each in _docstrings(found, source)
    )


def speaks_of_memory(found: InStep, source: Source) -> bool:
    """Calls with a comment that speaks of the memory, or that is not in English."""
    return any(
        _OF_MEMORY.search(each) and not _RESTATES.fullmatch(each)
        for each in _comments_above(found.call, source)
    )


def is_short_of_memory(found: InStep, source: Source) -> bool:
    """Programs that fight for memory: they set up the allocator, or the loop collects garbage."""
    if _SETS_ALLOCATOR.search(source.text) is not None:
        return True
    collects = (each for each in calls_in(whole_step(found, source)) if _collects(each, source))
    return next(collects, None) is not None


class EmptyCacheInTrainingLoop(PythonRule["cst.Call"]):
    """``torch.cuda.empty_cache()`` runs on every training step.

    ## Why it matters
    PyTorch keeps freed memory to hand it out again. Emptying that cache on every step gives it
    back to the driver, which waits for the GPU, and the next step allocates all of it again with
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
    on = calls(*_CALLS, suspects=calls_in_steps(_WHERE, *_CALLS))
    severity = "warning"
    skips = frozenset({"test", "benchmark"})

    excuses = (
        *STEP_EXCUSES,
        frees_for_others,
        follows_release,
        says_why,
    )
    doubts = (speaks_of_memory, is_short_of_memory, is_rollout, is_beside_micro_batches)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find cache clearing on every step that frees memory for nobody else, once a loop."""
        found = in_step(node, source)
        empties = found is not None and _empties_cache(node, source)
        severity = self.severity_of(found, source) if found is not None and empties else None
        if found is None or severity is None:
            return
        step = "every training step" if severity == "note" else found.step.described
        message = f"`{text_of_function(node, source)}()` runs on {step}"
        help = (
            "Delete it: the next step allocates the memory again, with slow driver calls. "
            "Empty the cache once per epoch or after an out-of-memory error, if at all."
        )
        line = source.span(whole_step(found, source)).line
        once = f"{self.code} {source.path} {line}"
        finding = self.finding(node, source, message, help=help, severity=severity)
        yield replace(finding, once=f"{once} {severity}")


def _empties_cache(node: cst.Call, source: Source) -> bool:
    if device_function(node, source, "empty_cache") is not None:
        return True
    return isinstance(node.func, cst.Name) and bool(
        _IMPORTED.fullmatch(source.resolve(node.func) or "")
    )


def _collects(call: cst.Call, source: Source) -> bool:
    return source.resolve(call.func) == "gc.collect"


def _releases(statement: cst.CSTNode) -> bool:
    """Check whether a statement deletes something, or moves a module to the CPU in place."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return isinstance(statement, cst.Del)
    for each in statement.body:
        if isinstance(each, cst.Del):
            return True
        if isinstance(each, cst.Expr) and isinstance(each.value, cst.Call):
            call = each.value
            to_cpu = string_value(argument(call, 0, "device")) == "cpu"
            if last_name(call.func) == "cpu" or (last_name(call.func) == "to" and to_cpu):
                return True
    return False


def _comments_above(call: cst.Call, source: Source) -> Iterator[str]:
    """Yield the comments above a call, its neighbours, or the `if` that it stands in."""
    blocks = (cst.If, cst.For, cst.While, cst.FunctionDef, cst.With, cst.Try)
    around = next(each for each in source.ancestors(call) if isinstance(each, blocks))
    above = neighbours(call, source)[0][-_NEAR:]
    first = around if isinstance(around, cst.If) else above[0] if above else around.body
    line = source.span(first).line
    own_lines = {each.line for each in source.comments if each.own_line}
    while line - 1 in own_lines:
        line -= 1
    here = source.span(call).line
    yield from (each.body for each in source.comments if line <= each.line <= here)


def _docstrings(found: InStep, source: Source) -> Iterator[str]:
    """Yield the docstrings of the file and of the functions and classes around a call."""
    top = _DOCSTRING.match(source.code)
    if top is not None:
        yield top[0]
    for above in source.ancestors(found.call):
        if isinstance(above, (cst.FunctionDef, cst.ClassDef)):
            yield above.get_docstring() or ""
