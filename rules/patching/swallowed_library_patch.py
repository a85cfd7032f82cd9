"""ROC115, swallowed-library-patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, shortened

from ._swallowed import (
    CALLS_IN_TRY,
    claim_after,
    is_best_effort,
    is_of_own_library,
    is_outcome_kept,
    is_reason_given,
    raise_instead,
    swallowed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class SwallowedLibraryPatch(PythonRule["cst.Call"]):
    """A library that swallows the failure of a patch of its own.

    ## Why it matters
    Whoever imports the library believes that its patches are active. Where one fails, because
    the patched package changed, the stock code runs and no user of the library finds out.

    ## Example
    ```python title="speechlab/__init__.py"
    import torch
    from speechlab.kernels import patch_attention_for_rocm

    try:
        patch_attention_for_rocm(torch)
    except Exception:
        pass
    ```

    ## Use instead
    Let the error out, or keep whether it went well where users can ask for it.
    ```python title="speechlab/__init__.py"
    import torch
    from speechlab.kernels import patch_attention_for_rocm

    patch_attention_for_rocm(torch)
    ```

    ## Fix safety
    ``raise`` instead of ``pass`` is unsafe: a failure that was swallowed now ends the run.

    ## References
    - https://docs.python.org/3/tutorial/errors.html#handling-exceptions
    """

    code = "ROC115"
    name = "swallowed-library-patch"
    since = "0.1.0"
    severity = "warning"
    preview = True
    skips = frozenset({"test"})
    on = CALLS_IN_TRY
    excuses = (is_reason_given, is_outcome_kept, is_best_effort)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find handlers of a package that throw away the failure of a patch of the package."""
        found = swallowed(node, source)
        if found is None or found.is_logged or claim_after(found.block, source) is not None:
            return
        if is_of_own_library(found, source) and not self.is_excused(found, source):
            called = shortened(source.text_of(node.func))
            message = f"An error in `{called}` is swallowed by the library whose patch it is"
            advice = (
                "Let the error propagate, or keep whether the patch is active for users to read."
            )
            fix = raise_instead(found, source)
            yield self.finding(node, source, message, help=advice, fix=fix)
