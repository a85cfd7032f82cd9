"""ROC901, unused-suppression."""

from __future__ import annotations

from rocmlint.rule import EngineRule

from ._comments import SUPPRESSIONS


class UnusedSuppression(EngineRule):
    """Suppression comment has no finding to hide.

    ## Why it matters
    Readers of the comment believe that there is something to hide, and the next real problem on
    that line is never reported.

    The words behind ``ignore[...]`` are about the finding that they hide: no rule takes them for a
    reason in the code.

    A ``# noqa`` is judged only where it names codes of rocmlint, and any comment only where all
    rules that it names are switched on in this run.

    ## Example
    ```python
    import torch

    torch.ones(8)  # rocmlint: ignore[ROC501] measured
    ```

    ## Use instead
    Remove the comment, or the code that hides nothing. Codes of other tools stay.
    ```python
    import torch

    torch.ones(8)  # measured
    ```

    ## Fix safety
    Safe: the comment hides nothing. The words behind the codes stay as a plain comment.

    ## References
    - https://docs.astral.sh/ruff/rules/unused-noqa/
    - https://github.com/astral-sh/ruff/issues/2424
    """

    code = "ROC901"
    name = "unused-suppression"
    since = "0.1.0"
    severity = "warning"
    on = SUPPRESSIONS
