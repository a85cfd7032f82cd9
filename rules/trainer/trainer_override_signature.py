"""ROC709, trainer-override-signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, definitions

from ._overrides import Contract, fix, is_called_as_before, old_override, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_CONTRACTS = {
    each.method: each
    for each in (
        Contract("training_step", "num_items_in_batch", since="4.46", position=3),
        Contract("log", "start_time", since="4.47", position=2),
        Contract("_get_train_sampler", "train_dataset", since="4.53", position=1),
    )
}


class TrainerOverrideSignature(PythonRule["cst.FunctionDef"]):
    """Override of a Trainer method lacks an argument that Trainer passes.

    ## Why it matters
    Trainer passes more to its own methods than it used to: ``training_step`` gets
    ``num_items_in_batch`` since transformers 4.46, ``log`` gets ``start_time`` since 4.47, and
    ``_get_train_sampler`` gets the dataset since 4.53. An override with the old parameters is a
    ``TypeError``: that of ``log`` only when the first metrics are logged, some hundred steps into
    the run.

    Which classes and versions count is told as for compute-loss-contract (ROC701).

    ## Example
    ```python
    from transformers import Trainer

    class QuietTrainer(Trainer):
        def log(self, logs):
            logs.pop("grad_norm", None)
            super().log(logs)
    ```

    ## Use instead
    ```python
    from transformers import Trainer

    class QuietTrainer(Trainer):
        def log(self, logs, start_time=None):
            logs.pop("grad_norm", None)
            super().log(logs, start_time)
    ```

    ## Fix safety
    Safe: the parameter has a default, and the method does what it did.

    ## References
    - https://huggingface.co/docs/transformers/main_classes/trainer
    - https://github.com/huggingface/transformers/pull/34198
    """

    code = "ROC709"
    name = "trainer-override-signature"
    since = "0.1.0"
    on = definitions(*_CONTRACTS)
    excuses = (is_called_as_before,)

    def check(self, node: cst.FunctionDef, source: Source) -> Iterator[Finding]:
        """Find overrides that do not take what is passed."""
        found = old_override(node, _CONTRACTS[node.name.value], source)
        if found is None or self.is_excused(found, source):
            return
        message, help = words(found)
        yield self.finding(
            node.name, source, message, help=help, fix=fix(found, source), severity=found.severity
        )
