"""ROC307, warp-size-32."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    compile_lazily,
    conditions,
    dotted_text,
    last_name,
    nodes,
    string_value,
    walk,
)

from ._caught import ANY_ERROR, handler_of
from ._vendor import asks_in_statement, names_amd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_LANES = 64
_MOST_THREADS = 1024
_KERNELS = compile_lazily(r"\b(?:triton|tilelang|gluon|numba)\b")
_WARPS = compile_lazily(r"(?:^|_)num_warps$")
_ASKS_SIZE = compile_lazily(r"(?i)warp_?size|wave_?front|wave_?size|lanes|xpu")
_WARP_SIZE = compile_lazily(r"(?i)(?:^|_)(?:warp_?size|threads_per_warp|lanes_per_warp)$")
_TUNERS = frozenset({"Config", "autotune"})
_CHOOSES = compile_lazily(r"(?i)configs|prune")
_WORDS = ("num_warps", "warp_size", "WARP_SIZE", "warpSize", "threads_per_warp", "THREADS_PER_WARP")


def prunes_for_amd(node: cst.Integer, source: Source) -> bool:
    """Files with a function, or a line, that chooses configurations by ROCm, HIP or AMD."""
    del node
    functions = (each for each in walk(source.module) if isinstance(each, cst.FunctionDef))
    texts = chain(source.lines, map(source.text_of, functions))
    return any(names_amd(each) and _CHOOSES.search(each) for each in texts)


def is_chosen_by_size(node: cst.Integer, source: Source) -> bool:
    """Numbers under a condition that asks for the size of a warp, or for XPUs.

    Written for linkedin/Liger-Kernel, src/liger_kernel/ops/kl_div.py.
    """
    asked = [source.text_of(each.test) for each in conditions(node, source)]
    loop = source.enclosing(node, cst.CompFor)
    filters = [source.text_of(each.test) for each in loop.ifs] if loop is not None else []
    return any(map(_ASKS_SIZE.search, asked + filters))


def is_tuned(node: cst.Integer, source: Source) -> bool:
    """Configurations of an autotuner, which drops what the GPU cannot launch."""
    calls = (each for each in source.ancestors(node) if isinstance(each, cst.Call))
    return any(last_name(each.func) in _TUNERS for each in calls)


def is_tried(node: cst.Integer, source: Source) -> bool:
    """Launches in a `try` that catches every error."""
    return handler_of(node, source, ANY_ERROR) is not None


class WarpSize32(PythonRule["cst.Integer"]):
    """Kernel assumes warps of 32 threads.

    ## Why it matters
    AMD's Instinct GPUs (gfx9) run 64 threads in a warp, which HIP calls a wavefront; Radeon GPUs
    run 32. Triton's ``num_warps=32`` is 2048 threads on Instinct, and a block has at most 1024: the
    kernel does not launch. Configurations of an autotuner are not reported: Triton drops those that
    cannot be launched. A layout computed with ``warp_size = 32`` is that of half a warp.

    One such number of a function, class or list of configurations is reported.

    ## Example
    ```python
    import triton

    def warps(block_size):
        num_warps = 32 if block_size >= 32768 else 8
        return num_warps
    ```

    ## Use instead
    ```python
    import torch
    import triton

    MOST_WARPS = 16 if torch.version.hip is not None else 32

    def warps(block_size):
        num_warps = MOST_WARPS if block_size >= 32768 else 8
        return num_warps
    ```
    In a kernel that needs the size of a warp, pass it in: ``driver.active.get_current_target()`` of
    Triton has it as ``warp_size``.

    ## References
    - https://rocm.docs.amd.com/projects/HIP/en/latest/understand/hardware_implementation.html
    - https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html
    """

    code = "ROC307"
    name = "warp-size-32"
    since = "0.1.0"
    severity = "warning"
    on = nodes(
        "Integer",
        words=_WORDS,
        where=r"(?<![\w.])(?:32|64)(?![\w.])",
        described="numbers that a kernel gets as `num_warps` or `warp_size`",
    )
    excuses = (asks_in_statement, prunes_for_amd, is_chosen_by_size, is_tuned)
    doubts = (is_tried,)

    def check(self, node: cst.Integer, source: Source) -> Iterator[Finding]:
        """Find numbers of warps that are too many for AMD, and 32 as the size of a warp."""
        number = node.evaluated_value
        names = list(_names(node, source))
        if any(map(_WARPS.search, names)) and number * _LANES > _MOST_THREADS:
            message = (
                f"{number} warps of 64 threads are {number * _LANES}, and a block on Instinct has "
                f"at most {_MOST_THREADS}"
            )
            advice = "Use at most 16 warps if `torch.version.hip is not None`."
        elif any(map(_WARP_SIZE.search, names)) and number == 32:
            message = "A warp has 64 threads on AMD's Instinct GPUs, not 32"
            advice = (
                "Ask for it: `warp_size` of `torch.cuda.get_device_properties()`, or of Triton's "
                "`driver.active.get_current_target()`."
            )
        else:
            return
        is_kernel = _KERNELS.search(source.code) is not None  # late: a search of the whole file
        severity = self.severity_of(node, source) if is_kernel else None
        if severity is not None:
            finding = self.finding(node, source, message, help=advice, severity=severity)
            *_, statement, _ = (node, *source.ancestors(node))
            once = f"{self.code} {source.path} {source.span(statement).line}"
            yield replace(finding, once=once)


def _names(node: cst.BaseExpression, source: Source) -> Iterator[str]:
    """Yield the names of parameters and variables that a value may be given to."""
    parent = source.parent(node)
    while isinstance(parent, cst.IfExp) and parent.test is not node:
        node, parent = parent, source.parent(parent)
    if isinstance(parent, cst.Arg) and parent.keyword is not None:
        yield parent.keyword.value
    elif isinstance(parent, cst.Arg):
        call = source.parent(parent)
        if isinstance(call, cst.Call) and (dotted_text(call.func) or "").endswith("constexpr"):
            yield from _names(call, source)
    elif isinstance(parent, cst.Param):
        yield parent.name.value
    elif isinstance(parent, cst.DictElement):
        yield string_value(parent.key) or ""
    elif isinstance(parent, cst.Assign):
        yield from (dotted_text(each.target) or "" for each in parent.targets)
    elif isinstance(parent, cst.AnnAssign):
        yield dotted_text(parent.target) or ""
    elif isinstance(parent, cst.Element):
        yield from _names_of_element(parent, source)


def _names_of_element(element: cst.Element, source: Source) -> Iterator[str]:
    """Yield what a value in a list is given to: variables beside, or those of a loop over it."""
    holder = source.parent(element)
    if not isinstance(holder, (cst.Tuple, cst.List, cst.Set)):
        return
    user = source.parent(holder)
    if isinstance(user, cst.Assign):
        for each in user.targets:
            targets = getattr(each.target, "elements", ())
            if len(targets) == len(holder.elements):
                yield dotted_text(targets[list(holder.elements).index(element)].value) or ""
    elif isinstance(user, (cst.CompFor, cst.For)) and isinstance(user.target, cst.Name):
        yield user.target.value
        around = source.parent(user) if isinstance(user, cst.CompFor) else user.body
        for node in walk(around) if around is not None else ():
            if isinstance(node, cst.Call) and last_name(node.func) not in _TUNERS:
                for given in node.args:
                    if given.keyword is not None and dotted_text(given.value) == user.target.value:
                        yield given.keyword.value
