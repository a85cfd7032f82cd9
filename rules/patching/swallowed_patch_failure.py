"""ROC103, swallowed-patch-failure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, last_name, nodes, shortened, statements

from ._patches import PATCH_CHECK, PATCH_WORDS, claims_of_check, is_silent, logged
from ._swallowed import (
    CALLS_IN_TRY,
    Swallowed,
    claim_after,
    is_applied_before,
    is_logged_only,
    is_of_own_library,
    is_optional,
    is_outcome_kept,
    is_reason_given,
    raise_instead,
    swallowed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source


class SwallowedPatchFailure(PythonRule["cst.Call | cst.If"]):
    """Failure of a patch or fast path is silently ignored.

    ## Why it matters
    Patches and fast paths fail when a version changed, a file is missing or a kernel does not
    load. In a ``try`` whose ``except`` does nothing, the run then goes on with the stock code:
    its speed and numbers are not those of the run that it is compared with, and nothing says so.

    A check for patched files that only logs a warning is the same: the stock code runs.

    ## Example
    ```python
    from diffusers import FluxPipeline

    pipeline = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-dev")
    try:
        pipeline.transformer.set_attention_backend("aiter")
    except Exception:
        pass
    ```

    ## Use instead
    Let the error out. Where the run may go on, log the error with its traceback and record in
    the results whether the patch is active.
    ```python
    from diffusers import FluxPipeline

    pipeline = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-dev")
    pipeline.transformer.set_attention_backend("aiter")
    ```

    ## Fix safety
    ``raise`` instead of ``pass`` is unsafe: a failure that was swallowed now ends the run,
    which is the point.

    ## References
    - https://docs.python.org/3/tutorial/errors.html#handling-exceptions
    - https://huggingface.co/docs/diffusers/optimization/attention_backends
    """

    code = "ROC103"
    name = "swallowed-patch-failure"
    since = "0.1.0"
    severity = "warning"
    retired = {  # noqa: RUF012 - a constant of the class, like its code
        "ROC114": "logged-patch-failure",
        "ROC115": "swallowed-library-patch",
    }
    tiers = {"error": "the next line says that it is enabled, whatever happened"}  # noqa: RUF012
    skips = frozenset({"test"})
    on = CALLS_IN_TRY | nodes(
        "If",
        words=PATCH_WORDS,
        where=rf"not\b(?<!\wnot)[\s(]*(?:\w+\s*\.\s*)*(?:{PATCH_CHECK})\s*\(",
        described="`if not` with a check for patched files",
    )
    excuses = (is_reason_given, is_outcome_kept, is_applied_before)
    doubts = (is_logged_only, is_of_own_library, is_optional)

    def check(self, node: cst.Call | cst.If, source: Source) -> Iterator[Finding]:
        """Find patches whose failure is swallowed, and patch checks that stop nothing."""
        found = _unheeded(node) if isinstance(node, cst.If) else swallowed(node, source)
        severity = None if found is None else self.severity_of(found, source)
        if found is None or severity is None:
            return
        if isinstance(found.block, cst.If):
            claims = claims_of_check(found.call.func, source)
            said = next(filter(None, map(logged, statements(found.block.body))))
            message = f"`{_called(found, source)}` fails here, and that is only logged"
            advice = "Raise an error: without the patched files the stock code runs."
            yield self.finding(said, source, message, help=advice, claims=claims)
            return
        claim = claim_after(found.block, source)
        if claim is not None:
            where = source.named_line(source.span(claim).line)
            message = (
                f"An error in `{_called(found, source)}` is swallowed, and {where} reports success"
            )
            advice = "Let the error propagate, or log success only where there was no error."
            yield self.finding(node, source, message, help=advice, severity="error")
            return
        what = "only logged" if found.is_logged else "swallowed"
        message = f"An error in `{_called(found, source)}` is {what}"
        advice = (
            "Let the error propagate, or record in the results whether it is active. Without that, "
            "a run of the slow or stock code looks like a patched or fast one."
        )
        fix = raise_instead(found, source)
        yield self.finding(node, source, message, help=advice, fix=fix, severity=severity)


def _unheeded(node: cst.If) -> Swallowed | None:
    """Find ``if not check_patches(): log(…)``."""
    question = node.test.expression if isinstance(node.test, cst.UnaryOperation) else None
    if not isinstance(question, cst.Call) or node.orelse is not None:
        return None
    if not re.fullmatch(PATCH_CHECK, last_name(question.func) or ""):
        return None
    body = [each for each in statements(node.body) if not is_silent(each)]
    only_logs = body and all(logged(each) is not None for each in body)
    return Swallowed(question, node) if only_logs else None


def _called(found: Swallowed, source: Source) -> str:
    return shortened(".".join(source.text_of(found.call.func).split(".")[-2:]))
