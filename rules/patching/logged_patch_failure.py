"""ROC114, logged-patch-failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, shortened

from ._swallowed import (
    CALLS_IN_TRY,
    claim_after,
    is_best_effort,
    is_in_library,
    is_outcome_kept,
    is_reason_given,
    swallowed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class LoggedPatchFailure(PythonRule["cst.Call"]):
    """A patch or a fast path whose failure is only logged.

    ## Why it matters
    A line in a long log is seldom read. The run goes on with the stock code, and its speed and
    numbers are taken for those of the patched one.

    ## Example
    ```python
    import logging

    from liger_kernel.transformers import apply_liger_kernel_to_qwen2

    try:
        apply_liger_kernel_to_qwen2()
    except Exception:
        logging.exception("liger")
    ```

    ## Use instead
    Let the error out, or record in the results whether the patch is active.
    ```python
    from liger_kernel.transformers import apply_liger_kernel_to_qwen2

    apply_liger_kernel_to_qwen2()
    ```

    ## References
    - https://docs.python.org/3/tutorial/errors.html#handling-exceptions
    """

    code = "ROC114"
    name = "logged-patch-failure"
    since = "0.1.0"
    severity = "warning"
    preview = True
    skips = frozenset({"test"})
    on = CALLS_IN_TRY
    excuses = (is_reason_given, is_outcome_kept, is_best_effort, is_in_library)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find handlers around a patch that do nothing but log."""
        found = swallowed(node, source)
        if found is None or not found.is_logged or claim_after(found.block, source) is not None:
            return
        if not self.is_excused(found, source):
            message = f"An error in `{shortened(source.text_of(node.func))}` is only logged"
            advice = "Let the error propagate, or record in the results whether it is active."
            yield self.finding(node, source, message, help=advice)
