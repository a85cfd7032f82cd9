"""ROC218, checkpoint-without-variant."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.paths import relative
from rocmlint.rule import Fix, PythonRule, nodes, once_per_file

from ._names.guards import is_guarded
from ._names.missing import Missing, MissingUse, unless_elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_WARNS = (2, 1)  # read in the wheels: 2.0 does not, all from 2.1 to 2.15 do
_CALLED = re.compile(r"\bcheckpoint(?:_sequential)?\b(?= *[(.])")
_FUNCTIONS = frozenset(
    f"torch.utils.checkpoint.{each}" for each in ("checkpoint", "checkpoint_sequential")
)


@dataclass(frozen=True)
class _Checkpoint(MissingUse):
    """A call of `checkpoint` that does not say which of its two variants it wants."""


def is_switched_on(call: _Checkpoint, source: Source) -> bool:
    """Calls below an ``if``, such as ``if self.gradient_checkpointing``."""
    return source.enclosing(call.node, cst.If) is not None


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find calls of what is named `checkpoint`."""
    yield from _CALLED.finditer(source.text)


class CheckpointWithoutVariant(PythonRule["cst.Call"]):
    """``torch.utils.checkpoint`` is called without ``use_reentrant``.

    ## Why it matters
    There are two variants of activation checkpointing. Without ``use_reentrant`` torch takes the
    old one and warns, since 2.1, that a later release will raise an exception instead. The old
    one computes no gradients at all where no input of the checkpointed function requires one, as
    with a frozen embedding or an adapter. Reported once a project.

    ## Example
    ```python
    from torch.utils.checkpoint import checkpoint

    hidden = checkpoint(block, hidden)
    ```

    ## Use instead
    ```python
    from torch.utils.checkpoint import checkpoint

    hidden = checkpoint(block, hidden, use_reentrant=False)
    ```

    ## Fix safety
    Safe: ``use_reentrant=True`` is what torch takes today. ``False`` is what torch recommends, and
    is yours to choose.

    ## References
    - https://docs.pytorch.org/docs/stable/checkpoint.html
    - https://github.com/pytorch/pytorch/releases/tag/v2.1.0
    """

    code = "ROC218"
    name = "checkpoint-without-variant"
    since = "0.1.0"
    severity = "note"
    on = nodes(
        "Call",
        words=("torch.utils.checkpoint", "torch.utils import checkpoint"),
        suspects=_suspects,
        described="calls to `torch.utils.checkpoint.checkpoint` and `checkpoint_sequential`",
    )
    excuses = (is_guarded, is_switched_on)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Report a call that leaves the variant to torch."""
        given = [each.keyword.value for each in node.args if each.keyword is not None]
        hidden = any(each.star == "**" for each in node.args)
        called = source.resolve(node.func)
        if "use_reentrant" in given or hidden or called not in _FUNCTIONS or not node.args:
            return
        missing = _judged(source)
        if missing is None:
            return
        if self.is_excused(_Checkpoint(node, missing), source):
            return
        name = called.rpartition(".")[2]
        message = (
            f"`{name}` is called without `use_reentrant`; torch has warned about this since 2.1"
        )
        told = (
            "Pass `use_reentrant=False`, which torch recommends, or `True` to keep the current "
            "behavior. A later torch will raise an exception without it."
        )
        finding = self.finding(node.func, source, message, help=told, fix=_fix(node, source))
        root = relative(source.project.folders[-1], source.settings.root)
        yield replace(finding, once=f"{self.code} {root}")


@once_per_file
def _judged(source: Source) -> Missing | None:
    """Return the versions of torch, if all that may be installed warn."""
    candidates = source.versions("torch")
    if not candidates or any(each.version.release[:2] < _WARNS for each in candidates):
        return None
    certain = candidates[0].certain
    found = Missing("torch.utils.checkpoint", "use_reentrant", None, candidates, certain)
    return unless_elsewhere(found, source)


def _fix(node: cst.Call, source: Source) -> Fix | None:
    last = node.args[-1]
    text = source.text_of(last.value)
    edit = source.replace(last.value, f"{text}, use_reentrant=True")
    return Fix("Pass `use_reentrant=True`", (edit,), safe=True)
