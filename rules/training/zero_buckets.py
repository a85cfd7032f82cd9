"""ROC511, zero-buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rocmlint.rule import DeepSpeedConfig, Rule

from ._deepspeed_dicts import READS_CONFIGURATIONS, configuration_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import File, Finding, Source

_SECTION = "zero_optimization"
_BYTES = 2
_BUFFERS = 2
"""With `overlap_comm` one is filled while the other is reduced (stage_1_and_2.py of DeepSpeed)."""
_MOST = 4.0
"""GB from which on it is reported: twice what the default of 5e8 elements comes to."""


class ZeroBuckets(Rule["cst.SimpleString | DeepSpeedConfig"]):
    """ZeRO buckets take 4 GB or more of each GPU.

    ## Why it matters
    With ``overlap_comm`` DeepSpeed reduces gradients from two buffers, each of
    ``reduce_bucket_size`` elements of at least 2 bytes: 4 GB for 1e9. They are there in each
    backward pass, when the activations are on the GPU too, so that a model that just fits runs out
    of memory.

    The rule looks at the same files and dictionaries as deepspeed-config, and at configurations
    whose ``stage``, ``overlap_comm`` and ``reduce_bucket_size`` are written there.

    ## Example
    ```json title="ds_config.json"
    {
      "zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": 1e9}
    }
    ```

    ## Use instead
    Smaller buckets cost little: the two of 2e8 elements take 0.8 GB.
    ```json title="ds_config.json"
    {
      "zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": 2e8}
    }
    ```

    ## References
    - https://github.com/deepspeedai/DeepSpeed/blob/master/deepspeed/runtime/zero/stage_1_and_2.py
    - https://www.deepspeed.ai/docs/config-json/
    """

    code = "ROC511"
    name = "zero-buckets"
    since = "0.1.0"
    on = READS_CONFIGURATIONS
    severity = "note"
    skips = frozenset({"test"})

    def check(self, node: cst.SimpleString | DeepSpeedConfig, file: File) -> Iterator[Finding]:
        """Find configurations of ZeRO-1 and ZeRO-2 whose buckets take that much."""
        if isinstance(node, DeepSpeedConfig):
            found: DeepSpeedConfig | None = node
        else:
            found = configuration_at(node, cast("Source", file))
        taken = None if found is None else _gigabytes(found)
        setting = None if found is None else found.get(_SECTION, "overlap_comm")
        if taken is None or setting is None or taken < _MOST:
            return
        message = f"ZeRO's two buckets take {taken:.1f} GB of each GPU in the backward pass"
        help = (
            "Set `reduce_bucket_size` to 2e8, which takes 0.8 GB. Without `overlap_comm` there is "
            "one bucket."
        )
        yield self.finding(setting, file, message, help=help)


def _gigabytes(configuration: DeepSpeedConfig) -> float | None:
    """Return what the buckets take; None where the configuration does not tell."""
    stage = configuration.get(_SECTION, "stage")
    overlap = configuration.get(_SECTION, "overlap_comm")
    if stage is None or stage.text not in {"1", "2"}:
        return None
    if overlap is None or overlap.kind != "bool" or overlap.text.lower() != "true":
        return None
    contiguous = configuration.get(_SECTION, "contiguous_gradients")
    if contiguous is not None and contiguous.text.lower() == "false":
        return None  # there are no buffers
    size = configuration.get(_SECTION, "reduce_bucket_size")
    if size is None or size.kind not in {"int", "float"}:
        return None
    return float(size.text.replace("_", "")) * _BYTES * _BUFFERS / 1e9
