"""ROC304, cuda-version-taken-apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule

from ._caught import handler_of
from ._cuda_version import (
    READS_CUDA_VERSION,
    TAKE_NONE,
    builds_cuda,
    is_caught,
    is_cuda_version,
    is_taken_apart,
    knows_amd,
    question_about,
)
from ._vendor import lines_around

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source


def is_looked_at_before(node: cst.CSTNode, source: Source) -> bool:
    """Versions that the code looked at before, or that are in `a if b else c`."""
    span = source.span(node)
    start = source.offset_of(lines_around(node, source)[0])
    before = source.text[start : source.offset_of(span.line) + span.column - 1]
    is_read = re.search(r"\bversion[\s\\]*\.[\s\\]*cuda\b", before) is not None
    return is_read or source.enclosing(node, cst.IfExp) is not None


class CudaVersionTakenApart(PythonRule["cst.Attribute | cst.Call"]):
    """``torch.version.cuda`` is parsed, but it is None on ROCm.

    ## Why it matters
    ``torch.version.cuda`` is None in a ROCm build of PyTorch. ``torch.version.cuda.split(".")``
    raises an AttributeError on every AMD GPU, or an ``except`` around it takes the machine for
    one without a GPU.

    ## Example
    ```python
    import torch

    major = int(torch.version.cuda.split(".")[0])
    ```

    ## Use instead
    Test for None first, and read ``torch.version.hip`` in that case.
    ```python
    import torch

    version = torch.version.hip or torch.version.cuda or "0"
    major = int(version.split(".")[0])
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/notes/hip.html
    """

    code = "ROC304"
    name = "cuda-version-taken-apart"
    since = "0.1.0"
    severity = "warning"
    on = READS_CUDA_VERSION
    skips = frozenset({"test", "setup"})
    excuses = (builds_cuda, knows_amd, is_looked_at_before, is_caught)

    def check(self, node: cst.Attribute | cst.Call, source: Source) -> Iterator[Finding]:
        """Find versions that are used as a string or number without a look at None."""
        if not is_cuda_version(node, source) or question_about(node, source) is not None:
            return
        if is_taken_apart(node, source) and not self.is_excused(node, source):
            message = "`torch.version.cuda` is None on ROCm, so this raises an error"
            if handler_of(node, source, TAKE_NONE) is not None:
                message += ", which is caught"
            advice = "Test for None first, and read `torch.version.hip` in that case."
            yield self.finding(node, source, message, help=advice)
