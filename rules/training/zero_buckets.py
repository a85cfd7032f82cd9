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
_DEFAULT = 5e8
"""Elements in a bucket where the configuration does not say."""
_BYTES = 2
_COPIES = 4.5
"""How often buckets are kept where communication overlaps with the backward pass."""
_MOST = 9.0
"""GB from which on it is reported: what both defaults come to."""


class ZeroBuckets(Rule["cst.SimpleString | DeepSpeedConfig"]):
    """Buckets of ZeRO-1 and ZeRO-2 that take 9 GB or more of each GPU.

    ## Why it matters
    With ``overlap_comm`` DeepSpeed keeps 4.5 times the sizes of ``reduce_bucket_size`` and
    ``allgather_bucket_size``, which count elements of 2 bytes: 9 GB with the defaults of 5e8. A
    model that just fits runs out of memory, often only at the first step of an epoch, when
    something else is on the GPU too.

    The rule looks at the same files and dictionaries as deepspeed-config, and at configurations
    whose ``stage``, ``overlap_comm`` and sizes are written there.

    ## Example
    ```json title="ds_config.json"
    {
      "zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": 1e9}
    }
    ```

    ## Use instead
    Smaller buckets cost little: 2e8 elements each take 3.6 GB.
    ```json title="ds_config.json"
    {
      "zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": 2e8,
                            "allgather_bucket_size": 2e8}
    }
    ```

    ## References
    - https://huggingface.co/docs/transformers/deepspeed
    - https://www.deepspeed.ai/docs/config-json/
    """

    code = "ROC511"
    name = "zero-buckets"
    since = "0.1.0"
    on = READS_CONFIGURATIONS
    severity = "warning"
    preview = True
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
        message = f"ZeRO keeps {taken:.1f} GB of buckets on each GPU with `overlap_comm`"
        help = (
            "Set `reduce_bucket_size` and `allgather_bucket_size` to 2e8, which take 3.6 GB, or "
            "set `overlap_comm` to false. ZeRO keeps 4.5 times what they hold."
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
    sizes = [
        _elements(configuration, name) for name in ("reduce_bucket_size", "allgather_bucket_size")
    ]
    known = [each for each in sizes if each is not None]
    return sum(known) * _BYTES * _COPIES / 1e9 if len(known) == len(sizes) else None


def _elements(configuration: DeepSpeedConfig, name: str) -> float | None:
    setting = configuration.get(_SECTION, name)
    if setting is None:
        return _DEFAULT
    return float(setting.text.replace("_", "")) if setting.kind in {"int", "float"} else None
