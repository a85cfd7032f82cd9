"""ROC102, faked-check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule
from rocmlint.rule.claims import kernel_package

from ._faked_checks import (
    FAST_PACKAGES,
    FAST_PATH,
    PUTS_MODULES,
    SETS_CHECKS,
    Fake,
    fixed_answers,
    is_in_pytest,
    is_off_for_a_reason,
    is_only_for_cuda,
    is_put_back,
    is_true_anyway,
    made_up_finders,
    passes_every_check,
    stubs,
)
from ._patches import claims_of_check

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Claim, Finding, Source


class FakedCheck(PythonRule["cst.Assign | cst.Call"]):
    """An availability or patch check that is made to pass.

    ## Why it matters
    A check exists because something needs what it checks: patched files of transformers, a
    compiled extension, a new enough version. When the check is replaced by one that says yes, or
    its module by a stub, the program starts and runs the stock code: wrong numbers, or attention
    that is two to four times slower, and nothing says so.

    A check of a fast path that is always answered no (a warning) is the same lie the other way
    round: the fast path stays off on every machine, also on those that have it.

    ## Example
    ```python
    import transformers.utils.import_utils as import_utils

    import_utils.is_flash_attn_2_available = lambda: True
    ```

    ## Use instead
    Find out why the check fails and fix that: install the package or the patched files. Then
    delete the fake, and take another way where the package is missing.
    ```python
    from transformers.utils import is_flash_attn_2_available

    attention = "flash_attention_2" if is_flash_attn_2_available() else "sdpa"
    ```

    ## References
    - https://huggingface.co/docs/transformers/attention_interface
    - https://docs.python.org/3/library/importlib.html#importlib.util.find_spec
    """

    code = "ROC102"
    name = "faked-check"
    since = "0.1.0"
    skips = frozenset({"test"})
    on = SETS_CHECKS | PUTS_MODULES
    excuses = (is_in_pytest, is_put_back, is_only_for_cuda, is_off_for_a_reason, is_true_anyway)

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find what replaces a check by one that always says the same."""
        for fake in _fakes(node, source):
            if not self.is_excused(fake, source):
                severity = "warning" if fake.said == "False" else self.severity
                claims = _claims(fake, source)
                yield self.finding(node, source, _message(fake), severity=severity, claims=claims)


def _fakes(node: cst.Assign | cst.Call, source: Source) -> Iterator[Fake]:
    for fake in fixed_answers(node, source):
        fast_path_off = fake.said == "False" and FAST_PATH.search(fake.name) is not None
        says_no = fast_path_off and not fake.is_patch_check
        if fake.kind == "answer" and (fake.said == "True" or says_no):
            yield fake
    yield from made_up_finders(node, source)
    for stub in stubs(node, source):
        if passes_every_check(stub, source):
            yield Fake(node, "module", stub.name)


def _claims(fake: Fake, source: Source) -> tuple[Claim, ...]:
    """Give what would be true if the check passed by itself."""
    if fake.kind == "module":
        return claims_of_check(fake.name, source)
    if fake.owner is None or fake.said == "False":
        return ()
    if fake.is_patch_check:
        return claims_of_check(f"{source.resolve(fake.owner)}.{fake.name}", source)
    return tuple(kernel_package(each) for each in FAST_PACKAGES if each in fake.name)


def _message(fake: Fake) -> str:
    if fake.kind == "finder":
        return (
            "`find_spec` is replaced by one that makes up specs: packages that are not "
            "installed count as available, and what needs them fails later or runs a stub. "
            "Install the package and delete this."
        )
    if fake.kind == "module":
        return (
            f"`{fake.name or 'this module'}` becomes a stub whose check always passes: the patched "
            f"files it looks for may be missing, then the stock code runs and nothing says "
            f"so. Install the patched files and delete the stub."
        )
    if fake.is_patch_check:
        return (
            f"`{fake.target}` always passes from here on: without the patched files the stock code "
            f"runs (wrong numbers, or attention 2 to 4 times slower) and nothing says so. Install "
            f"the patched files and delete this line."
        )
    if fake.said == "False":
        return (
            f"`{fake.target}` always says no from here on: this fast path is off on every machine, "
            f"also on ROCm with it installed. Delete the line, or write the reason in a comment "
            f"above it."
        )
    return (
        f"`{fake.target}` always passes from here on, whether or not what it looks for is there: "
        f"the code behind it fails later or runs on a stub. Mend what makes the check fail, and "
        f"delete this line."
    )
