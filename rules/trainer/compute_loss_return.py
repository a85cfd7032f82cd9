"""ROC708, compute-loss-return."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, compile_lazily, conditions, definitions, walk

from ._trainers import is_method, trainer_classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_EVALUATES = ("prediction_step", "evaluation_loop", "prediction_loop", "evaluate")
_GIVEN_ON = compile_lazily(r"\breturn_outputs\b|\bsuper\s*\(|\*\s*args\b|\*\*\s*kwargs\b|\braise\b")


def is_evaluated_otherwise(node: cst.FunctionDef, source: Source) -> bool:
    """Classes that replace `prediction_step` or `evaluate`."""
    classes = trainer_classes(node, source)
    return any(own.method(name) is not None for own in classes for name in _EVALUATES)


def is_never_evaluated(node: cst.FunctionDef, source: Source) -> bool:
    """Projects in which nothing names an evaluation."""
    del node
    root = source.project.folders[-1]
    return not source.modules_with(
        root, (r"\beval_dataset\b|\bevaluat(?:e|ion)\b|\beval_(?:steps|strategy)\b",)
    )


def takes_no_evaluation_data(node: cst.FunctionDef, source: Source) -> bool:
    """Classes whose `__init__` takes all that Trainer gets, and nothing to evaluate on."""
    for own in trainer_classes(node, source):
        method = own.method("__init__")
        if method is None:
            continue
        names = [each.name.value for each in walk(method.params) if isinstance(each, cst.Param)]
        stars = (method.params.star_arg, method.params.star_kwarg)
        return not any(isinstance(each, cst.Param) for each in stars) and not any(
            "eval" in each or "valid" in each for each in names
        )
    return False


class ComputeLossReturn(PythonRule["cst.FunctionDef"]):
    """``compute_loss`` ignores ``return_outputs``.

    ## Why it matters
    Training uses what ``compute_loss`` returns as one scalar tensor; evaluation asks with
    ``return_outputs=True`` and unpacks a loss and outputs. An override that does not look at
    ``return_outputs`` trains, and is a ``TypeError`` at the first evaluation (`iteration over a
    0-d tensor`), or the other way round. One that returns ``None`` for the outputs is a
    ``TypeError`` too: evaluation takes a slice of outputs that are no dictionary, even where it
    wants nothing but the loss.

    ## Example
    ```python
    from transformers import Trainer

    class ScaledTrainer(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
            return 0.5 * model(**inputs).loss

    ScaledTrainer(model, eval_dataset=pairs).train()
    ```

    ## Use instead
    ```python
    from transformers import Trainer

    class ScaledTrainer(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
            outputs = model(**inputs)
            loss = 0.5 * outputs.loss
            return (loss, outputs) if return_outputs else loss

    ScaledTrainer(model, eval_dataset=pairs).train()
    ```

    ## References
    - https://huggingface.co/docs/transformers/main_classes/trainer
    """

    code = "ROC708"
    name = "compute-loss-return"
    since = "0.1.0"
    severity = "note"
    skips = frozenset({"test"})
    on = definitions("compute_loss")
    excuses = (is_evaluated_otherwise, takes_no_evaluation_data, is_never_evaluated)

    def check(self, node: cst.FunctionDef, source: Source) -> Iterator[Finding]:
        """Find overrides that do not look at `return_outputs`, or have no outputs to return."""
        if not is_method(node, source):
            return
        nothing = next((each for each in walk(node.body) if _returns_none(each, source)), None)
        if nothing is not None:
            if trainer_classes(node, source) and not self.is_excused(node, source):
                message = "`compute_loss` returns None for the outputs, which evaluation slices"
                help = "Return the model's outputs, or a dictionary, or replace `prediction_step`."
                yield self.finding(nothing, source, message, help=help)
            return
        if _GIVEN_ON.search(source.text_of(node.body)):
            return
        if not any(isinstance(each, cst.Return) and each.value for each in walk(node.body)):
            return
        if not trainer_classes(node, source) or self.is_excused(node, source):
            return
        message = "`compute_loss` ignores `return_outputs`, with which it is called to evaluate"
        help = "Return `(loss, outputs)` if `return_outputs` is true; otherwise return the loss."
        yield self.finding(node.name, source, message, help=help)


def _returns_none(node: cst.CSTNode, source: Source) -> bool:
    """Return whether a statement is like `return (loss, None) if return_outputs else loss`."""
    if not isinstance(node, cst.Return):
        return False
    value = node.value
    tests = [source.text_of(each.test) for each in conditions(node, source)]
    if isinstance(value, cst.IfExp):
        tests, value = [source.text_of(value.test)], value.body
    if tests != ["return_outputs"] or not isinstance(value, cst.Tuple) or len(value.elements) != 2:
        return False
    last = value.elements[1].value
    return isinstance(last, cst.Name) and last.value == "None"
