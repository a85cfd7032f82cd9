"""ROC405, program-default-dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule
from rocmlint.rule.claims import dtypes

from ._default_dtype import (
    DEFAULT_HELP,
    SETS_DEFAULT,
    default_message,
    is_harmless_program,
    is_restored,
    is_set_again,
    is_setter,
    is_smoke_test,
    restores_default,
    serves_one_model,
    sets_default,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class ProgramDefaultDtype(PythonRule["cst.Call"]):
    """A program that sets the default dtype of its process and never restores it.

    ## Why it matters
    A program may choose the default for itself, but the models that it loads were not written
    for it: masks, RoPE tables and optimizer state that they create in float32 lose range and
    digits. Programs that train, generate or save in 16 bits are reported by
    global-default-dtype.

    ## Example
    ```python
    import torch

    torch.set_default_dtype(torch.bfloat16)
    model = torch.nn.Linear(8, 8)
    ```

    ## Use instead
    Pass ``dtype=`` where the model is made.
    ```python
    import torch

    model = torch.nn.Linear(8, 8, dtype=torch.bfloat16)
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.set_default_dtype.html
    """

    code = "ROC405"
    name = "program-default-dtype"
    since = "0.1.0"
    on = SETS_DEFAULT
    severity = "warning"
    preview = True
    skips = frozenset({"test"})
    excuses = (
        restores_default,
        is_restored,
        is_set_again,
        is_smoke_test,
        is_setter,
        serves_one_model,
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls after which nothing restores the default."""
        if (
            sets_default(node, source)
            and is_harmless_program(node, source)
            and not self.is_excused(node, source)
        ):
            message = default_message(node, source)
            yield self.finding(node, source, message, help=DEFAULT_HELP, claims=(dtypes(),))
