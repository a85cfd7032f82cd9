"""ROC901, unused-suppression."""

from __future__ import annotations

from rocmlint.rule import EngineRule

from ._comments import SUPPRESSIONS


class UnusedSuppression(EngineRule):
    """A comment that hides a finding which is no longer there.

    A ``# noqa`` is judged only where it names codes of rocmlint, and any comment only where all
    rules that it names are switched on in this run.

    ## Why it matters
    Whoever reads the comment believes that there is something to hide. And it waits: the next
    real problem on that line is never reported.

    ## Example
    ```python
    import torch

    torch.ones(8)  # rocmlint: ignore[ROC501] measured
    ```

    ## Use instead
    Remove the comment, or the code that hides nothing. Codes of other tools stay.
    ```python
    import torch

    torch.ones(8)
    ```

    ## Fix safety
    Safe: the comment hides nothing. The words behind a ``noqa`` stay as a comment; the reason of
    a ``rocmlint: ignore`` belongs to it and goes with it.

    ## References
    - https://docs.astral.sh/ruff/rules/unused-noqa/
    - https://github.com/astral-sh/ruff/issues/2424
    """

    code = "ROC901"
    name = "unused-suppression"
    since = "0.1.0"
    severity = "warning"
    on = SUPPRESSIONS
