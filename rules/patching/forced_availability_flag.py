"""ROC109, forced-availability-flag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, conditions
from rocmlint.rule.claims import faked, kernel_package

from ._faked_checks import (
    FAST_PACKAGES,
    FAST_PATH,
    SETS_CHECKS,
    Fake,
    fixed_answers,
    is_in_pytest,
    is_known,
    is_off_for_a_reason,
    is_only_for_cuda,
    is_put_back,
    is_true_anyway,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


def is_under_condition(fake: Fake, source: Source) -> bool:
    """Flags that are set under an `if`."""
    return any(each.holds for each in conditions(fake.node, source))


class ForcedAvailabilityFlag(PythonRule["cst.Assign | cst.Call"]):
    """Availability flag of a library is set by hand.

    ## Why it matters
    diffusers and transformers look once whether a package is installed and keep the answer in a
    flag such as ``_bitsandbytes_available``. Set from outside, the flag says nothing about this
    machine any more: code that needs the package fails later, or a fast path stays off where the
    package is installed.

    ## Example
    ```python
    import diffusers.utils.import_utils

    diffusers.utils.import_utils._bitsandbytes_available = True
    ```

    ## Use instead
    Install the package, and ask the library.
    ```python
    from diffusers.utils import is_bitsandbytes_available

    quantized = is_bitsandbytes_available()
    ```

    ## References
    - https://github.com/huggingface/diffusers/blob/main/src/diffusers/utils/import_utils.py
    """

    code = "ROC109"
    name = "forced-availability-flag"
    since = "0.1.0"
    preview = True
    skips = frozenset({"test"})
    on = SETS_CHECKS
    excuses = (
        is_in_pytest,
        is_under_condition,
        is_put_back,
        is_only_for_cuda,
        is_off_for_a_reason,
        is_true_anyway,
    )

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find flags of known packages that are set to a constant."""
        for fake in fixed_answers(node, source):
            if not _is_flag_of_library(fake, source) or self.is_excused(fake, source):
                continue
            off = fake.said == "False"
            message = f"`{fake.shown}` is set to {fake.said}, whatever is installed"
            advice = (
                "Delete this line: the fast path is off on every machine."
                if off
                else "Install the package and delete this line. What needs it fails later."
            )
            found = (kernel_package(each) for each in FAST_PACKAGES if each in fake.name)
            claims = () if off else faked(found)
            severity = "warning" if off else self.severity
            yield self.finding(node, source, message, help=advice, severity=severity, claims=claims)


def _is_flag_of_library(fake: Fake, source: Source) -> bool:
    """Return whether a constant for a check's result is set; a no counts for fast paths only."""
    named_so = fake.name.startswith("_") and fake.name.endswith("_available")
    matters = fake.said != "False" or FAST_PATH.search(fake.name) is not None
    return (
        fake.kind == "flag"
        and not fake.is_patch_check
        and named_so
        and matters
        and is_known(fake.owner, source)
    )
