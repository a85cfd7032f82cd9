"""ROC507, loss-keeps-graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    Fix,
    PythonRule,
    calls_in,
    compile_lazily,
    dotted_text,
    fitted,
    last_name,
    nodes,
    walk,
)

from ._loop import own_nodes, trains, updates_by
from ._losses import backward_passes, goes_back, losses_of, root_of, tensors_in

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.rule import Binding, Finding, Source

_TORCH = compile_lazily(r"\btorch\b")
_WITHOUT_GRAPH = compile_lazily(
    r"\b(?:no_grad|inference_mode|set_grad_enabled[\s\\]*\([\s\\]*False)"
)
_GRAPH_OPTIONS = frozenset({"retain_graph", "create_graph"})
_LETS_GO = frozenset({"clear", "detach_", "zero_", "fill_", "copy_", "pop", "popleft", "reset"})
_MAKES_NUMBER = frozenset({"zeros", "tensor", "zeros_like", "scalar_tensor"})
_MAKES_CONTAINER = frozenset({"list", "dict", "defaultdict", "OrderedDict"})


_TAKES_IN = compile_lazily(
    r"\+=|\bappend(?=[\s\\)]*[(#])|(?P<total>[\w.]+)[\s\\]*=[\s\\]*(?P=total)[\s\\]*\+"
)


def _taking_in(source: Source) -> Iterator[re.Match[str]]:
    """Find where a sum or a list takes something in."""
    return _TAKES_IN.finditer(source.text if goes_back(source.text) else "")


class Kept(NamedTuple):
    """A loss that a sum or a list from outside of the loop takes in on every iteration."""

    node: cst.AugAssign | cst.Assign | cst.Call
    value: cst.BaseExpression
    """What is taken in: ``loss * weight``."""
    loss: cst.BaseExpression
    total: cst.BaseExpression
    loop: cst.For | cst.While
    """The training loop: each of its iterations is a step."""


def is_without_graph(kept: Kept, source: Source) -> bool:
    """Sums and lists under `torch.no_grad()`."""
    blocks = (each for each in source.ancestors(kept.node) if isinstance(each, cst.With))
    items = (item.item for each in blocks for item in each.items)
    return any(_WITHOUT_GRAPH.search(source.text_of(each)) for each in items)


def is_needed_again(kept: Kept, source: Source) -> bool:
    """Graphs that are used again: `retain_graph=True`, or a backward pass from the sum."""
    around = source.function(kept.node) or kept.loop
    sums = {last_name(_holder(kept.total)) or ""}
    for each in walk(around):
        if isinstance(each, cst.Assign) and sums & _names_in(each.value):
            sums |= _names_in(each.targets[0].target)
    for call in backward_passes(around):
        options = {each.keyword.value for each in call.args if each.keyword is not None}
        if options & _GRAPH_OPTIONS or sums & _names_in(call):
            return True
    return False


def starts_over(kept: Kept, source: Source) -> bool:
    """Sums and lists that start over: after a hundred steps, or in each around micro-batches."""
    outer = (each for each in source.ancestors(kept.loop) if isinstance(each, (cst.For, cst.While)))
    steps = [kept.loop, *(each for each in outer if any(map(updates_by, own_nodes(each))))]
    beginnings = [each.node for each in _beginnings(kept.total, source)]
    if any(_is_within(each, step, source) for step in steps for each in beginnings):
        return True
    named = {dotted_text(_holder(kept.total)) or "", dotted_text(kept.loss)}
    return any(
        last_name(call.func) in _LETS_GO and _owner_text(call) in named
        for call in calls_in(kept.loop)
    )


class LossKeepsGraph(PythonRule["cst.AugAssign | cst.Assign | cst.Call"]):
    """Loss is summed or collected together with its autograd graph.

    ## Why it matters
    A loss holds on to the graph that computed it. ``total += loss`` makes the sum a part of that
    graph, so that no iteration's graph can be freed before the sum is: memory grows with every
    step. The backward pass frees the activations that PyTorch saved, but neither the nodes of
    the graph nor what custom functions, such as those of attention kernels, keep by themselves.

    ## Example
    ```python
    import torch

    def train(model, optimizer, loader):
        total = 0.0
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            total += loss
        return total / len(loader)
    ```

    ## Use instead
    ``.detach()`` leaves the graph behind and, unlike ``.item()``, does not wait for the GPU.
    ```python
    import torch

    def train(model, optimizer, loader):
        total = 0.0
        for batch in loader:
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        return total / len(loader)
    ```

    ## Fix safety
    Safe: the graph that ``.detach()`` leaves behind is used up by the backward pass, and the value
    is the same.

    ## References
    - https://docs.pytorch.org/docs/stable/notes/faq.html
    - https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
    """

    code = "ROC507"
    name = "loss-keeps-graph"
    since = "0.1.0"
    preview = True
    on = nodes(
        "AugAssign",
        "Assign",
        "Call",
        words=("backward",),
        suspects=_taking_in,
        described="sums and calls of `append` in files with a backward pass",
    )
    severity = "warning"
    skips = frozenset({"test"})
    excuses = (is_without_graph, is_needed_again, starts_over)

    def check(
        self, node: cst.AugAssign | cst.Assign | cst.Call, source: Source
    ) -> Iterator[Finding]:
        """Find losses that a sum or list outside of the training loop keeps."""
        kept = _kept(node, source)
        if kept is None or self.is_excused(kept, source):
            return
        loss, total = source.text_of(kept.loss), source.text_of(kept.total)
        collected = "appended" if isinstance(node, cst.Call) else "added"
        message = fitted(
            "`{}` keeps the graph of every iteration: `{}` is {collected} with its history",
            total,
            loss,
            collected=collected,
        )
        help = fitted(
            "Use `.detach()`, which does not wait for the GPU as `.item()` does. "
            "As it is, memory grows until `{}` is freed.",
            total,
            most=200,
        )
        yield self.finding(kept.value, source, message, help=help, fix=_detach(kept, source))


def _kept(node: cst.AugAssign | cst.Assign | cst.Call, source: Source) -> Kept | None:
    """Return the loss of a training step that a statement keeps, if it is certain to be one."""
    taken = _taken(node)
    loop = None if taken is None else _training_loop(node, source)
    if taken is None or loop is None or not _TORCH.search(source.code):
        return None
    total, value = taken
    if not _begins_empty(total, loop, source):
        return None
    losses = [each for each in tensors_in(value) if _is_loss(each, node, loop, source)]
    return Kept(node, value, losses[0], total, loop) if losses else None


def _taken(
    node: cst.AugAssign | cst.Assign | cst.Call,
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """Return a sum or list, and what a statement takes into it."""
    if isinstance(node, cst.AugAssign):
        adds = isinstance(node.operator, cst.AddAssign)
        return (node.target, node.value) if adds else None
    if isinstance(node, cst.Call):
        one = last_name(node.func) == "append" and len(node.args) == 1 and not node.args[0].star
        owner = node.func.value if isinstance(node.func, cst.Attribute) else None
        return (owner, node.args[0].value) if owner is not None and one else None
    target, value = node.targets[0].target, node.value
    if not isinstance(value, cst.BinaryOperation) or not isinstance(value.operator, cst.Add):
        return None
    return (value.left, value.right) if target.deep_equals(value.left) else None


def _training_loop(node: cst.CSTNode, source: Source) -> cst.For | cst.While | None:
    """Return the innermost loop around a node whose every iteration is a training step."""
    for above in source.ancestors(node):
        if isinstance(above, (cst.For, cst.While)) and trains(above, source):
            return above
        if isinstance(above, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            return None
    return None


def _is_loss(
    loss: cst.BaseExpression, node: cst.CSTNode, loop: cst.CSTNode, source: Source
) -> bool:
    """Check whether a backward pass of the loop starts from an expression, as it is at a node."""
    root = root_of(loss)
    made = [each.node for each in source.bindings(root, node)] if root is not None else []
    made = [each for each in made if _is_within(each, loop, source)]
    if not made:
        return False
    text = source.text_of(loss)
    return any(
        source.text_of(each) == text and not _is_remade(loss, made, (node, call), source)
        for call in backward_passes(loop)
        for each in losses_of(call)
    )


def _is_remade(
    loss: cst.BaseExpression,
    made: list[cst.CSTNode],
    places: tuple[cst.CSTNode, cst.CSTNode],
    source: Source,
) -> bool:
    """Check whether a name stands for something else at one place than at another.

    It does not after ``loss = loss / steps`` or ``loss *= steps``.
    """
    first, last = sorted(source.span(each)[:2] for each in places)
    between = (each for each in made if first < source.span(each)[:2] < last)
    for each in between:
        value = each.value if isinstance(each, cst.Assign) else None
        kept = value is not None and any(part.deep_equals(loss) for part in tensors_in(value))
        if not kept and not isinstance(each, cst.AugAssign):
            return True
    return False


def _begins_empty(total: cst.BaseExpression, loop: cst.CSTNode, source: Source) -> bool:
    """Check whether a sum begins at zero before a loop, or a list empty."""
    if isinstance(_holder(total), cst.Attribute):
        return True
    before = [e for e in _beginnings(total, source) if not _is_within(e.node, loop, source)]
    return bool(before) and all(_is_zero_or_empty(each.value) for each in before)


def _is_zero_or_empty(value: cst.BaseExpression | None) -> bool:
    """Check for ``0``, ``[]``, ``torch.zeros(1).to(device)`` and their like."""
    if isinstance(value, cst.Call):
        while isinstance(value.func, cst.Attribute) and isinstance(value.func.value, cst.Call):
            value = value.func.value
        return last_name(value.func) in _MAKES_NUMBER | _MAKES_CONTAINER
    if isinstance(value, cst.BinaryOperation):
        return _is_zero_or_empty(value.left)
    return isinstance(
        value, (cst.Integer, cst.Float, cst.List, cst.ListComp, cst.Dict, cst.DictComp)
    )


def _beginnings(total: cst.BaseExpression, source: Source) -> list[Binding]:
    """Return what a sum or list starts as: its bindings, without those that add to it."""
    name = dotted_text(_holder(total))
    found = [] if name is None else source.bindings(name, total)
    return [each for each in found if not _adds(each.node)]


def _adds(node: cst.CSTNode) -> bool:
    return isinstance(node, (cst.AugAssign, cst.Assign)) and _taken(node) is not None


def _holder(total: cst.BaseExpression) -> cst.BaseExpression:
    """Return ``totals`` for ``totals["loss"]``."""
    while isinstance(total, cst.Subscript):
        total = total.value
    return total


def _owner_text(call: cst.Call) -> str | None:
    return dotted_text(call.func.value) if isinstance(call.func, cst.Attribute) else None


def _names_in(node: cst.CSTNode) -> set[str]:
    return {each.value for each in walk(node) if isinstance(each, cst.Name)}


def _is_within(node: cst.CSTNode, loop: cst.CSTNode, source: Source) -> bool:
    return node is loop or any(above is loop for above in source.ancestors(node))


def _detach(kept: Kept, source: Source) -> Fix:
    text = source.text_of(kept.value)
    text = f"({text})" if isinstance(kept.value, cst.BinaryOperation) else text
    edit = source.replace(kept.value, f"{text}.detach()")
    return Fix("Add the loss without its graph", (edit,), safe=True)
