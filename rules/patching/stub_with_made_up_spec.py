"""ROC110, stub-with-made-up-spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule
from rocmlint.rule.claims import faked, kernel_package

from ._circumstances import is_undone
from ._faked_checks import (
    FAST_PACKAGES,
    PUTS_MODULES,
    Stub,
    is_in_pytest,
    passes_every_check,
    pretended_modules,
    stubs,
)
from ._fakes import has_made_up_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


def is_removed_again(stub: Stub, source: Source) -> bool:
    """Stubs that are removed again, in a context manager or in `finally`."""
    return is_undone(stub.node, "modules", source)


def is_found_by_faked_check(stub: Stub, source: Source) -> bool:
    """Stubs with mocks, or with a check that always passes (see faked-check)."""
    return passes_every_check(stub, source) or any(pretended_modules(stub.node, source))


class StubWithMadeUpSpec(PythonRule["cst.Assign | cst.Call"]):
    """Fake module with a made-up spec makes a package look installed.

    ## Why it matters
    Libraries ask ``importlib.util.find_spec`` whether flash_attn, xformers or Triton is there.
    An empty module with a ``__spec__`` of its own makes them all say yes, and the code behind
    then calls functions of the stub.

    ## Example
    ```python
    import importlib.machinery, sys, types

    flash = types.ModuleType("flash_attn")
    flash.__spec__ = importlib.machinery.ModuleSpec("flash_attn", loader=None)
    sys.modules["flash_attn"] = flash
    ```

    ## Use instead
    Choose another attention where the package is missing.
    ```python
    import importlib.util

    missing = importlib.util.find_spec("flash_attn") is None
    attention = "sdpa" if missing else "flash_attention_2"
    ```

    ## References
    - https://docs.python.org/3/library/importlib.html#importlib.util.find_spec
    - https://huggingface.co/docs/transformers/attention_interface
    """

    code = "ROC110"
    name = "stub-with-made-up-spec"
    since = "0.1.0"
    preview = True
    skips = frozenset({"test"})
    on = PUTS_MODULES
    excuses = (is_in_pytest, is_removed_again, is_found_by_faked_check)

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find stubs that pretend to be a fast package."""
        for stub in stubs(node, source):
            if stub.name not in FAST_PACKAGES or not has_made_up_spec(stub.value, source):
                continue
            if self.is_excused(stub, source):
                continue
            message = f"`{stub.name}` is replaced with a stub that every check takes for installed"
            advice = f"Install {stub.name}, or choose another attention where it is missing."
            claims = faked([kernel_package(stub.name)])
            yield self.finding(node, source, message, help=advice, claims=claims)
