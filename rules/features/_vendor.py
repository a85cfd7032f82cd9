"""Which GPUs code is written for: NVIDIA's alone, or AMD's as well, as far as it says so."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import compile_lazily, conditions, once_per_file

if TYPE_CHECKING:
    from rocmlint.rule import Source

AMD = (
    r"rocm|(?<![a-z])hip(?![a-z])|(?<![a-z])amd(?:smi|gpu)?(?![a-z])|zluda|gfx_?\d|amdgcn|fnuz"
    r"|(?<![a-z])[cr]dna\d?(?![a-z])|(?<![a-z])mi[23]\d\dx?(?![a-z])"
)
"""How code names AMD's GPUs and what runs on them, in any case."""
_NVIDIA_ALONE = (
    r"is_cuda[\s\\]*\([\s\\]*\)|(?<![a-z])_is_cuda\b|(?-i:\bIS_CUDA\b)|is_cuda_platform\b"
    r"|is_nvidia|(?<![a-z])cuda_version\b|version[\s\\]*\.[\s\\]*cuda\b|(?<![a-z])is_sm\d"
)
"""How code asks for a GPU of NVIDIA; `tensor.is_cuda` does not ask that."""
_ASKS = compile_lazily(rf"{AMD}|{_NVIDIA_ALONE}", re.IGNORECASE)
_KNOWS = compile_lazily(AMD, re.IGNORECASE)
_FOR_CUDA = compile_lazily(
    r"(?:^|[/_])(?:cutlass|cute(?:dsl)?|tensorrt|trt(?:_?llm)?|hopper|blackwell|nvidia|nvfp4|nunchaku"
    r"|flashinfer|marlin|deep_?gemm|deep_?ep|thor|jetson|sonic_?moe|sm_?\d\d\d?a?)(?=[/_.])"
    r"|(?:^|/)cuda(?:_\w+)?\.py$|_cuda\.py$",
    re.IGNORECASE,
)
_CUDA_FOLDER = compile_lazily(r"(?:^|/)cuda/[^/]*$")
_CUDA_PACKAGES = compile_lazily(
    r"^(?:from|import)[ \t]+(?:cuda|cutlass|cudf|cugraph|cuml|cuequivariance\w*|deep_ep|deep_gemm"
    r"|flash_attn_3|flash_attn_interface|flashinfer|nvidia|nvshmem|nvtx|pycuda|tensorrt\w*"
    r"|torch_tensorrt)\b",
    re.MULTILINE,
)
"""Imports that fail without CUDA, where nothing catches them."""
_NEEDS_CUDA = compile_lazily(
    r"(?<![a-z])(?:cutlass|cute|tensorrt|trt_?llm|hopper|blackwell|nvidia|nvfp4|nunchaku|flashinfer"
    r"|marlin|deep_?gemm|deep_?ep|jetson|sonic_?moe)(?![a-z])|e4b15",
    re.IGNORECASE,
)
_NEIGHBOURS = 4


def asks_for_vendor(node: cst.CSTNode, source: Source) -> bool:
    """Code that asks whose GPU it has, or names HIP, ROCm or AMD, in the function or the path."""
    texts = [
        around(node, source),
        *(source.text_of(each.test) for each in conditions(node, source)),
    ]
    return any(map(_ASKS.search, texts)) or names_amd(source.place)


def knows_amd(node: cst.CSTNode, source: Source) -> bool:
    """Files that name ROCm, HIP or AMD in their code, and code that asks whose GPU it has.

    Written for unslothai/unsloth, unsloth/kernels/fp8.py, and pytorch/ao,
    torchao/prototype/mx_formats/kernels.py.
    """
    return names_amd(source.code) or asks_for_vendor(node, source)


def asks_in_statement(node: cst.CSTNode, source: Source) -> bool:
    """Code that asks whose GPU it has, or names HIP, ROCm or AMD, in the function or statement."""
    return _ASKS.search(around(node, source, neighbours=0)) is not None


def names_nvidia(node: cst.CSTNode, source: Source) -> bool:
    """Functions that name NVIDIA, or what only its GPUs have: Hopper, NVFP4, fp8e4b15, Marlin."""
    return _NEEDS_CUDA.search(around(node, source)) is not None


def is_for_cuda_alone(node: cst.CSTNode, source: Source) -> bool:
    """Files for CUDA only: in `nvidia/` or `cuda/`, called `*_cuda.py`, or importing `cutlass`."""
    del node
    return _is_for_cuda_alone(source)


@once_per_file
def _is_for_cuda_alone(source: Source) -> bool:
    """Return whether the path of a file, or an import that nothing catches, says so.

    A directory `cuda/` is also where code for `torch.cuda` lies, which ROCm has too: one in which
    a module names AMD is not for CUDA alone.
    """
    if _FOR_CUDA.search(source.place) or _CUDA_PACKAGES.search(source.code):
        return True
    if not _CUDA_FOLDER.search(source.place):
        return False
    folder = os.path.dirname(os.path.abspath(source.path))
    return not any(True for _ in source.modules_with(folder, (_IN_ANY_CASE,)))


_IN_ANY_CASE = rf"(?i:{AMD}|\bis_cuda\(\))"


def names_amd(text: str) -> bool:
    """Return whether a text names AMD's GPUs or what runs on them."""
    return _KNOWS.search(text) is not None


def around(node: cst.CSTNode, source: Source, neighbours: int = _NEIGHBOURS) -> str:
    """Return the text of the top-level function with the comments above it.

    At module level it is the statement with a few lines on either side, where its like stand.
    """
    first, last = lines_around(node, source, neighbours)
    return "\n".join(source.lines[first - 1 : last])


def lines_around(
    node: cst.CSTNode, source: Source, neighbours: int = _NEIGHBOURS
) -> tuple[int, int]:
    """Return the first and the last line of what :func:`around` gives."""
    above = [each for each in source.ancestors(node) if not isinstance(each, cst.Module)]
    functions = [each for each in above if isinstance(each, cst.FunctionDef)]
    span = source.span(functions[-1] if functions else (above or [node])[-1])
    first, last = span.line, span.end_line
    if not functions:
        return max(1, first - neighbours), last + neighbours
    while first > 1 and source.lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return first, last
