"""ROC802, host-read-in-forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, fitted, last_name, nodes

from ._flow import EXCUSES, WORDS, advice, dependent, suspects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Severity, Source

_SYMBOLIC = frozenset({"item", "tolist", "max", "min"})
"""Reads that an export represents by a symbol, so that it goes on."""


class HostReadInForward(PythonRule["cst.Call | cst.Comparison | cst.Subscript"]):
    """Model reads a tensor into a Python value.

    ## Why it matters
    ``int()``, ``float()`` and ``bool()`` of a tensor, ``.numpy()``, ``torch.equal``,
    ``x in tensor`` and a list that is indexed with what a tensor holds need the content, which
    ``torch.export`` does not have: it stops. Each of them also waits for the GPU. ``.item()`` and
    ``.tolist()`` become symbols: the export goes on, and stops where a shape or a condition
    depends on one without a bound (they are warnings).

    ## Example
    ```python
    import torch
    from torch import nn

    class Head(nn.Module):
        def forward(self, x: torch.Tensor, lengths: torch.Tensor):
            longest = int(lengths.max())
            return x[:, :longest]
    ```

    ## Use instead
    Keep the value in a tensor, or take it from a shape.
    ```python
    import torch
    from torch import nn

    class Head(nn.Module):
        def forward(self, x: torch.Tensor, lengths: torch.Tensor):
            position = torch.arange(x.shape[1], device=x.device)
            return x * (position < lengths[:, None]).unsqueeze(-1)
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/export.html
    - https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/torch.compiler_dynamic_shapes.html
    """

    code = "ROC802"
    name = "host-read-in-forward"
    since = "0.1.0"
    profile = "export"
    on = nodes(
        *("Call", "Comparison", "Subscript"),
        words=WORDS,
        suspects=suspects("read"),
        described="reads of tensors in files that define `forward`",
    )
    skips = frozenset({"test"})
    excuses = EXCUSES

    def check(
        self, node: cst.Call | cst.Comparison | cst.Subscript, source: Source
    ) -> Iterator[Finding]:
        """Find reads of tensors in what an export runs."""
        found = dependent(node, node, source, "read")
        if found is None or self.is_excused(found, source):
            return
        name = last_name(node.func) if isinstance(node, cst.Call) else ""
        read = source.text_of(node)
        if isinstance(node, cst.Subscript):
            message = fitted("The content of a tensor decides which element `{}` is", read)
            help = "Stack what the list holds, and take from that: `torch.stack(…)[index]`."
        elif name in {"max", "min"}:
            message = fitted("`{}` compares tensors in Python", read)
            help = f"Use `torch.{name}imum`, or the tensor's own `.{name}()`."
        else:
            message = fitted("`{}` reads a tensor into Python", read)
            help = (
                "Keep it in a tensor. If you need a Python number, use `.item()` and tell the "
                "export its bounds with `torch._check`."
            )
        is_symbol = name in _SYMBOLIC or found.dependence.reach == "dtype-gated"
        severity: Severity = "warning" if is_symbol else "error"
        yield self.finding(node, source, message, help=advice(found, help), severity=severity)
