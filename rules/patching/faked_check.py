"""ROC102, faked-check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import PythonRule, shortened, walk
from rocmlint.rule.claims import faked, kernel_package

from ._faked_checks import (
    ATTENTION,
    FAST_PACKAGES,
    FAST_PATH,
    PUTS_MODULES,
    SETS_CHECKS,
    Fake,
    filled_by_callers,
    fixed_answers,
    is_asked_first,
    is_conditional_yes,
    is_doubtful_flag,
    is_for_lack,
    is_in_test,
    is_off_for_a_reason,
    is_program_of_tests,
    is_put_back,
    made_up_finders,
    made_up_specs,
    passes_every_check,
    pretended_modules,
    stubs,
    weak_answers,
)
from ._patches import claims_of_check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Claim, Finding, Source


class FakedCheck(PythonRule["cst.Assign | cst.Call"]):
    """Availability or patch check is forced to succeed.

    ## Why it matters
    A check exists because something needs what it checks: patched files of transformers, a
    compiled extension, a new enough version. When the check is replaced with one that says yes,
    or its module with a stub, the program starts and runs the stock code: wrong numbers, or
    attention that is two to four times slower, and nothing says so.

    An import is a check as well. A stub of ``flash_attn`` or ``xformers`` with mocks for functions
    makes every import succeed, and a call returns a mock. An empty module instead of one
    that the package has, such as ``torchvision._meta_registrations``, hides that the package was
    built for another PyTorch.

    A check that raises where something is wrong, such as ``check_torch_load_is_safe``, passes if it
    does nothing. A check of a fast path that always says no is the same fault the other way round:
    the fast path stays off on every machine, also on those that have it.

    Several fakes in one function are reported once.

    ## Example
    ```python
    import transformers.utils.import_utils as import_utils

    import_utils.is_flash_attn_2_available = lambda: True
    ```

    ## Use instead
    Find out why the check fails and fix that: install the package or the patched files. Then
    delete the fake, and take another path where the package is missing.
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
    retired = {  # noqa: RUF012 - a constant of the class, like its code
        "ROC108": "emptied-check",
        "ROC109": "forced-availability-flag",
        "ROC110": "stub-with-made-up-spec",
    }
    tiers = {  # noqa: RUF012 - a constant of the class, like its code
        "warning": "a check does nothing, a package is hidden, a flag or a spec is made up"
    }
    on = SETS_CHECKS | PUTS_MODULES
    excuses = (
        is_in_test,
        is_put_back,
        is_off_for_a_reason,
        is_for_lack,
        is_asked_first,
    )
    doubts = (is_doubtful_flag, is_conditional_yes, is_program_of_tests)

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find what replaces a check with one that always says the same."""
        found = self._unexcused(node, source)
        if not found or self._is_reported_above(node, source):
            return
        for fake in found:
            severity = self.severity_of(fake, source)
            if severity == "error" and (fake.said != "True" or fake.kind in {"flag", "spec"}):
                severity = "warning"
            message, advice = _words(fake, is_sure=severity != "note")
            claims = faked(_claims(fake, source))
            yield self.finding(node, source, message, help=advice, severity=severity, claims=claims)

    def _unexcused(self, node: cst.Assign | cst.Call, source: Source) -> list[Fake]:
        return [each for each in _fakes(node, source) if not self.is_excused(each, source)]

    def _is_reported_above(self, node: cst.Assign | cst.Call, source: Source) -> bool:
        """Check whether the function around has a fake before this one."""
        function = source.function(node)
        for each in walk(function.body) if function is not None else ():
            if each is node:
                return False
            if isinstance(each, (cst.Assign, cst.Call)) and source.function(each) is function:
                if self._unexcused(each, source):
                    return True
        return False


def _fakes(node: cst.Assign | cst.Call, source: Source) -> Iterator[Fake]:
    for fake in fixed_answers(node, source):
        fast_path_off = fake.said == "False" and FAST_PATH.search(fake.name) is not None
        says_no = fast_path_off and not fake.is_patch_check
        if fake.kind == "answer" and (fake.said == "True" or says_no):
            yield fake
    yield from weak_answers(node, source)
    yield from made_up_finders(node, source)
    yield from filled_by_callers(node, source)
    checks = [stub for stub in stubs(node, source) if passes_every_check(stub, source)]
    yield from (Fake(node, "module", stub.name) for stub in checks)
    pretended = [] if checks else list(pretended_modules(node, source))
    yield from pretended
    if not checks and not pretended:
        yield from made_up_specs(node, source)


def _claims(fake: Fake, source: Source) -> tuple[Claim, ...]:
    """Return what would be true if the check passed by itself."""
    if fake.kind == "module":
        return claims_of_check(fake.name, source)
    if fake.kind in {"kernel", "spec"}:
        package = fake.name.partition(".")[0]
        return (kernel_package("flash_attn" if package.startswith("flash_attn") else package),)
    if fake.owner is None or fake.said == "False":
        return ()
    if fake.is_patch_check:
        return claims_of_check(f"{source.resolve(fake.owner)}.{fake.name}", source)
    return tuple(kernel_package(each) for each in FAST_PACKAGES if each in fake.name)


def _way_around(kernel: str) -> str:
    return "choose another attention" if ATTENTION.match(kernel) else "take another path"


def _words(fake: Fake, *, is_sure: bool) -> tuple[str, str]:
    """Return the message and the help."""
    name = shortened(fake.name) or "this module"
    target = fake.shown
    if fake.kind == "finder" and fake.said == "None":
        return (
            "`find_spec` is replaced with one that hides a package from the whole process",
            "Uninstall the package, or ask for what does not need it where it is chosen.",
        )
    if fake.kind == "finder":
        return (
            "`find_spec` is replaced with one that reports missing packages as installed",
            "Install the package and delete this. What needs it fails later or runs a stub.",
        )
    if fake.kind == "module":
        return (
            f"`{name}` is replaced with a stub whose check always passes",
            (
                "Install the patched files and delete the stub. Without them the stock code runs, "
                "and nothing says so."
            ),
        )
    if fake.kind == "spec":
        return (
            f"`{name}` is replaced with a stub that `find_spec` takes for installed",
            f"Install {name}, or {_way_around(fake.name)} where it is missing.",
        )
    if fake.kind == "kernel":
        return (
            f"`{name}` is replaced with a stub that computes nothing, so importing it succeeds",
            (
                f"Install the package, or {_way_around(fake.name)} where its import fails. A call "
                f"into the stub returns a mock or a constant."
            ),
        )
    if fake.kind == "hollow":
        package = name.partition(".")[0]
        wanted = (
            "build of PyTorch that has this module"
            if package == "torch"
            else f"{package} that was built for the installed PyTorch"
        )
        return (
            f"`{name}` is replaced with an empty module",
            (
                f"Install a {wanted}, and delete the stub. "
                "Whatever this module registers is missing otherwise."
            ),
        )
    if fake.is_patch_check:
        return (
            f"`{target}` always passes here, whether or not the patched files are there",
            (
                "Install the patched files and delete this line. Without them the stock code runs, "
                "with other results or speed."
            ),
        )
    if fake.kind == "flag":
        return (
            f"`{target}` is set to {fake.said}, whatever is installed"
            if is_sure
            else f"`{target}` is set to {fake.said} without a look at what is installed",
            (
                "Delete this line: the fast path is off on every machine."
                if fake.said == "False"
                else "Install the package and delete this line. What needs it fails later."
            ),
        )
    if fake.said == "None":
        return (
            f"`{target}` is replaced with a function that does nothing",
            "Fix what makes the check fail, and delete this line.",
        )
    if fake.said == "False":
        return (
            f"`{target}` always says no here, so a fast path is off on every machine",
            "Delete the line, or write the reason in a comment above it.",
        )
    return (
        f"`{target}` always passes here, whatever is installed"
        if is_sure
        else f"`{target}` passes from here on without a look at what is installed",
        (
            "Fix what makes the check fail, and delete this line. What it guards fails later or "
            "runs on a stub."
        ),
    )
