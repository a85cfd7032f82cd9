"""ROC505, gradients-not-cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    calls,
    calls_in,
    compile_lazily,
    dotted_text,
    fitted,
    last_name,
)
from rocmlint.rule.spelling import matches_at, where_called
from rocmlint.text.headers import headers_above

from ._loop import NO_UPDATES
from ._losses import backward_passes
from ._optimizers import clearings, is_optimizer

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_KNOWN = frozenset({"step", "unscale_"})
"""What is called with an optimizer and leaves its gradients as they are."""
_RANDOM = frozenset({"torch.rand", "torch.randn", "torch.randint"})


_STEP = compile_lazily(rf"{where_called(('step',))}|step[ \t]+as\b")
_OWNER = compile_lazily(r"(\w+)[\s\\]*\.[\s\\]*\Z")
_ARGUMENT = compile_lazily(r"[\s\\]*\([\s\\]*(?:\w+\.)*(\w+)[\s\\]*[,)]")
_NEAR = 200


class Update(NamedTuple):
    """An update of weights in a loop with a backward pass."""

    call: cst.Call
    optimizer: cst.BaseExpression
    loop: cst.For | cst.While


def is_handed_on(update: Update, source: Source) -> bool:
    """Optimizers that the loop passes to another function, which may clear the gradients."""
    del source
    name = dotted_text(update.optimizer)
    return any(
        dotted_text(each.value) == name
        for call in calls_in(update.loop)
        if last_name(call.func) not in _KNOWN
        for each in call.args
    )


def is_made_in_loop(update: Update, source: Source) -> bool:
    """Optimizers that the loop makes on every iteration."""
    made = source.bindings(dotted_text(update.optimizer) or "", update.call)
    return any(update.loop in source.ancestors(each.node) for each in made)


def is_cleared(update: Update, source: Source) -> bool:
    """Optimizers whose gradients the file clears, or may clear: also `p.grad = None`.

    Gradients of other optimizers do not count, nor does one call before the loop.
    """
    name = last_name(update.optimizer)
    return any(
        not _is_before_loop(each.line, update, source)
        if each.owner == name
        else not _is_of_other(each.owner, update, source)
        for each in clearings(source)
    )


def is_on_random_numbers(update: Update, source: Source) -> bool:
    """Loops over a `range` that make their input with `torch.rand`: demonstrations and tests."""
    counted = update.loop.iter if isinstance(update.loop, cst.For) else None
    if not isinstance(counted, cst.Call) or last_name(counted.func) != "range":
        return False
    return any(source.resolve(call.func) in _RANDOM for call in calls_in(update.loop))


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find calls of `step` in loops, without those whose gradients the text shows to be cleared."""
    for step in matches_at("step", _STEP, source.code):
        if step[0] != "step" or _may_accumulate(step, source):
            yield step


def _may_accumulate(step: re.Match[str], source: Source) -> bool:
    """Check whether a step may be in a loop that does not clear the gradients."""
    kinds = ("for", "while", "def", "class", "")
    above = headers_above(source.code, step.start())
    loop = next((each for each in above if each.keyword in kinds), None)
    if loop is None or loop.keyword in {"def", "class"}:
        return False
    owner = _OWNER.search(source.code[max(0, step.start() - _NEAR) : step.start()])
    if owner is None or not loop.keyword:
        return True
    if NO_UPDATES.match(owner[1]):
        return False
    argument = _ARGUMENT.match(source.code, step.end())
    name = owner[1] if not owner[1].endswith("scaler") else argument and argument[1]
    if name is None or source.kept_back is not None:
        return True
    begin = source.line_of(loop.start)
    return not any(
        not each.owner or (each.owner == name and each.line > begin) for each in clearings(source)
    )


class GradientsNotCleared(PythonRule["cst.Call"]):
    """Training loop never clears the gradients of its optimizer.

    ## Why it matters
    ``backward()`` adds to the gradients that are there. Without ``zero_grad()`` each step
    updates the weights with the sum of all gradients since the start of the loop: training
    diverges, or converges to something else, without an error.

    ## Example
    ```python
    import torch

    def train(model, loader):
        optimizer = torch.optim.AdamW(model.parameters())
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch

    def train(model, loader):
        optimizer = torch.optim.AdamW(model.parameters())
        for batch in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    - https://docs.pytorch.org/tutorials/recipes/recipes/zeroing_out_gradients.html
    """

    code = "ROC505"
    name = "gradients-not-cleared"
    since = "0.1.0"
    on = calls("step", words=("backward",), suspects=_suspects)
    skips = frozenset({"test", "benchmark"})
    excuses = (is_handed_on, is_made_in_loop, is_cleared)
    doubts = (is_on_random_numbers,)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find updates in loops with a backward pass whose gradients nothing clears."""
        update = _update(node, source)
        severity = None if update is None else self.severity_of(update, source)
        if update is None or severity is None:
            return
        name = source.text_of(update.optimizer)
        line = source.named_line(source.span(update.loop).line)
        message = fitted(
            "Nothing in the loop on {line} clears the gradients of `{}`", name, line=line
        )
        help = fitted(
            "Call `{}.zero_grad()` on every iteration, before the backward pass or after the step. "
            "As it is, gradients add up over the whole loop.",
            name,
            most=220,
        )
        yield self.finding(node, source, message, help=help, severity=severity)


def _update(call: cst.Call, source: Source) -> Update | None:
    """Return the update that a call makes in a loop with a backward pass."""
    optimizer = _stepped(call)
    loop = None if optimizer is None else _loop(call, source)
    name = None if optimizer is None else dotted_text(optimizer)
    if optimizer is None or loop is None or name is None:
        return None
    passes = any(source.function(each) is source.function(call) for each in backward_passes(loop))
    # Last, as it looks at the whole class.
    return Update(call, optimizer, loop) if passes and is_optimizer(name, call, source) else None


def _stepped(call: cst.Call) -> cst.BaseExpression | None:
    """Return the optimizer of ``optimizer.step()`` or ``scaler.step(optimizer)``."""
    owner = last_name(call.func.value) if isinstance(call.func, cst.Attribute) else None
    if not isinstance(call.func, cst.Attribute) or NO_UPDATES.match(owner or ""):
        return None
    if (owner or "").endswith("scaler"):
        return call.args[0].value if call.args else None
    return None if call.args else call.func.value


def _loop(call: cst.Call, source: Source) -> cst.For | cst.While | None:
    """Return the innermost loop around a call, in the same function."""
    for above in source.ancestors(call):
        if isinstance(above, (cst.For, cst.While)):
            return above
        if isinstance(above, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            return None
    return None


def _is_before_loop(line: int, update: Update, source: Source) -> bool:
    """Check whether a line is above the outermost loop around an update, in its function."""
    function = source.function(update.call)
    first = 1 if function is None else source.span(function).line
    around = [update.loop, *source.ancestors(update.loop)]
    outermost = [each for each in around if isinstance(each, (cst.For, cst.While))][-1]
    return first <= line < source.span(outermost).line


def _is_of_other(owner: str, update: Update, source: Source) -> bool:
    """Check whether a name is another optimizer than that of an update."""
    return owner != "" and is_optimizer(owner, update.call, source)
