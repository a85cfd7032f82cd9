"""ROC805, cond-misuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import PythonRule, Span, calls, fitted, once_per_file

from ._flow import inferred, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

    from ._branches import Problem

_COND = frozenset(
    {"torch.cond", "torch._higher_order_ops.cond", "torch._higher_order_ops.cond.cond"}
    | {"torch.ops.higher_order.cond", "functorch.experimental.control_flow.cond"}
)


class _Place(NamedTuple):
    span: Span


class CondMisuse(PythonRule["cst.Call"]):
    """``torch.cond`` is called in a form that cannot be exported.

    ## Why it matters
    ``torch.cond`` runs both branches to record them, so they must be functions without side
    effects: nothing that goes in may come out again or be changed, both must give tensors of the
    same number and dtype, and operands must be tensors. Branches may use tensors, weights, numbers
    and ``self`` from around them. ``not``, ``and`` and ``or`` in the predicate ask Python for the
    truth of a tensor before ``torch.cond`` can. All of this was tried with torch 2.13.

    ## Example
    ```python
    import torch

    def clamp(x: torch.Tensor, limit: float):
        is_large = (x > limit).any()
        return torch.cond(not is_large, lambda x: x, lambda x: x.clamp(max=limit), (x,))
    ```

    ## Use instead
    ```python
    import torch

    def clamp(x: torch.Tensor, limit: float):
        is_large = (x > limit).any()
        return torch.cond(is_large, lambda x: x.clamp(max=limit), lambda x: x.clone(), (x,))
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/higher_order_ops/cond.html
    - https://github.com/pytorch/pytorch/issues/153832
    """

    code = "ROC805"
    name = "cond-misuse"
    since = "0.1.0"
    profile = "export"
    on = calls("cond")
    skips = frozenset({"test"})

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find what an export does not take in a call of `torch.cond`."""
        if source.resolve(node.func) not in _COND:
            return
        span = source.span(node)
        for problem in _problems(source).get((span.line, span.column), ()):
            message = fitted("{}", problem.message)
            yield self.finding(
                _Place(span_of(problem.node, source)), source, message, help=problem.help
            )


@once_per_file
def _problems(source: Source) -> dict[tuple[int, int], list[Problem]]:
    """Return what is wrong with the calls of a file, by where they begin."""
    import ast  # noqa: PLC0415 - few files call it

    from ._cond import problems_of  # noqa: PLC0415

    inference = inferred(source)
    if inference is None:
        return {}
    places = (
        (span_of(node, source), node)
        for node in ast.walk(inference.tree)
        if isinstance(node, ast.Call) and "cond" in ast.unparse(node.func)
    )
    return {(span.line, span.column): [*problems_of(node, inference)] for span, node in places}
