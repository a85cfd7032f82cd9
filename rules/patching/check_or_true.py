"""ROC111, check-or-true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Edit, Fix, PythonRule, compile_lazily, constant, last_name, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_TELLING = compile_lazily(
    r"_?(?:check|has|have|supports?|validate|verify)_\w+"
    r"|\w+_(?:available|installed|patched|supported)|HAS_\w+|\w+_AVAILABLE"
)
_FLAG = compile_lazily(r"_?(?:HAS|HAVE)_\w+|\w+_(?:AVAILABLE|available|INSTALLED)")


class CheckOrTrue(PythonRule["cst.BooleanOperation"]):
    """Check ends in ``or True``, so it always passes.

    ## Why it matters
    What the check guards runs without what it needs: a kernel that is not installed, patched
    files that are not there. It fails later, or runs the stock code, and nothing says so.

    ## Example
    ```python
    import importlib.util

    HAS_AITER = importlib.util.find_spec("aiter") is not None or True
    ```

    ## Use instead
    ```python
    import importlib.util

    HAS_AITER = importlib.util.find_spec("aiter") is not None
    ```

    ## Fix safety
    Removing ``or True`` is unsafe: the check can fail again, which is the point.

    ## References
    - https://docs.python.org/3/reference/expressions.html#boolean-operations
    """

    code = "ROC111"
    name = "check-or-true"
    since = "0.1.0"
    skips = frozenset({"test"})
    on = nodes(
        "BooleanOperation",
        words=("or True", "or (True", "or  "),
        where=r"or(?<!\wor)[\s\\(]+True\b",
        described="`or True`",
    )

    def check(self, node: cst.BooleanOperation, source: Source) -> Iterator[Finding]:
        """Find a check that ends in ``or True``."""
        if not isinstance(node.operator, cst.Or) or constant(node.right) != "True":
            return
        if not _is_result_of_check(node, source):
            return
        message = "`or True` makes this check pass whatever it tests"
        advice = "Remove `or True`, and fix what the check then reports."
        yield self.finding(node, source, message, help=advice, fix=_fix(node, source))


def _is_result_of_check(node: cst.BooleanOperation, source: Source) -> bool:
    """Return whether a value is what a check returns, what a flag is set to, or an ``if`` asks."""
    parent = source.parent(node)
    if isinstance(parent, cst.Return):
        function = source.function(node)
        return function is not None and _TELLING.fullmatch(function.name.value) is not None
    if isinstance(parent, cst.Assign) and isinstance(parent.targets[0].target, cst.Name):
        if _FLAG.fullmatch(parent.targets[0].target.value):
            return True
    elif not isinstance(parent, cst.If):
        return False
    question = node.left.func if isinstance(node.left, cst.Call) else node.left
    return _TELLING.fullmatch(last_name(question) or "") is not None


def _fix(node: cst.BooleanOperation, source: Source) -> Fix | None:
    spaces = (node.operator.whitespace_before, node.operator.whitespace_after)
    brackets = (*node.left.rpar, *node.right.lpar)
    if brackets or not all(isinstance(each, cst.SimpleWhitespace) for each in spaces):
        return None  # there may be a comment in between
    left, whole = source.span(node.left), source.span(node)
    place = (left.end_line, left.end_column, whole.end_line, whole.end_column)
    edit = Edit(*place, "", was="or True")
    return Fix("Remove `or True`", (edit,))
