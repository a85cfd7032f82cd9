"""ROC312, cudnn-benchmark-on-miopen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, assignments, compile_lazily, conditions, constant

from ._vendor import asks_for_vendor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_FIXED = compile_lazily(
    r"(?i)\b(?:fixed|constant|same|static|equal|identical)\b[^\n]{0,40}\b(?:size|shape|resolution)"
    r"|\b(?:size|shape|resolution)s?\b[^\n]{0,40}\b(?:fixed|constant|same|static|never change)"
)
_OPTION = compile_lazily(r"(?i)benchmark|auto_?tun")


def has_fixed_shapes(node: cst.CSTNode, source: Source) -> bool:
    """Assignments beside a comment that says that the shapes are fixed."""
    line = source.span(node).line
    beside = (each.body for each in source.comments if line - 2 <= each.line <= line)
    return any(map(_FIXED.search, beside))


def is_asked_for(node: cst.CSTNode, source: Source) -> bool:
    """Assignments under an option of the program: `if args.cudnn_benchmark`."""
    asked = (source.text_of(each.test) for each in conditions(node, source))
    return any(map(_OPTION.search, asked))


class CudnnBenchmarkOnMiopen(PythonRule["cst.Assign"]):
    """``cudnn.benchmark = True`` makes MIOpen search again for each new shape.

    ## Why it matters
    On ROCm the flag is MIOpen's: for every convolution with a shape that it has not met, MIOpen
    compiles and times the solvers that fit. That takes seconds to minutes for each shape, much
    longer than with cuDNN. With images, clips or crops of many sizes the search never ends.

    In preview: where nothing is convolved the flag does nothing, and with shapes that never change
    the search is made once, and kept on disk.

    ## Example
    ```python
    import torch

    torch.backends.cudnn.benchmark = True
    ```

    ## Use instead
    ```python
    import torch

    torch.backends.cudnn.benchmark = torch.version.hip is None
    ```
    Or keep it, pad to a few fixed shapes, and set ``MIOPEN_FIND_MODE=FAST`` while shapes still
    change.

    ## References
    - https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cudnn.benchmark
    - https://rocm.docs.amd.com/projects/MIOpen/en/latest/how-to/find-and-immediate.html
    """

    code = "ROC312"
    name = "cudnn-benchmark-on-miopen"
    since = "0.1.0"
    severity = "warning"
    preview = True
    skips = frozenset({"test", "benchmark"})
    on = assignments(
        "benchmark",
        words=("cudnn",),
        where=r"benchmark(?<!\wbenchmark)[\s\\]*=[\s\\(]*True\b",
    )
    excuses = (asks_for_vendor, is_asked_for, has_fixed_shapes)

    def check(self, node: cst.Assign, source: Source) -> Iterator[Finding]:
        """Find where the flag is switched on."""
        if not isinstance(node, cst.Assign) or constant(node.value) != "True":
            return
        named = (source.resolve(each.target) for each in node.targets)
        if "torch.backends.cudnn.benchmark" not in named or self.is_excused(node, source):
            return
        message = "MIOpen compiles and times every solver for each new shape with this flag"
        advice = (
            "Write `torch.backends.cudnn.benchmark = torch.version.hip is None`. "
            "If all shapes are fixed, say so in a comment beside it."
        )
        yield self.finding(node, source, message, help=advice)
