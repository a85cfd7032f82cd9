"""ROC509, deepspeed-config."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rocmlint.rule import DeepSpeedConfig, Rule

from ._deepspeed_dicts import READS_CONFIGURATIONS, configuration_at
from ._deepspeed_settings import faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import File, Finding, Source


class DeepspeedConfig(Rule["cst.SimpleString | DeepSpeedConfig"]):
    """DeepSpeed refuses or ignores this setting.

    ## Why it matters
    DeepSpeed refuses settings that it does not know in ``zero_optimization``, ``fp16``, ``bf16``
    and other sections, and values of another type: the job fails after the model was loaded on
    all nodes. At the top it ignores what it does not know: a misspelt
    ``gradient_accumulation_steps`` trains with another batch size, without a word.

    Looked at are files in JSON and YAML that are called or lie in a directory like a DeepSpeed
    configuration (``ds_config.json``, ``zero2.json``, ``deepspeed/``), and dictionaries in Python
    code that hold ``zero_optimization``. What DeepSpeed knows was read from its published
    sources; where an ``environment`` is set, it is read from what is installed there. Values that
    are known only at run time, and ``"auto"``, always pass.

    ## Example
    ```json title="ds_config.json"
    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {"stage": 2, "contiguous_gradient": true}
    }
    ```

    ## Use instead
    ```json title="ds_config.json"
    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {"stage": 2, "contiguous_gradients": true}
    }
    ```

    ## References
    - https://www.deepspeed.ai/docs/config-json/
    """

    code = "ROC509"
    name = "deepspeed-config"
    since = "0.1.0"
    on = READS_CONFIGURATIONS
    skips = frozenset({"test"})

    def check(self, node: cst.SimpleString | DeepSpeedConfig, file: File) -> Iterator[Finding]:
        """Find settings and values that no version of DeepSpeed takes that may read them."""
        if isinstance(node, DeepSpeedConfig):
            found: DeepSpeedConfig | None = node
        else:
            found = configuration_at(node, cast("Source", file))
        for each in () if found is None else faults(found, file):
            yield self.finding(
                each.setting, file, each.message, help=each.help, severity=each.severity
            )
