"""ROC701, compute-loss-contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, definitions

from ._overrides import Contract, fix, is_called_as_before, old_override, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_COMPUTE_LOSS = Contract("compute_loss", "num_items_in_batch", since="4.46")


class ComputeLossContract(PythonRule["cst.FunctionDef"]):
    """``compute_loss`` does not accept ``num_items_in_batch``.

    ## Why it matters
    Since transformers 4.46, ``Trainer.training_step`` calls ``compute_loss(model, inputs,
    num_items_in_batch=...)``. An override without that parameter is a ``TypeError`` on the first
    training step, after the model and the data have been loaded.

    Looked at are subclasses of Trainer, Seq2SeqTrainer and of the trainers of trl, also through
    other classes and files of the project. Which version of transformers counts is told as for
    removed-name (ROC204); where an earlier one may be installed, nothing is reported.

    ## Example
    ```python
    from transformers import Trainer

    class WeightedTrainer(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False):
            outputs = model(**inputs)
            loss = outputs.loss * self.args.loss_weight
            return (loss, outputs) if return_outputs else loss
    ```

    ## Use instead
    Take ``num_items_in_batch=None``, or ``**kwargs``. It counts the labels of all batches of an
    accumulated step: a loss that is summed is divided by it, a mean is left as it is.
    ```python
    from transformers import Trainer

    class WeightedTrainer(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
            outputs = model(**inputs)
            loss = outputs.loss * self.args.loss_weight
            return (loss, outputs) if return_outputs else loss
    ```

    ## Fix safety
    Safe: the parameter has a default, and the method computes what it did.

    ## References
    - https://github.com/huggingface/transformers/pull/34198
    - https://github.com/huggingface/transformers/issues/36331
    """

    code = "ROC701"
    name = "compute-loss-contract"
    since = "0.1.0"
    on = definitions("compute_loss")
    excuses = (is_called_as_before,)

    def check(self, node: cst.FunctionDef, source: Source) -> Iterator[Finding]:
        """Find overrides that do not take what is passed."""
        found = old_override(node, _COMPUTE_LOSS, source)
        if found is None or self.is_excused(found, source):
            return
        message, help = words(found)
        yield self.finding(
            node.name, source, message, help=help, fix=fix(found, source), severity=found.severity
        )
