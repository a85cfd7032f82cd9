"""ROC502, barrier-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    calls,
    calls_in,
    compile_lazily,
    defined_elsewhere,
    last_name,
    statements,
)

from ._deepspeed import engine_of, message_of_engine
from ._loop import (
    STEP_EXCUSES,
    InStep,
    asks_machine,
    calls_in_steps,
    in_step,
    it_and,
    neighbours,
    whole_step,
)
from ._waiting import names_called_before, text_of_function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Severity, Source

_HOPS = 3
"""How many functions and re-exports are followed."""
_OWNERS = {"wait_for_everyone": "accelerator", "block_all": "coordinator"}
"""Methods that are barriers, and what their objects are called."""
_FUNCTIONS = compile_lazily(r"torch\.distributed\.(?:monitored_)?barrier|deepspeed\.comm\.barrier")
_ASKS_ONLY = compile_lazily(r"(?:is|get|current)_\w+|device")
_RANKS = compile_lazily(
    r"(?i)(?:\w+_)?rank(?:_?0|_zero)?|(?:is_)?(?:\w+_)?(?:main|master)(?:_process|_rank)?"
)
_NEEDS_ALL_RANKS = compile_lazily(
    r"save|(?<!up)(?<!down)load|state_dict|gather|scatter|broadcast|reduce|send|recv"
    r"|(?:sync|update|transfer)_\w*weights|generate|rollout|offload|sleep|wake_up|destroy"
)
_VALIDATES = compile_lazily(r"validat|evaluat|(?:^|_)eval_")
# Kernels are full of `arch.barrier()`, which is about the threads of one GPU; and
# `torch.cuda.synchronize()` is about one GPU too, but `synchronize()` may be a barrier.
_BEGINS = ("barrier", "synchronize", *_OWNERS)
_WHERE = r"barrier\b(?<!arch\.barrier)|wait_for_everyone\b|block_all\b|(?<!\.)\bsynchronize\b"


def prepares_ranks(found: InStep, source: Source) -> bool:
    """Barriers before what all ranks must have reached on every step: collectives, rollouts."""
    names = (
        last_name(call.func) or ""
        for statement in neighbours(found.call, source)[1][:2]
        for call in _calls_on_every_step(statement)
    )
    return any(map(_NEEDS_ALL_RANKS.search, names))


def follows_validation(found: InStep, source: Source) -> bool:
    """Barriers after validation, which takes some ranks longer than the watchdog waits."""
    return any(map(_VALIDATES.search, names_called_before(found.call, source)))


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
    on = calls(
        *("barrier", "monitored_barrier", "synchronize", *_OWNERS),
        where=_WHERE,
        begins=_BEGINS,
        suspects=calls_in_steps(compile_lazily(_WHERE), *_BEGINS),
    )
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
        found = in_step(node, source) if _is_barrier(node, source) else None
        return None if found is None or self.is_excused(found, source) else found


def _is_barrier(call: cst.Call, source: Source, hops: int = _HOPS) -> bool:
    """Check whether a call is a barrier of all ranks and nothing else."""
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _OWNERS:
        return last_name(call.func.value) == _OWNERS[call.func.attr.value]
    dotted = source.resolve(call.func)
    if dotted is not None and _FUNCTIONS.fullmatch(dotted):
        return True
    if isinstance(call.func, cst.Name) and source.definition(call.func.value) is not None:
        return _only_waits(call.func.value, source, hops)
    return dotted is not None and _is_wrapper(dotted, source, hops)


def _calls_on_every_step(node: cst.CSTNode) -> Iterator[cst.Call]:
    """Yield the calls in a statement that no condition stands around but one on the rank."""
    if isinstance(node, (cst.For, cst.While)) or (
        isinstance(node, cst.If) and not _asks_rank(node.test)
    ):
        return
    if not isinstance(node, (cst.If, cst.With, cst.Try)):
        yield from calls_in(node)
        return
    if isinstance(node, cst.With):
        yield from (call for item in node.items for call in calls_in(item))
    for statement in statements(node.body):
        yield from _calls_on_every_step(statement)


def _asks_rank(test: cst.BaseExpression) -> bool:
    """Check whether a condition is about the rank or the machine only."""
    if isinstance(test, cst.UnaryOperation):
        return _asks_rank(test.expression)
    if isinstance(test, cst.BooleanOperation):
        return _asks_rank(test.left) and _asks_rank(test.right)
    if asks_machine(test):
        return True
    asked = test.left if isinstance(test, cst.Comparison) else test
    asked = asked.func if isinstance(asked, cst.Call) else asked
    return _RANKS.fullmatch(last_name(asked) or "") is not None


def _is_wrapper(dotted: str, source: Source, hops: int) -> bool:
    """Check whether a name that is imported from the project is a function that only waits."""
    found = defined_elsewhere(dotted, source, hops)
    return found is not None and _only_waits(found.name, found.source, found.hops)


def _only_waits(name: str, source: Source, hops: int) -> bool:
    """Check whether a function of a file meets the other ranks and does nothing else."""
    function = source.definition(name)
    if not isinstance(function, cst.FunctionDef) or not hops:
        return False
    called = [each for each in calls_in(function) if not _only_asks(each)]
    return bool(called) and all(_is_barrier(each, source, hops - 1) for each in called)


def _only_asks(call: cst.Call) -> bool:
    return _ASKS_ONLY.fullmatch(last_name(call.func) or "") is not None
