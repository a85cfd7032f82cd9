"""ROC108, emptied-check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule
from rocmlint.rule.claims import faked, kernel_package

from ._faked_checks import (
    FAST_PACKAGES,
    SETS_CHECKS,
    fixed_answers,
    is_in_pytest,
    is_known,
    is_only_for_cuda,
    is_put_back,
    is_true_anyway,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class EmptiedCheck(PythonRule["cst.Assign | cst.Call"]):
    """Check in a library is replaced with a function that does nothing.

    ## Why it matters
    Checks such as ``check_torch_load_is_safe`` raise an error where the version is too old or a
    file cannot be trusted. Replaced with a function that returns None, they never raise: the
    program goes on with what the library refuses to run with, and fails later or computes
    something else.

    ## Example
    ```python
    import transformers.modeling_utils as modeling_utils

    modeling_utils.check_torch_load_is_safe = lambda: None
    ```

    ## Use instead
    Fix what the check complains about: here, load safetensors or upgrade PyTorch.
    ```python
    from transformers import AutoModel

    model = AutoModel.from_pretrained("openai/clip-vit-base-patch32", use_safetensors=True)
    ```

    ## References
    - https://nvd.nist.gov/vuln/detail/CVE-2025-32434
    """

    code = "ROC108"
    name = "emptied-check"
    since = "0.1.0"
    preview = True
    skips = frozenset({"test"})
    on = SETS_CHECKS
    excuses = (is_in_pytest, is_put_back, is_only_for_cuda, is_true_anyway)

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find checks of known packages that do nothing from here on."""
        for fake in fixed_answers(node, source):
            emptied = fake.kind == "answer" and fake.said == "None" and not fake.is_patch_check
            if not emptied or not is_known(fake.owner, source) or self.is_excused(fake, source):
                continue
            message = f"`{fake.shown}` is replaced with a function that does nothing"
            advice = "Fix what makes the check fail, and delete this line."
            claims = faked(kernel_package(each) for each in FAST_PACKAGES if each in fake.name)
            yield self.finding(node, source, message, help=advice, claims=claims)
