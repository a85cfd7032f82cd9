"""ROC508, partition-cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import PythonRule, calls, compile_lazily, dotted_text, fitted

from ._deepspeed import is_engine
from ._loop import trains

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_EMPTIES = "empty_partition_cache"
_STAGE_3 = compile_lazily(r"[\"']stage[\"'][\s\\]*:[\s\\]*3\b")
_LOWER_STAGE = compile_lazily(r"[\"']stage[\"'][\s\\]*:[\s\\]*[012]\b")
_SHORT_OF_MEMORY = compile_lazily(r"\bempty_cache\b")


class EngineStep(NamedTuple):
    """A step of a DeepSpeed engine in a training loop."""

    call: cst.Call
    engine: str
    loop: cst.For | cst.While


def is_emptied(step: EngineStep, source: Source) -> bool:
    """Files that call `empty_partition_cache()`."""
    del step
    return _EMPTIES in source.code


def says_nothing_of_memory(step: EngineStep, source: Source) -> bool:
    """Files that neither set ZeRO's stage 3 nor, with no lower one, empty PyTorch's own cache.

    Below stage 3 parameters stay whole, and the call does nothing.
    """
    del step
    if _STAGE_3.search(source.text):
        return False
    return bool(_LOWER_STAGE.search(source.text)) or not _SHORT_OF_MEMORY.search(source.code)


class PartitionCache(PythonRule["cst.Call"]):
    """DeepSpeed training loop never empties ZeRO's partition cache.

    ## Why it matters
    ZeRO-3 keeps parameters on the GPU that it gathered for the last modules of a step, and
    small ones for as long as it runs. ``empty_partition_cache()`` gives that memory back, which
    helps where memory climbs from step to step, or runs out at the start of an epoch. Each call
    costs a pass of the garbage collector, and the next step gathers again.

    The rule is for projects that want the call in every training loop: select it by its name.

    ## Example
    ```python
    import deepspeed

    CONFIG = {"zero_optimization": {"stage": 3}}

    def train(model, loader):
        engine, *_ = deepspeed.initialize(model=model, config=CONFIG)
        for batch in loader:
            engine.backward(engine(batch))
            engine.step()
    ```

    ## Use instead
    Empty it at the end of each epoch, or of each step where memory is that short.
    ```python
    import deepspeed

    CONFIG = {"zero_optimization": {"stage": 3}}

    def train(model, loader):
        engine, *_ = deepspeed.initialize(model=model, config=CONFIG)
        for batch in loader:
            engine.backward(engine(batch))
            engine.step()
        engine.empty_partition_cache()
    ```

    ## References
    - https://deepspeed.readthedocs.io/en/latest/zero3.html
    """

    code = "ROC508"
    name = "partition-cache"
    since = "0.1.0"
    on = calls(
        "step", "train_batch", words=("deepspeed",), where=r"\.[\s\\]*(?:step|train_batch)\b"
    )
    severity = "warning"
    preview = True
    skips = frozenset({"test", "benchmark"})
    excuses = (is_emptied, says_nothing_of_memory)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find steps of engines in loops, in files that never empty the cache."""
        step = _engine_step(node, source)
        if step is None or self.is_excused(step, source):
            return
        message = fitted("Nothing empties the partition cache of the engine `{}`", step.engine)
        help = fitted(
            "Call `{}.empty_partition_cache()` at the end of the epoch, or of the step where "
            "memory climbs.",
            step.engine,
            most=200,
        )
        yield self.finding(node, source, message, help=help)


def _engine_step(call: cst.Call, source: Source) -> EngineStep | None:
    engine = dotted_text(call.func.value) if isinstance(call.func, cst.Attribute) else None
    if engine is None:
        return None
    loop = next(
        (
            each
            for each in source.ancestors(call)
            if isinstance(each, (cst.For, cst.While, cst.FunctionDef))
        ),
        None,
    )
    if not isinstance(loop, (cst.For, cst.While)) or not _is_training(loop, call, source):
        return None
    return EngineStep(call, engine, loop) if is_engine(engine, call, source) else None


def _is_training(loop: cst.For | cst.While, call: cst.Call, source: Source) -> bool:
    """Check for a loop with a backward pass, or a call that is both passes by itself."""
    return trains(loop, source) or bool(call.args)
