"""ROC309, fp8-fn-on-fnuz."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, attributes, compile_lazily, last_name

from ._vendor import is_for_cuda_alone, names_amd, names_nvidia

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_TYPES = ("float8_e4m3fn", "float8_e5m2")
_MULTIPLIES = compile_lazily(
    r"scaled_(?:grouped_)?mm\b|fp8_?\w*(?:gemm|matmul|_mm)|(?:gemm|matmul|_mm)\w*_fp8",
    re.IGNORECASE,
)
_KNOWS = compile_lazily(r"fnuz", re.IGNORECASE)
_MAKERS = frozenset(
    {
        *("to", "finfo", "type", "empty", "zeros", "empty_like", "zeros_like", "ones", "full"),
        *("tensor", "as_tensor", "rand", "randn"),
    }
)


def knows_fnuz(node: cst.CSTNode, source: Source) -> bool:
    """Files that name the other types (`fnuz`), ROCm, HIP or AMD."""
    del node
    return _KNOWS.search(source.text) is not None or names_amd(source.text)


class Fp8FnOnFnuz(PythonRule["cst.Attribute"]):
    """Products of fp8 matrices in a type that MI300 does not multiply.

    ## Why it matters
    MI300 (gfx942) multiplies ``float8_e4m3fnuz`` and ``float8_e5m2fnuz``. The types without
    ``fnuz`` are those of NVIDIA's GPUs, and of MI350 (gfx950) and RDNA4. On MI300 ``_scaled_mm``
    refuses them, and a kernel that takes their bits as they are is wrong by a factor of two, or
    has NaN for what was -0. The largest value is 240, not 448, and scales made with 448 overflow.

    Looked at are files that multiply fp8 matrices; types that only store weights are right
    everywhere. The first use of a file is reported.

    In preview: what the code runs on may be decided elsewhere.

    ## Example
    ```python
    import torch

    def fp8_linear(x, weight, scale_x, scale_w):
        x = (x / scale_x).to(torch.float8_e4m3fn)
        return torch._scaled_mm(x, weight.t(), scale_x, scale_w, out_dtype=torch.bfloat16)
    ```

    ## Use instead
    ```python
    import torch

    HIP = torch.version.hip is not None
    FNUZ = HIP and torch.cuda.get_device_properties(0).gcnArchName.startswith("gfx942")
    FP8 = torch.float8_e4m3fnuz if FNUZ else torch.float8_e4m3fn

    def fp8_linear(x, weight, scale_x, scale_w):
        x = (x / scale_x).to(FP8)
        return torch._scaled_mm(x, weight.t(), scale_x, scale_w, out_dtype=torch.bfloat16)
    ```

    ## References
    - https://rocm.docs.amd.com/en/latest/reference/precision-support.html
    - https://github.com/openxla/stablehlo/blob/main/rfcs/20230321-fp8_fnuz.md
    """

    code = "ROC309"
    name = "fp8-fn-on-fnuz"
    since = "0.1.0"
    severity = "warning"
    preview = True
    skips = frozenset({"test"})
    on = attributes(*_TYPES, words=_TYPES, where=r"float8_e(?:4m3fn|5m2)\b")
    excuses = (is_for_cuda_alone, knows_fnuz, names_nvidia)

    def check(self, node: cst.Attribute, source: Source) -> Iterator[Finding]:
        """Find where a tensor gets the type, or its limits are read."""
        name = node.attr.value
        if _MULTIPLIES.search(source.code) is None or source.resolve(node) != f"torch.{name}":
            return
        if _makes(node, source) and not self.is_excused(node, source):
            other = f"{name.removesuffix('fn')}fnuz"
            message = f"MI300 (gfx942) multiplies `{other}`, and not `{name}`"
            advice = (
                f"Take `torch.{other}`, with its own `torch.finfo`, where `gcnArchName` begins "
                "with gfx942. MI350 and RDNA4 have the same types as NVIDIA's GPUs."
            )
            finding = self.finding(node, source, message, help=advice)
            yield replace(finding, once=f"{self.code} {source.path}")


def _makes(node: cst.Attribute, source: Source) -> bool:
    """Return whether a type is that of a tensor that is made, or is chosen, not asked for."""
    parent = source.parent(node)
    if isinstance(parent, cst.Arg):
        call = source.parent(parent)
        return isinstance(call, cst.Call) and last_name(call.func) in _MAKERS
    return isinstance(parent, (cst.Assign, cst.AnnAssign, cst.Return))
