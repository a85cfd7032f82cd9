"""ROC501, sync-in-training-loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    calls,
    calls_in,
    children,
    compile_lazily,
    fitted,
    is_explained_beside,
    last_name,
    once_per_file,
)

from ._deepspeed import engine_of, message_of_engine
from ._loop import STEP_EXCUSES, InStep, asks_machine, in_step, it_and, trains_by, whole_step
from ._waiting import (
    READ_EVENTS_LATER,
    delete_waits,
    device_function,
    is_measured_by_clock,
    is_measured_by_events,
    is_needed_by_copy,
    loop_inside,
    text_of_function,
    unconditional_calls,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.rule import Finding, Severity, Source

_READS = frozenset({"item", "tolist", "cpu", "numpy", "get_scale", "synchronize"})
"""Methods that wait for the device."""
_SHOWS = frozenset({"float", "print"})
_FORWARDS = compile_lazily(
    r"(?i)(?!(?:un\w+|get|load|save|import|create|build|make|set|init|prepare|update)_)"
    r"(?:\w*_)?(?:model|net|network|module|engine|backbone|encoder|decoder|criterion"
    r"|generator|discriminator|forward|compute_loss|loss_(?:fn|func))(?:_?\d)?$"
)
"""What a forward pass is called."""


def is_waited_for_anyway(found: InStep, source: Source) -> bool:
    """Waits beside `.item()` or its like, which waits as long, unless work is queued between.

    That is after it, or before it, be it at the end of the iteration before. Where the step reads a
    clock, the wait was meant for that, and behind another it does nothing.
    """
    before, after = _around(found, source)
    if _first_waits(_in_order(after)):
        return True
    last = _first_waits(reversed(list(_in_order(before))))
    return last is True and not is_measured_by_clock(found, source)


_MEANT = (is_measured_by_clock, is_measured_by_events, is_waited_for_anyway)


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
        is_explained,
    )
    doubts = _MEANT

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find waits for the device on every step; several are one finding, at the first."""
        found = _waiting(node, source)
        loop = None if found is None else loop_inside(found, source)
        needless = [] if found is None else self._needless(whole_step(found, source), loop, source)
        if found is None or not needless or node is not needless[0].call:
            return
        severity = self.severity_of(found, source)
        others = [each.call for each in needless[1:]]
        function = text_of_function(node, source)
        message = f"`{function}()` runs on {found.step.described}"
        if loop is not None:
            line = source.named_line(source.span(loop).line)
            message = fitted(
                "`{function}()` runs in the loop in {line} on {}",
                found.step.described,
                function=function,
                line=line,
            )
        guard = ", or guard it with `if step % n == 0:`" if loop is None else ""
        help = (
            f"Delete {it_and(others, source)}{guard}. "
            "The host waits for the GPU and queues nothing meanwhile, so the GPU idles."
        )
        if severity == "note":
            message = f"`{function}()` runs on every training step"
            help = self._help_of_note(found, source)
            yield self.finding(node, source, message, help=help, severity=severity)
            return
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
        if is_measured_by_events(found, source):
            return READ_EVENTS_LATER
        if is_waited_for_anyway(found, source):
            return "Delete it: the value that is read next to it makes the host wait all the same."
        return (
            "Wait only in the steps that are measured (`if step % n == 0:`). "
            "The host queues nothing meanwhile, so the wait slows down what it measures."
        )

    def _needless(
        self, whole: cst.CSTNode, loop: cst.CSTNode | None, source: Source
    ) -> Sequence[InStep]:
        """Return the waits of a step that nothing needs, from the first on, in the same loop.

        Where all of them may be meant, these are all.
        """
        tiers = _tiers(self, whole, source)
        alike = [each for each in tiers if loop_inside(each, source) is loop]
        return [each for each in alike if tiers[each] == self.severity] or alike


@once_per_file
def _tiers(rule: SyncInTrainingLoop, whole: cst.CSTNode, source: Source) -> dict[InStep, Severity]:
    """Return the waits of a step that are not excused, in order, each with its severity."""
    waits = (_waiting(each, source) for each in calls_in(whole))
    found = sorted(filter(None, waits), key=lambda each: source.span(each.call))
    tiers = {each: rule.severity_of(each, source) for each in found}
    return {each: tier for each, tier in tiers.items() if tier is not None}


@once_per_file
def _waiting(node: cst.Call, source: Source) -> InStep | None:
    """Return the step in which a call waits for the device."""
    found = in_step(node, source)
    waits = found is not None and device_function(node, source, "synchronize") is not None
    return found if waits else None


def _around(found: InStep, source: Source) -> tuple[list[cst.CSTNode], list[cst.CSTNode]]:
    """Return what runs before a call, and what runs after it in its iteration.

    Before an iteration of a loop comes another: what runs first is what runs after the call.
    """
    before: list[cst.CSTNode] = []
    after: list[cst.CSTNode] = []
    below: cst.CSTNode = found.call
    for above in source.ancestors(found.call):
        if isinstance(above, (cst.For, cst.While)):
            return after + before, after
        if isinstance(above, cst.FunctionDef):
            break
        if isinstance(above, (cst.IndentedBlock, cst.SimpleStatementLine)):
            index = next(index for index, each in enumerate(above.body) if each is below)
            before = [*above.body[:index], *before]
            after += above.body[index + 1 :]
        below = above
    return before, after


def _first_waits(nodes: Iterable[cst.CSTNode]) -> bool | None:
    """Return whether the first of these that does either waits or queues work; else None."""
    found = (_waits(node) for node in nodes)
    return next((waits for waits in found if waits is not None), None)


def _waits(node: cst.CSTNode) -> bool | None:
    """Return True where the host waits for a value last, False where work is queued, else None.

    What stands under a condition may wait, but not on every step.
    """
    if isinstance(node, cst.If):
        return False if any(map(_queues, calls_in(node))) else None
    for call in unconditional_calls(node):
        if _queues(call):
            return False
        if _reads(call):
            return True
    return None


def _in_order(nodes: Iterable[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Yield what runs one after the other: statements, and the tests of conditions."""
    for node in nodes:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.ExceptHandler)):
            continue
        if isinstance(node, cst.If):
            yield node.test
            if asks_machine(node.test):
                yield from _in_order(children(node.body))
            else:
                yield node
        elif isinstance(node, (cst.BaseCompoundStatement, cst.BaseSuite, cst.Else, cst.Finally)):
            yield from _in_order(children(node))
        else:
            yield node


def _queues(call: cst.Call) -> bool:
    """Check whether a call is a forward or backward pass or an update."""
    return trains_by(call) or _FORWARDS.match(last_name(call.func) or "") is not None


def _reads(call: cst.Call) -> bool:
    """Check whether a call gives the host a value of the device: ``.item()``, ``float(loss)``."""
    name = last_name(call.func)
    if isinstance(call.func, cst.Attribute):
        return name in _READS
    return name in _SHOWS and any(_shows_loss(each.value) for each in call.args)


def _shows_loss(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.FormattedString):
        parts = (each for each in value.parts if isinstance(each, cst.FormattedStringExpression))
        return any(_shows_loss(each.expression) for each in parts)
    return (last_name(value) or "").endswith("loss")
