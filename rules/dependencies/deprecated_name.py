"""ROC213, deprecated-name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.paths import relative
from rocmlint.rule import Fix, PythonRule, nodes

from ._names.guards import is_ready
from ._torch.old_calls import Group, OldUse, old_uses, suspects, torch_of_today
from ._torch.old_weights import (
    SINCE,
    OldWeights,
    edit_of,
    old_weights_of,
    said_of_weights,
    suspected_weights,
)
from ._torch.rewriting import has_successor, rewriting
from ._torch.successors import SUCCESSORS
from ._torch.to_rewrite import (
    help_to_rewrite,
    message_to_rewrite,
    names_to_rewrite,
    suspected_to_rewrite,
    words_to_rewrite,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    Node = cst.Call | cst.Decorator | cst.ImportFrom
    Old = OldUse | OldWeights

_RENAMED = frozenset(SUCCESSORS)
_GROUPS = (
    Group(
        ("cuda.amp", "cpu.amp", "cuda import amp", "cpu import amp"),
        ("autocast", "GradScaler", "custom_fwd", "custom_bwd"),
    ),
    Group(("functorch",), tuple(each[10:] for each in SUCCESSORS if each.startswith("functorch."))),
    Group(("chain_matmul",), ("chain_matmul",)),
    Group(("cholesky",), ("cholesky",)),
    Group((".qr", " qr"), ("qr",)),
    Group(
        ("F.upsample", "functional.upsample", "import upsample"),
        ("upsample", "upsample_nearest", "upsample_bilinear"),
    ),
    Group(("NLLLoss2d",), ("NLLLoss2d",)),
    Group(("memory_cached",), ("memory_cached", "max_memory_cached")),
    Group(("clip_grad_norm(", "import clip_grad_norm"), ("clip_grad_norm",)),
)
"""The names of `SUCCESSORS`, by the words of which one stands in each file that uses them."""


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find the last names of functions that have an exact successor."""
    return suspects(_GROUPS, source)


def is_never_said(found: Old, source: Source) -> bool:
    """Functions that never warn though another one does the same, or that only raise."""
    del source
    if isinstance(found, OldWeights):
        return False
    is_silent = not found.deprecation.warns and found.dotted in SUCCESSORS
    return is_silent or found.deprecation.raises  # which is what removed-name reports


def is_needed_for_older(found: Old, source: Source) -> bool:
    """Projects that allow a release in use that does not deprecate it yet, or has nothing else."""
    del source
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    oldest = [each.lowest for each in found.missing.candidates]
    if isinstance(found, OldWeights):
        return any(each is None or each < Version(SINCE) for each in oldest)
    if found.dotted in SUCCESSORS and not has_successor(found):
        return True
    first = torch_of_today()[0]
    return not all(found.deprecation.holds_in(max(each or first, first)) for each in oldest)


