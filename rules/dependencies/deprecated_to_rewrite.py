"""ROC215, deprecated-to-rewrite."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rocmlint.published.deprecated import deprecated_names
from rocmlint.rule import PythonRule, nodes

from ._names.guards import is_asked_for, is_guarded
from ._names.overlays import is_of_project, is_put_in
from ._torch.old_calls import OldUse, old_uses
from ._torch.successors import SUCCESSORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_LONGEST = 95
_OF_OTHER_RULES = {"torch.set_default_tensor_type"}  # what it does is what ROC401 looks at
_NAMED = re.compile(r"[`:]~?((?:torch|functorch)(?:\.\w+)+)")


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find the last names of deprecated functions in files that name torch."""
    if "torch" in source.text:
        yield from _last_names().finditer(source.text)


@cache
def _last_names() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{'|'.join(sorted({each.rpartition('.')[2] for each in _names()}))})\b"
    )


@cache
def _names() -> frozenset[str]:
    return frozenset(deprecated_names()) - SUCCESSORS.keys() - _OF_OTHER_RULES


def is_removed(found: OldUse, source: Source) -> bool:
    """Functions of which only the name is left: removed-name (ROC204) reports them."""
    del source
    return found.deprecation.raises


class DeprecatedToRewrite(PythonRule["cst.Call | cst.Decorator | cst.ImportFrom"]):
    """A function of torch that is deprecated, and what is to replace it works otherwise.

    ## Why it matters
    Torch warns of these functions, in some cases only in the documentation, and few of the
    warnings say when the function goes. The replacement takes other arguments or gives another
    result, so the call has to be rewritten and looked at. Where a function does exactly the same,
    deprecated-name (ROC213) reports the old one and fixes it.

    ## Example
    ```python
    import torch

    u, s, v = torch.svd(matrix)
    ```

    ## Use instead
    ```python
    import torch

    u, s, vh = torch.linalg.svd(matrix, full_matrices=False)
    v = vh.mH
    ```

    ## References
    - https://docs.pytorch.org/docs/stable/linalg.html
    - https://docs.pytorch.org/docs/stable/func.migrating.html
    - https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.sdpa_kernel.html
    """

    code = "ROC215"
    name = "deprecated-to-rewrite"
    since = "0.1.0"
    severity = "warning"
    preview = True
    on = nodes(
        *("Call", "Decorator", "ImportFrom"),
        words=("torch",),
        suspects=_suspects,
        described="calls of functions of torch that are deprecated without an exact replacement",
    )
    excuses = (is_removed, is_of_project, is_asked_for, is_guarded, is_put_in)

    def check(
        self, node: cst.Call | cst.Decorator | cst.ImportFrom, source: Source
    ) -> Iterator[Finding]:
        """Report each deprecated function that is called, or imported to be called."""
        for found in old_uses(node, source, _names()):
            if not self.is_excused(found, source):
                yield self.finding(found.place, source, _message(found), help=_help(found))


def _message(found: OldUse) -> str:
    deprecation = found.deprecation
    goes = f" and goes in {deprecation.goes}" if deprecation.goes else ""
    said = "" if deprecation.warns else ", by its documentation"
    end = f"is deprecated {deprecation.when}{goes}{said}"
    name = found.dotted if len(found.dotted) + len(end) < _LONGEST else found.name
    return f"`{name}` {end}"


def _help(found: OldUse) -> str:
    named = (each for each in _NAMED.findall(found.deprecation.message) if each != found.dotted)
    new = next((each for each in named if not each.endswith(found.dotted)), "")
    return (
        f"Torch names `{new}` instead, which is called in another way."
        if new
        else "No other function does exactly the same: read its documentation."
    )
