"""ROC506, zero-grad-keeps-buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import Fix, PythonRule, argument, calls, compile_lazily, constant, fitted

from ._loop import in_step, never_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_FIXED_ADDRESSES = compile_lazily(
    r"CUDAGraph|cudagraph|cuda_?graph|\bcuda[\s\\]*\.[\s\\]*graph\b|graph_capture|graphed_callables"
    r"|reduce-overhead|torch_xla"
)
_FLAT_BUFFERS = compile_lazily(
    r"gradient_as_bucket_view|main_grad|flat_grad|grad_buffer|\bFlat\w+|FullyShardedDataParallel"
    r"|fully_shard"
)
_USES_GRADIENT = compile_lazily(r"\.[\s\\]*grad\b")
_ASKS_FOR_GRADIENT = compile_lazily(r"(?<!assert )\b[\w.\[\]]+[\s\\]*\.[\s\\]*grad[\s\\]+is[\s\\]")
_ASSERTS_GRADIENT = compile_lazily(r"\bassert\b[^\n]*\.[\s\\]*grad\b")


def needs_addresses(node: cst.Call, source: Source) -> bool:
    """Files with CUDA graphs or torch_xla, which need gradients at fixed addresses."""
    del node
    return _FIXED_ADDRESSES.search(source.text) is not None


def has_flat_buffers(node: cst.Call, source: Source) -> bool:
    """Files that keep gradients in flat buffers: DDP's buckets, FSDP, `main_grad`."""
    del node
    return _FLAT_BUFFERS.search(source.text) is not None


def needs_gradients(node: cst.Call, source: Source) -> bool:
    """Files that use `.grad` and nowhere ask whether it is None."""
    del node
    if _ASSERTS_GRADIENT.search(source.code):
        return True
    asks = _ASKS_FOR_GRADIENT.search(source.code) is not None
    return not asks and _USES_GRADIENT.search(source.code) is not None


def is_outside_step(node: cst.Call, source: Source) -> bool:
    """Calls outside of training steps, unless the file asks whether a gradient is None."""
    return in_step(node, source) is None and not _ASKS_FOR_GRADIENT.search(source.code)


def says_why(node: cst.Call, source: Source) -> bool:
    """Calls with a comment, above or on the same line."""
    span = source.span(node)
    return any(span.line - 1 <= each.line <= span.end_line for each in source.comments)


def is_wrapper(node: cst.Call, source: Source) -> bool:
    """Calls in a method that clears gradients itself, such as that of a wrapped optimizer."""
    function = source.function(node)
    return function is not None and "zero_grad" in function.name.value


def is_unused(node: cst.Call, source: Source) -> bool:
    """Functions that nothing calls, what is put aside, and copies that nothing around names."""
    return never_runs(node, source)


class ZeroGradKeepsBuffers(PythonRule["cst.Call"]):
    """``zero_grad(set_to_none=False)`` keeps gradient buffers without a reason.

    ## Why it matters
    Gradients that are set to zero stay allocated: the next forward pass runs beside a buffer as
    large as all trainable weights, and the peak of the memory is higher by as much. Each call
    also writes all those zeros, and the backward pass reads them to add to them. With
    ``set_to_none=True``, the default since PyTorch 2.0, the memory is free until the backward
    pass needs it.

    ## Example
    ```python
    import torch

    def train(model, optimizer, loader):
        for batch in loader:
            optimizer.zero_grad(set_to_none=False)
            model(batch).mean().backward()
            optimizer.step()
    ```

    ## Use instead
    If something needs the buffers, say so in a comment.
    ```python
    import torch

    def train(model, optimizer, loader):
        for batch in loader:
            optimizer.zero_grad(set_to_none=True)
            model(batch).mean().backward()
            optimizer.step()
    ```

    ## Fix safety
    Unsafe: optimizers leave alone parameters without a gradient, where they apply momentum and
    weight decay to those with a gradient of zero, and other code may read ``.grad``.

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "ROC506"
    name = "zero-grad-keeps-buffers"
    since = "0.1.0"
    on = calls("zero_grad", words=("set_to_none",), where=r"\bzero_grad\b")
    severity = "note"
    skips = frozenset({"test", "benchmark"})
    excuses = (
        needs_addresses,
        has_flat_buffers,
        needs_gradients,
        is_outside_step,
        says_why,
        is_wrapper,
        is_unused,
    )

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls that keep the buffers, and nothing that needs them."""
        keeps = argument(node, 0, "set_to_none")
        if keeps is None or constant(keeps) != "False" or self.is_excused(node, source):
            return
        function = source.text_of(node.func)
        message = fitted("`{}(set_to_none=False)` keeps the memory of all gradients", function)
        help = (
            "Pass `set_to_none=True`, the default, or say in a comment what needs "
            "the buffers. As it is, the next forward pass runs beside them."
        )
        fix = Fix("Free the gradients", (source.replace(keeps, "True"),))
        yield self.finding(node, source, message, help=help, fix=fix)
