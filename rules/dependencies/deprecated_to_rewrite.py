"""ROC215, deprecated-to-rewrite."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rocmlint.published.deprecated import deprecated_names
from rocmlint.rule import PythonRule, compile_lazily, nodes

from ._names.guards import is_asked_for, is_guarded
from ._names.overlays import is_of_project, is_put_in
from ._names.uses import imports, places_below
from ._torch.old_calls import Group, OldUse, old_uses, suspects
from ._torch.successors import SUCCESSORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_LONGEST = 95
_OF_OTHER_RULES = {"torch.set_default_tensor_type"}  # what it does is what ROC401 looks at
_IN_MOST_FILES = {"broadcast", "eig", "ger", "main", "profile", "range", "solve"}
"""Last names that stand in too many words: "eig" is in "weight"."""
_TORCH_AS = compile_lazily(r"\bimport[ \t]+torch[ \t]+as[ \t]+(\w+)")
_NAMED = re.compile(r"[`:]~?((?:torch|functorch)(?:\.\w+)+)")


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find imports of deprecated functions, and their names below those of torch's modules."""
    text = source.text
    yield from suspects((_functorch(),), source)
    roots = {local: {"torch"} for local in ("torch", *_TORCH_AS.findall(text))}
    for each in imports(text, "torch".__eq__):
        if each.dotted in _names():
            yield each.match
        elif each.dotted in _modules():
            roots.setdefault(each.local, set()).add(each.dotted)
    yield from (each.match for each in places_below(roots, text) if each.dotted in _names())


def _words() -> Iterator[str]:
    """Yield the words of which one stands in each file that calls or imports such a function."""
    for name in sorted({each.rpartition(".")[2] for each in _names()}):
        yield from (f".{name}(", f"import {name}") if name in _IN_MOST_FILES else (name,)


@cache
def _functorch() -> Group:
    """Return the names of the package that became part of torch."""
    packages = (each.split(".") for each in _names())
    return Group(
        ("functorch",), tuple(last for first, *_, last in packages if first == "functorch")
    )


@cache
def _modules() -> frozenset[str]:
    """Return what of torch holds a deprecated function, or a module with one."""
    parts = (each.split(".")[:-1] for each in _names())
    return frozenset(".".join(each[: end + 1]) for each in parts for end in range(len(each)))


@cache
def _names() -> frozenset[str]:
    return frozenset(deprecated_names()) - SUCCESSORS.keys() - _OF_OTHER_RULES


def is_removed(found: OldUse, source: Source) -> bool:
    """Functions of which only the name is left: removed-name (ROC204) reports them."""
    del source
    return found.deprecation.raises


class DeprecatedToRewrite(PythonRule["cst.Call | cst.Decorator | cst.ImportFrom"]):
    """A function of torch that is deprecated, and its replacement works differently.

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
        words=tuple(_words()),
        suspects=_suspects,
        described="calls to functions of torch that are deprecated without an exact replacement",
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
    goes = f" and will be removed in {deprecation.goes}" if deprecation.goes else ""
    said = "" if deprecation.warns else ", its documentation says"
    end = f"is deprecated {deprecation.when}{goes}{said}"
    name = found.dotted if len(found.dotted) + len(end) < _LONGEST else found.name
    return f"`{name}` {end}"


def _help(found: OldUse) -> str:
    named = (each for each in _NAMED.findall(found.deprecation.message) if each != found.dotted)
    new = next((each for each in named if not each.endswith(found.dotted)), "")
    return (
        f"Torch recommends `{new}`, which may take different arguments."
        if new
        else "No other function does exactly the same: read its documentation."
    )
