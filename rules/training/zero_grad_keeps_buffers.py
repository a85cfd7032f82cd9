"""ROC506, zero-grad-keeps-buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import Fix, PythonRule, argument, calls, compile_lazily, constant, fitted

from ._loop import in_step

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_NEEDS_BUFFERS = compile_lazily(
    r"CUDAGraph|cudagraph|cuda_?graph|\bcuda[\s\\]*\.[\s\\]*graph\b|graph_capture|graphed_callables"
    r"|reduce-overhead|torch_xla|gradient_as_bucket_view|main_grad|flat_grad|grad_buffer|\bFlat\w+"
    r"|FullyShardedDataParallel|fully_shard|\.[\s\\]*grad\b"
)


def needs_buffers(node: cst.Call, source: Source) -> bool:
    """Files that use `.grad`, or what needs gradients to stay: CUDA graphs, FSDP, DDP buckets."""
    del node
    return _NEEDS_BUFFERS.search(source.text) is not None


def says_why(node: cst.Call, source: Source) -> bool:
    """Calls with a comment, above or on the same line."""
    span = source.span(node)
    return any(span.line - 1 <= each.line <= span.end_line for each in source.comments)


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
    excuses = (needs_buffers, says_why)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls that keep the buffers, and nothing that needs them."""
        keeps = argument(node, 0, "set_to_none")
        if keeps is None or constant(keeps) != "False" or in_step(node, source) is None:
            return
        if self.is_excused(node, source):
            return
        function = source.text_of(node.func)
        message = fitted("`{}(set_to_none=False)` keeps the memory of all gradients", function)
        help = (
            "Pass `set_to_none=True`, the default, or say in a comment what needs "
            "the buffers. As it is, the next forward pass runs beside them."
        )
        fix = Fix("Free the gradients", (source.replace(keeps, "True"),))
        yield self.finding(node, source, message, help=help, fix=fix)
