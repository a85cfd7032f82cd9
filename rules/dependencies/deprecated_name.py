"""ROC213, deprecated-name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.paths import relative
from rocmlint.rule import PythonRule, nodes
from rocmlint.rule.closed_projects import is_distributed, is_test
from rocmlint.rule.copied_projects import is_copied

from ._names.guards import is_asked_for, is_guarded
from ._names.leftovers import is_leftover
from ._names.overlays import is_of_project, is_put_in
from ._torch.old_calls import Group, OldUse, old_uses, suspects
from ._torch.rewriting import has_successor, rewriting
from ._torch.successors import SUCCESSORS

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

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
_IGNORES_WARNINGS = (
    r"(?m)^(?:warnings\.)?(?:filterwarnings|simplefilter)\(\s*(?:action\s*=\s*)?[\"']ignore[\"']"
    r"\s*(?:,\s*category\s*=\s*(?:Future)?Warning\s*)?,?\s*\)"
)
"""A statement of a module that silences what a deprecated function of torch says."""


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find the last names of functions that have an exact successor."""
    return suspects(_GROUPS, source)


def is_needed_for_older(found: OldUse, source: Source) -> bool:
    """Projects that do not declare torch, or allow one that lacks the replacement or is silent."""
    del source
    oldest = [each.lowest for each in found.judgement.candidates]
    return not has_successor(found) or any(
        each is None or not found.deprecation.holds_in(each) for each in oldest
    )


def is_silent(found: OldUse, source: Source) -> bool:
    """Functions that only the documentation calls deprecated: no call warns."""
    del source
    return not found.deprecation.warns or found.deprecation.raises


def is_frozen(found: OldUse, source: Source) -> bool:
    """Programs that pin the torch they run with: it has the name, and nobody else imports them."""
    candidates = found.judgement.candidates
    pinned = all(each.lowest is not None and each.lowest == each.version for each in candidates)
    return pinned and not is_distributed(source)


def is_in_copied_project(found: OldUse, source: Source) -> bool:
    """Directories with a license of their own, which names others than that of the project."""
    del found
    return is_copied(source)


def is_unheard(found: OldUse, source: Source) -> bool:
    """Projects that ignore all warnings, or all FutureWarnings: nobody sees that of the name."""
    del found
    root = source.project.folders[-1]
    ignoring = source.modules_with(root, (_IGNORES_WARNINGS,))
    return any(not is_test(each, root) for each in ignoring)


class DeprecatedName(PythonRule["cst.Call | cst.Decorator | cst.ImportFrom"]):
    """A function of torch that is deprecated, and another one does exactly the same.

    ## Why it matters
    It prints a warning in each process, and a later release takes the function away. Here
    the replacement is known, and the call can be rewritten without a change of what it does.

    Every torch that the project allows must call the function deprecated, and have the other one:
    the oldest, too. Where no file declares torch, or a lower bound of it, nothing is reported. A
    name is reported once a project, at its first call; one that is imported, at the import, if the
    file calls it.

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
    which the file asks the class.

    ## References
    - https://docs.pytorch.org/docs/stable/amp.html
    - https://github.com/pytorch/pytorch/releases/tag/v2.4.0
    - https://docs.pytorch.org/docs/stable/func.migrating.html
    """

    code = "ROC213"
    name = "deprecated-name"
    since = "0.1.0"
    preview = True
    severity = "warning"
    skips = frozenset({"archive"})
    on = nodes(
        *("Call", "Decorator", "ImportFrom"),
        words=tuple(word for group in _GROUPS for word in group.words),
        suspects=_suspects,
        described="calls to functions of torch that are deprecated and have an exact replacement",
    )
    excuses = (
        *(is_silent, is_of_project, is_needed_for_older, is_asked_for, is_guarded),
        *(is_put_in, is_frozen, is_in_copied_project, is_leftover, is_unheard),
    )

    def check(
        self, node: cst.Call | cst.Decorator | cst.ImportFrom, source: Source
    ) -> Iterator[Finding]:
        """Report the deprecated names of one call, decorator or import."""
        found = [
            each for each in old_uses(node, source, SUCCESSORS) if not self.is_excused(each, source)
        ]
        if found:
            fix = rewriting(found, source)
            finding = self.finding(
                found[0].place, source, _message(found), help=_help(found), fix=fix
            )
            names = " ".join(each.dotted for each in found)
            root = relative(source.project.folders[-1], source.settings.root)
            yield replace(finding, once=f"{self.code} {names} {root}")


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
