"""ROC702, tensor-in-log."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import (
    Fix,
    PythonRule,
    argument,
    calls,
    dotted_text,
    fitted,
    last_name,
    string_value,
)

from ._trainers import trainer_classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_TENSORS = ("torch.nn.functional.", "torch.nn.")
_OF_TORCH = frozenset(
    f"torch.{name}"
    for name in (
        *("abs", "cat", "exp", "log", "mean", "norm", "ones", "sqrt", "stack", "sum", "tensor"),
        *("zeros", "logsumexp", "sigmoid", "softmax", "log_softmax", "where", "clamp"),
    )
)
_MAKES_TENSORS = frozenset({"detach", "clone"})
_KEEPS_TENSORS = frozenset(
    {"abs", "cpu", "cuda", "exp", "float", "log", "max", "mean", "min", "norm", "sqrt", "sum", "to"}
)
_OUTPUTS = frozenset({"output", "outputs", "model_output", "model_outputs"})
_DEPTH = 4
"""How many names and operations are followed to what makes a tensor."""


class LoggedTensor(NamedTuple):
    """A tensor that is a value of the dictionary which `self.log` gets."""

    call: cst.Call
    key: str
    value: cst.BaseExpression


def is_converted(found: LoggedTensor, source: Source) -> bool:
    """Classes that override `log`: they may convert what they get."""
    return any(own.method("log") is not None for own in trainer_classes(found.call, source))


class TensorInLog(PythonRule["cst.Call"]):
    """Tensor is passed to ``Trainer.log``, but JSON cannot hold it.

    ## Why it matters
    ``Trainer.log`` appends its dictionary to ``state.log_history``. At the first checkpoint that
    becomes ``trainer_state.json``, and a tensor in it is ``TypeError: Object of type Tensor is not
    JSON serializable``: the run ends where it should have been saved. Until then each tensor
    keeps its memory on the GPU, and the graph behind it if it was not detached.

    ## Example
    ```python
    from transformers import Trainer

    class AuxiliaryTrainer(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
            outputs = model(**inputs)
            self.log({"caption_loss": outputs.loss.detach()})
            return (outputs.loss, outputs) if return_outputs else outputs.loss
    ```

    ## Use instead
    Push floats. ``.item()`` waits for the GPU, so do it every n steps only.
    ```python
    from transformers import Trainer

    class AuxiliaryTrainer(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
            outputs = model(**inputs)
            if self.state.global_step % 50 == 0:
                self.log({"caption_loss": outputs.loss.item()})
            return (outputs.loss, outputs) if return_outputs else outputs.loss
    ```

    ## Fix safety
    Unsafe: ``.item()`` is an error for a tensor with more than one element, and waits for the GPU.

    ## References
    - https://huggingface.co/docs/transformers/main_classes/trainer
    - https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html
    """

    code = "ROC702"
    name = "tensor-in-log"
    since = "0.1.0"
    on = calls(
        "log",
        words=("self.log(",),
        where=r"self[\s\\]*\.[\s\\]*log[\s\\]*\(",
        begins=("self",),
    )
    excuses = (is_converted,)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find tensors in what a Trainer logs."""
        if not isinstance(node.func, cst.Attribute) or dotted_text(node.func.value) != "self":
            return
        for found in _tensors(node, source) if trainer_classes(node, source) else ():
            if self.is_excused(found, source):
                continue
            message = fitted(
                "`self.log` gets a tensor for `{}`, which cannot be written as JSON", found.key
            )
            help = "Pass a float, such as `.item()`, and only every n steps: it waits for the GPU."
            yield self.finding(found.value, source, message, help=help, fix=_fix(found, source))


def _tensors(call: cst.Call, source: Source) -> Iterator[LoggedTensor]:
    given = argument(call, 0, "logs")
    if isinstance(given, cst.Name):
        given = source.value_of(given)
    for each in given.elements if isinstance(given, cst.Dict) else ():
        if isinstance(each, cst.DictElement) and _is_tensor(each.value, source, _DEPTH):
            key = string_value(each.key) or source.text_of(each.key)
            yield LoggedTensor(call, key, each.value)


def _is_tensor(node: cst.BaseExpression, source: Source, depth: int) -> bool:
    """Return whether an expression is certainly a tensor."""
    if not depth:
        return False
    if isinstance(node, cst.Name):
        found = source.bindings(node.value, node)
        values = [each.value for each in found if each.kind == "value" and each.value is not None]
        return len(values) == len(found) > 0 and all(
            _is_tensor(each, source, depth - 1) for each in values
        )
    if isinstance(node, cst.BinaryOperation):
        return any(_is_tensor(each, source, depth - 1) for each in (node.left, node.right))
    if isinstance(node, cst.Attribute):
        return node.attr.value in {"loss", "logits"} and dotted_text(node.value) in _OUTPUTS
    return isinstance(node, cst.Call) and _makes_tensor(node, source, depth)


def _makes_tensor(call: cst.Call, source: Source, depth: int) -> bool:
    dotted = source.resolve(call.func) or ""
    if dotted in _OF_TORCH or (dotted.startswith(_TENSORS[0]) and dotted.count(".") == 3):
        return True
    if isinstance(call.func, cst.Call):  # nn.CrossEntropyLoss()(logits, labels)
        return (source.resolve(call.func.func) or "").startswith(_TENSORS[1])
    name, function = last_name(call.func), call.func
    if not isinstance(function, cst.Attribute):
        return False
    if name in _MAKES_TENSORS:
        return True
    return name in _KEEPS_TENSORS and _is_tensor(function.value, source, depth - 1)


def _fix(found: LoggedTensor, source: Source) -> Fix | None:
    if isinstance(found.value, cst.BinaryOperation):
        return None
    edit = source.replace(found.value, f"{source.text_of(found.value)}.item()")
    return Fix("Log its value", (edit,))
