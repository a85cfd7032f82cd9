"""ROC801, data-dependent-branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, fitted, nodes

from ._flow import EXCUSES, WORDS, advice, dependent, rewriting, severity_of, suspects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source


class DataDependentBranch(PythonRule["cst.CSTNode"]):
    """Model branches on the content of a tensor.

    ## Why it matters
    ``torch.export`` runs ``forward`` once, without data: it cannot know which way an ``if`` on the
    content of a tensor goes, and stops with ``GuardOnDataDependentSymNode``. On a GPU the branch
    also waits for all the work before it. Branches on shapes, dtypes, ``None`` and the
    configuration are fine.

    ## Example
    ```python
    import torch
    from torch import nn

    class Block(nn.Module):
        def forward(self, hidden_states):
            if not torch.isfinite(hidden_states).all():
                hidden_states = torch.nan_to_num(hidden_states)
            return hidden_states
    ```

    ## Use instead
    Compute both and choose with ``torch.where``, or use ``torch.cond`` where a branch is expensive.
    ```python
    import torch
    from torch import nn

    class Block(nn.Module):
        def forward(self, hidden_states):
            is_finite = torch.isfinite(hidden_states).all()
            return torch.where(is_finite, hidden_states, torch.nan_to_num(hidden_states))
    ```

    ## Fix safety
    The branches become functions, and ``rocmlint.export.cond`` chooses one: with a plain ``if``
    when the model runs, with ``torch.cond`` while it is exported. The model then depends on
    rocmlint. Branches that return early, change something in place or give something other than
    tensors are left alone; ``rocmlint export rewrite --refused`` says why.

    ## References
    - https://docs.pytorch.org/docs/stable/export.html#data-dependent-control-flow
    - https://docs.pytorch.org/docs/stable/higher_order_ops/cond.html
    """

    code = "ROC801"
    name = "data-dependent-branch"
    since = "0.1.0"
    profile = "export"
    on = nodes(
        *("If", "While", "IfExp", "CompIf", "BooleanOperation", "UnaryOperation"),
        words=WORDS,
        suspects=suspects("branch"),
        described="conditions in files that define `forward`",
    )
    skips = frozenset({"test"})
    excuses = EXCUSES

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find conditions that the content of a tensor decides."""
        asked = node.test if isinstance(node, (cst.If, cst.While, cst.IfExp, cst.CompIf)) else node
        found = dependent(node, asked, source, "branch")
        if found is None or self.is_excused(found, source):
            return
        message = fitted(
            "This branch depends on the content of a tensor: `{}`", source.text_of(asked)
        )
        help = "Use `torch.where`, or `torch.cond` where one of the branches is expensive."
        fix = rewriting(found, source, "Choose with `rocmlint.export.cond`")
        severity = severity_of(found)
        yield self.finding(
            asked, source, message, help=advice(found, help), fix=fix, severity=severity
        )
