"""ROC902, unknown-suppression."""

from __future__ import annotations

from rocmlint.rule import EngineRule

from ._comments import SUPPRESSIONS


class UnknownSuppression(EngineRule):
    """Suppression comment names an unknown rule.

    ## Why it matters
    It suppresses nothing: either the finding is reported all the same, or there is none and the
    comment mentions a problem that rocmlint does not know.

    ## Example
    ```python
    import torch

    torch.cuda.synchronize()  # rocmlint: ignore[sync-in-loop] measured
    ```

    ## Use instead
    Write the code or the name of the rule: ``# rocmlint: ignore[ROC101] why``. In ``# noqa`` only
    codes count; flake8 takes a name there for a ``# noqa`` that hides everything. Remove a
    comment that hides nothing.
    ```python
    import torch

    torch.cuda.synchronize()
    ```

    ## Fix safety
    Safe: what is removed hides nothing. The words behind the codes stay as a plain comment.

    ## References
    - https://docs.astral.sh/ruff/rules/invalid-rule-code/
    """

    code = "ROC902"
    name = "unknown-suppression"
    since = "0.1.0"
    severity = "warning"
    on = SUPPRESSIONS
