"""Functions of torch of which only the name is left: each call of them raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import nodes

from .old_calls import Group, old_uses, suspects, torch_of_today

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Source

    from .old_calls import OldUse

ADVICE = {
    "torch.cholesky": "Use `torch.linalg.cholesky`, which takes `upper` by keyword only",
    "torch.eig": "Use `torch.linalg.eig`, which always gives complex values and vectors",
    "torch.lstsq": "Use `torch.linalg.lstsq`, which takes its arguments the other way round",
    "torch.matrix_rank": "Use `torch.linalg.matrix_rank`, which calls `symmetric` `hermitian`",
    "torch.solve": "Use `torch.linalg.solve(A, B)`, which takes its arguments the other way round",
    "torch.symeig": 'Use `torch.linalg.eigh(A, UPLO="U")`, or `eigvalsh` for the values alone',
}
"""What to use instead, as the errors themselves say (torch 2.13.0)."""
_NAMES = frozenset(ADVICE)
_WORDS = (
    *("cholesky", "symeig", "lstsq", "matrix_rank"),
    *("torch.eig", "import eig", "torch.solve", "import solve"),  # "eig" is in "weight"
)
_GROUP = Group(_WORDS, tuple(each.removeprefix("torch.") for each in ADVICE))


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find the names in files that have one of them in torch, or import it."""
    if "torch" in source.text:
        yield from suspects((_GROUP,), source)


REMOVED_CALLS = nodes(
    *("Call", "ImportFrom"),
    words=_WORDS,
    suspects=_suspects,
    described="calls to functions of torch of which only the name is left",
)
"""What a rule looks at for `removed_calls`."""


def removed_calls(node: cst.Call | cst.ImportFrom, source: Source) -> Iterator[OldUse]:
    """Yield what a call or an import uses of functions that only raise."""
    return (each for each in old_uses(node, source, _NAMES) if each.deprecation.raises)


def is_in_some_torch(found: OldUse, source: Source) -> bool:
    """Functions of torch, declared nowhere, that one with wheels for ROCm 6 or later still has."""
    del source
    return not found.missing.is_declared and not all(
        found.deprecation.holds_in(each) for each in torch_of_today()
    )


def removed_message(found: OldUse) -> str:
    """Return what is wrong with such a call."""
    return f"Calls to `{found.dotted}` have raised an exception {found.deprecation.when}"
