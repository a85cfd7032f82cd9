"""ROC310, ptx-inline-asm."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, argument, calls, compile_lazily, shortened

from ._vendor import is_for_cuda_alone, knows_amd

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_PTX = compile_lazily(
    r"(?<![\w.%$])(?:@!?%\w+[ \t]+)?((?:abs|add|and|atom|bar|barrier|bfe|bfi|bra|clz|copysign|cos"
    r"|cp|createpolicy|cvt|discard|div|dp2a|dp4a|ex2|fence|fma|griddepcontrol|ld|ldmatrix|lg2|lop3"
    r"|mad|max|mbarrier|membar|min|mma|mov|mul|multimem|nanosleep|neg|not|or|popc|prefetch|prmt|rcp"
    r"|red|redux|rsqrt|selp|setp|shf|shfl|shl|shr|sin|sqrt|st|stmatrix|sub|tanh|vote|wgmma|xor)"
    r"(?:\.[a-z]\w*)+)|(\.reg[ \t]+\.\w+)"
    r"|(%(?:tid|ntid|ctaid|laneid|warpid|smid|globaltimer|clock)\b)"
)
"""Instructions, declarations and special registers of PTX."""


class PtxInlineAsm(PythonRule["cst.Call"]):
    """Triton kernel contains PTX assembly, so it runs only on NVIDIA GPUs.

    ## Why it matters
    ``tl.inline_asm_elementwise`` hands its text to the assembler of the target. PTX is NVIDIA's: on
    ROCm the kernel does not compile, where the same kernel in plain Triton would. The first one
    of a file is reported.

    Whether a kernel is only ever started on NVIDIA's GPUs is often decided elsewhere.

    ## Example
    ```python
    import triton
    import triton.language as tl

    @triton.jit
    def exp2(x):
        return tl.inline_asm_elementwise(
            "ex2.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
        )
    ```

    ## Use instead
    Functions of ``triton.language`` (``tl.exp2``, ``tl.debug_barrier``, ``tl.atomic_cas`` with its
    ``sem`` and ``scope``, ``x.to(dtype)``) compile for both. Where there is none, choose by
    ``torch.version.hip`` between PTX and the instructions of AMD GPUs.
    ```python
    import triton
    import triton.language as tl

    @triton.jit
    def exp2(x):
        return tl.exp2(x)
    ```

    ## References
    - https://triton-lang.org/main/python-api/generated/triton.language.inline_asm_elementwise.html
    - https://docs.nvidia.com/cuda/parallel-thread-execution/
    """

    code = "ROC310"
    name = "ptx-inline-asm"
    since = "0.1.0"
    severity = "note"
    on = calls("inline_asm_elementwise", "inline_asm")
    excuses = (is_for_cuda_alone, knows_amd)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find assembly with instructions of PTX."""
        text = argument(node, 0, "asm")
        value = source.value_of(text) or text if text is not None else None
        match = None if value is None else _PTX.search(source.text_of(value))
        if match is not None and not self.is_excused(node, source):
            found = shortened(match[match.lastindex or 0], 30)
            message = f"`{found}` is PTX, so this kernel does not compile for AMD GPUs"
            advice = (
                "Use `triton.language` (`tl.exp2`, `tl.debug_barrier`, `x.to(dtype)`), which runs "
                "on both. Where it has no such function, choose by `torch.version.hip`."
            )
            finding = self.finding(node, source, message, help=advice)
            yield replace(finding, once=f"{self.code} {source.path}")
