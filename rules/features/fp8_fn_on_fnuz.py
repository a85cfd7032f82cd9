"""ROC309, fp8-fn-on-fnuz."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.texts import readmes_in
from rocmlint.rule import (
    PythonRule,
    attributes,
    compile_lazily,
    last_name,
    once_per_file,
    walk,
)

from ._vendor import is_for_cuda_alone, knows_amd, names_nvidia

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_TYPES = ("float8_e4m3fn", "float8_e5m2")
_MULTIPLIES = compile_lazily(
    r"(?:scaled_(?:grouped_)?mm|fp8_?\w*(?:gemm|matmul|_mm)\w*|(?:gemm|matmul|_mm)\w*_fp8\w*)[\s\\]*\(",
    re.IGNORECASE,
)
_GFX = compile_lazily(r"gfx\d[\d_a-f]+")
_MAKERS = frozenset(
    {
        *("to", "finfo", "type", "empty", "zeros", "empty_like", "zeros_like", "ones", "full"),
        *("tensor", "as_tensor", "rand", "randn"),
    }
)


def is_for_other_gpus(node: cst.CSTNode, source: Source) -> bool:
    """Projects whose README or code names GPUs of AMD, and no MI300: gfx1151, for example."""
    del node
    root = source.project.folders[-1]
    paths = [
        *(each for each in readmes_in(root, source) if os.path.basename(each).startswith("README")),
        *source.modules_with(root, (_GFX.pattern,)),
    ]
    named = {match[0] for path in paths for match in _GFX.finditer(source.read(path))}
    return bool(named) and not any(each.startswith(("gfx94", "gfx9_4")) for each in named)


class Fp8FnOnFnuz(PythonRule["cst.Attribute"]):
    """MI300 does not multiply fp8 matrices of this dtype.

    ## Why it matters
    MI300 (gfx942) multiplies ``float8_e4m3fnuz`` and ``float8_e5m2fnuz``. The types without
    ``fnuz`` are those of NVIDIA's GPUs, and of MI350 (gfx950) and RDNA4. On MI300 ``_scaled_mm``
    refuses them, and a kernel that takes their bits as they are is wrong by a factor of two, or
    has NaN for what was -0. The largest value is 240, not 448, and scales made with 448 overflow.

    Looked at are functions and classes that multiply fp8 matrices, what they call in their file,
    and its constants; types that only store weights, or round numbers, are right everywhere.
    The first use of a file is reported.

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
    excuses = (
        is_for_cuda_alone,
        knows_amd,
        names_nvidia,
        is_for_other_gpus,
    )

    def check(self, node: cst.Attribute, source: Source) -> Iterator[Finding]:
        """Find where a tensor gets the type, or its limits are read."""
        name = node.attr.value
        if _MULTIPLIES.search(source.code) is None or source.resolve(node) != f"torch.{name}":
            return
        if (
            _makes(node, source)
            and _is_multiplied(node, source)
            and not self.is_excused(node, source)
        ):
            other = f"{name.removesuffix('fn')}fnuz"
            message = f"MI300 (gfx942) multiplies `{other}`, and not `{name}`"
            advice = (
                f"Take `torch.{other}`, with its own `torch.finfo`, where `gcnArchName` begins "
                "with gfx942. MI350 and RDNA4 have the same types as NVIDIA's GPUs."
            )
            finding = self.finding(node, source, message, help=advice)
            yield replace(finding, once=f"{self.code} {source.path}")


def _is_multiplied(node: cst.Attribute, source: Source) -> bool:
    """Return whether the class or function around a type multiplies, or is used where one does.

    A constant of a file may be used anywhere in it.
    """
    function = source.function(node)
    owner = source.enclosing(node, cst.ClassDef)
    whole = function if owner is None else source.definition(owner.name.value) or owner
    if whole is None or _MULTIPLIES.search(source.text_of(whole)) is not None:
        return True
    if function is None:
        return False
    used = re.compile(rf"\b{re.escape(function.name.value)}\b")
    return any(used.search(text) is not None for text in _multiplying(source))


@once_per_file
def _multiplying(source: Source) -> list[str]:
    """Return the texts of the functions of a file that multiply fp8 matrices."""
    texts = (
        source.text_of(each) for each in walk(source.module) if isinstance(each, cst.FunctionDef)
    )
    return [text for text in texts if _MULTIPLIES.search(text) is not None]


def _makes(node: cst.Attribute, source: Source) -> bool:
    """Return whether a type is that of a tensor that is made, or is chosen, not asked for."""
    parent = source.parent(node)
    if isinstance(parent, cst.IfExp) and parent.test is not node:
        parent = source.parent(parent)
    if isinstance(parent, cst.Arg):
        call = source.parent(parent)
        return isinstance(call, cst.Call) and last_name(call.func) in _MAKERS
    return isinstance(parent, (cst.Assign, cst.AnnAssign, cst.Return))