class DeprecatedName(PythonRule["Node"]):
    """Code uses a function or keyword that torch deprecates.

    ## Why it matters
    It prints a warning in each process, and a later release removes it. Where another function
    does exactly the same, as for ``torch.cuda.amp.autocast``, or the weights that ``pretrained=``
    stands for are known, the call can be rewritten without a change of what it does. The others,
    such as ``torch.svd``, have a replacement that takes other arguments or gives another result.

    It is reported where every release with wheels for ROCm 6 or later that the project allows calls
    it deprecated, and has what does exactly the same. A name is reported once a project, at its
    first call; one that is imported, at the import, if the file calls it.

    ## Example
    ```text
    torch>=2.6
    ```
    ```python
    import torch

    with torch.cuda.amp.autocast():
        loss = model(batch).loss
    ```

    ## Use instead
    ```python
    import torch

    with torch.amp.autocast("cuda"):
        loss = model(batch).loss
    ```

    ## Fix safety
    Safe; unsafe where another module imports the name from this one, and for a `GradScaler` of
    which the file asks the class. There is no fix where the replacement works differently.

    ## References
    - https://docs.pytorch.org/docs/stable/amp.html
    - https://docs.pytorch.org/docs/stable/linalg.html
    - https://docs.pytorch.org/docs/stable/func.migrating.html
    - https://docs.pytorch.org/vision/stable/models.html
    """

    code = "ROC213"
    name = "deprecated-name"
    since = "0.1.0"
    retired = {  # noqa: RUF012 - a constant of the class, like its code
        "ROC214": "deprecated-keyword",
        "ROC215": "deprecated-to-rewrite",
    }
    severity = "note"
    skips = frozenset({"archive"})
    on = (
        nodes(
            *("Call", "Decorator", "ImportFrom"),
            words=tuple(word for group in _GROUPS for word in group.words),
            suspects=_suspects,
            described="calls to functions of torch that are deprecated",
        )
        | nodes(
            *("Call", "Decorator", "ImportFrom"),
            words=tuple(words_to_rewrite()),
            suspects=suspected_to_rewrite,
            described="those without an exact replacement",
        )
        | nodes(
            "Call",
            words=("torchvision.models", "torchvision import"),
            suspects=suspected_weights,
            described="models of torchvision that are built with `pretrained=`",
        )
    )
    excuses = (is_never_said, is_needed_for_older, is_ready)

    def check(self, node: Node, source: Source) -> Iterator[Finding]:
        """Report what is deprecated of one call, decorator or import."""
        yield from self._renamed(node, source)
        yield from self._to_rewrite(node, source)
        if isinstance(node, cst.Call):
            yield from self._weights(node, source)

    def _renamed(self, node: Node, source: Source) -> Iterator[Finding]:
        """Report the names that have an exact successor."""
        found = [
            each for each in old_uses(node, source, _RENAMED) if not self.is_excused(each, source)
        ]
        if found:
            fix = rewriting(found, source)
            finding = self.finding(
                found[0].place, source, _message(found), help=_help(found), fix=fix
            )
            yield self._once(finding, " ".join(each.dotted for each in found), source)

    def _to_rewrite(self, node: Node, source: Source) -> Iterator[Finding]:
        """Report each deprecated function whose replacement works differently."""
        for found in old_uses(node, source, names_to_rewrite()):
            if not self.is_excused(found, source):
                message, told = message_to_rewrite(found), help_to_rewrite(found)
                finding = self.finding(found.place, source, message, help=told)
                yield self._once(finding, found.dotted, source)

    def _weights(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Judge the old keywords of a call of torchvision."""
        found = [each for each in old_weights_of(node, source) if not self.is_excused(each, source)]
        if found:
            message, told, title = said_of_weights(found)
            fix = Fix(title, tuple(edit_of(each, source) for each in found), safe=True)
            finding = self.finding(found[0].argument, source, message, help=told, fix=fix)
            yield self._once(finding, "pretrained", source)

    def _once(self, finding: Finding, what: str, source: Source) -> Finding:
        root = relative(source.project.folders[-1], source.settings.root)
        return replace(finding, once=f"{self.code} {what} {root}")


def _message(found: list[OldUse]) -> str:
    when = found[0].deprecation.when
    goes = found[0].deprecation.goes
    end = f" and will be removed in {goes}" if goes else ""
    if len(found) == 1:
        return f"`{found[0].dotted}` is deprecated {when}{end}"
    names = ", ".join(f"`{each.name}`" for each in found[:-1]) + f" and `{found[-1].name}`"
    module = found[0].dotted.rpartition(".")[0]
    return f"{names} of `{module}` are deprecated {when}"


def _help(found: list[OldUse]) -> str:
    new = list(dict.fromkeys(f"`{SUCCESSORS[each.dotted].shown}`" for each in found))
    listed = " and ".join(filter(None, (", ".join(new[:-1]), new[-1])))
    which = "which does the same" if len(new) == 1 else "which do the same"
    return f"Use {listed}, {which}: the old name prints a warning and will be removed."
