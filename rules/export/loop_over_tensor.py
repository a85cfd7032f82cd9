"""ROC803, loop-over-tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, fitted, nodes

from ._flow import EXCUSES, WORDS, advice, dependent, inferred, suspects

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.models.tensors.loops import Over
    from rocmlint.rule import Finding, Severity, Source

    from ._flow import Dependent


_WHAT = {
    "rows": "the rows of a tensor, whose number an export fixes",
    "values": "values that are read from a tensor",
    "groups": "groups that the content of a tensor makes",
    "count": "as many numbers as the content of a tensor says",
}
_STOPS = frozenset({"groups", "count"})
"""Loops whose iterations an export cannot count: it stops."""


class LoopOverTensor(PythonRule["cst.For | cst.CompFor"]):
    """Model loops over a tensor or values read from one.

    ## Why it matters
    An export unrolls Python's loops. A loop over the rows of a tensor fixes their number: with a
    dynamic dimension ``torch.export`` stops with "Constraints violated". A loop as long as a
    value in a tensor (``range(n.item())``) cannot be unrolled, nor can ``itertools.groupby`` of
    values; one over ``tolist()`` makes a copy of the body for each value. On a GPU each iteration
    starts its own small kernels.

    ## Example
    ```python
    import torch
    from torch import nn

    class Pool(nn.Module):
        def forward(self, x: torch.Tensor, lengths: torch.Tensor):
            pooled = [row[:n].mean(0) for row, n in zip(x.unbind(0), lengths.tolist())]
            return torch.stack(pooled)
    ```

    ## Use instead
    Compute all rows at once, with a mask where they differ in length.
    ```python
    import torch
    from torch import nn

    class Pool(nn.Module):
        def forward(self, x: torch.Tensor, lengths: torch.Tensor):
            position = torch.arange(x.shape[1], device=x.device)
            mask = (position < lengths[:, None]).to(x.dtype)
            return torch.einsum("bld,bl->bd", x, mask) / lengths[:, None]
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/export.html
    - https://docs.pytorch.org/docs/stable/higher_order_ops/while_loop.html
    """

    code = "ROC803"
    name = "loop-over-tensor"
    since = "0.1.0"
    profile = "export"
    on = nodes(
        *("For", "CompFor"),
        words=WORDS,
        suspects=suspects("loop"),
        described="loops in files that define `forward`",
    )
    severity = "warning"
    skips = frozenset({"test"})
    excuses = EXCUSES

    def check(self, node: cst.For | cst.CompFor, source: Source) -> Iterator[Finding]:
        """Find loops over tensors and over what is read from them."""
        found = dependent(node, node.iter, source, "loop")
        if found is None or self.is_excused(found, source):
            return
        over = _over(found, source)
        message = fitted(
            "This loop runs over {what}: `{}`", source.text_of(node.iter), what=_WHAT[over]
        )
        help = (
            "Compute all rows at once, with a mask or `index_add` where they differ in length; "
            "`torch.while_loop` and `scan` export what depends on the iteration before."
        )
        severity: Severity = "error" if over in _STOPS else "warning"
        yield self.finding(node.iter, source, message, help=advice(found, help), severity=severity)


def _over(found: Dependent, source: Source) -> Over:
    from rocmlint.models.tensors.loops import looped_over  # noqa: PLC0415 - only for findings

    inference = inferred(source)
    known = inference.held if inference is not None else {}
    return looped_over(found.dependence.expression, known) or "rows"
