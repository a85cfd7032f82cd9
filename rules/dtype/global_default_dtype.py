"""ROC401, global-default-dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule
from rocmlint.rule.claims import dtypes

from ._default_dtype import (
    DEFAULT_HELP,
    SETS_DEFAULT,
    default_message,
    is_explained,
    is_restored,
    is_smoke_test,
    reaches_no_caller,
    restores_default,
    runs_worker,
    sets_default,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class GlobalDefaultDtype(PythonRule["cst.Call"]):
    """Default dtype is set and never restored.

    ## Why it matters
    ``torch.set_default_dtype`` changes every floating-point tensor that the process creates
    afterwards without a dtype: masks, RoPE tables, buffers, optimizer state, the tensors of
    other libraries. In half precision they lose range and digits far away from the line that
    changed the default, and a second model in the same process is built in the wrong dtype.

    It is a warning in a function or constructor that returns a model to its caller, who does not
    expect another default, and in a program that sets a 16-bit type and trains or uses autocast,
    which expects float32.

    ## Example
    ```python
    import torch

    def load(build):
        torch.set_default_dtype(torch.bfloat16)
        return build()
    ```

    ## Use instead
    Pass ``dtype=`` where the model is made (``from_pretrained``, ``.to(dtype)`` of the part), or
    set the default in a context manager that restores it in ``finally``.
    ```python
    import torch

    def load(build):
        return build().to(torch.bfloat16)
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.set_default_dtype.html
    """

    code = "ROC401"
    name = "global-default-dtype"
    since = "0.1.0"
    on = SETS_DEFAULT
    severity = "warning"
    skips = frozenset({"test"})
    retired = {"ROC405": "program-default-dtype"}  # noqa: RUF012 - a constant of the class
    excuses = (
        restores_default,
        is_restored,
        is_smoke_test,
    )
    doubts = (is_explained, reaches_no_caller, runs_worker)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls after which nothing restores the default."""
        severity = self.severity_of(node, source) if sets_default(node, source) else None
        if severity is not None:
            message = default_message(node, source)
            yield self.finding(
                node, source, message, help=DEFAULT_HELP, severity=severity, claims=(dtypes(),)
            )
