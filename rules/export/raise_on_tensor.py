"""ROC804, raise-on-tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, fitted, nodes

from ._flow import EXCUSES, WORDS, advice, dependent, rewriting, severity_of, suspects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source


class RaiseOnTensor(PythonRule["cst.If | cst.Assert"]):
    """Model checks the content of a tensor with ``raise`` or ``assert``.

    ## Why it matters
    ``torch.export`` runs ``forward`` without data, so it cannot know whether the check holds, and
    stops with ``GuardOnDataDependentSymNode``. ``torch._check`` and its relatives raise the same
    errors when the model runs, and become part of an exported program.

    ## Example
    ```python
    import torch
    from torch import nn

    class Embedding(nn.Module):
        def forward(self, input_ids: torch.Tensor):
            if (input_ids < 0).any():
                raise ValueError("ids must not be negative")
            return self.embedding(input_ids)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn

    class Embedding(nn.Module):
        def forward(self, input_ids: torch.Tensor):
            torch._check_value(
                (input_ids >= 0).all().item(), lambda: "ids must not be negative"
            )
            return self.embedding(input_ids)
    ```

    ## Fix safety
    The model raises the same error as before, but an exported program raises ``RuntimeError``, and
    with ``strict=True`` torch 2.13 leaves the check out of it. ``assert`` and errors for which
    torch has no check are left alone: ``rocmlint export rewrite`` covers them too.

    ## References
    - https://docs.pytorch.org/docs/stable/export.html#data-dependent-control-flow
    - https://github.com/pytorch/pytorch/blob/v2.13.0/torch/__init__.py
    """

    code = "ROC804"
    name = "raise-on-tensor"
    since = "0.1.0"
    profile = "export"
    on = nodes(
        *("If", "Assert"),
        words=WORDS,
        suspects=suspects("raise", "assert"),
        described="`if … raise` and `assert` in files that define `forward`",
    )
    skips = frozenset({"test"})
    excuses = EXCUSES

    def check(self, node: cst.If | cst.Assert, source: Source) -> Iterator[Finding]:
        """Find checks that the content of a tensor decides."""
        found = dependent(node, node.test, source, "raise", "assert")
        if found is None or self.is_excused(found, source):
            return
        kind = "`assert`" if isinstance(node, cst.Assert) else "`raise`"
        message = fitted(
            "This {kind} depends on the content of a tensor: `{}`",
            source.text_of(node.test),
            kind=kind,
        )
        help = (
            "Use `torch._check(condition.item(), lambda: message)`, or a relative. "
            "An exported program then makes the same check."
        )
        fix = rewriting(found, source, "Check with torch", plain_torch=True)
        severity = severity_of(found)
        yield self.finding(
            node.test, source, message, help=advice(found, help), fix=fix, severity=severity
        )
