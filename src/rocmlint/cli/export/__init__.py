"""``rocmlint export``: chooses what is asked about code that is exported with torch.export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verbs import run_group

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS = {
    "check": "do patched classes still fit the library that they patch?",
    "rewrite": "rewrite control flow that depends on tensors",
}
"""Each is a module of this package (``-`` is ``_``), a :class:`rocmlint.cli.verbs.Verb`."""
_ABOUT = "Check and rewrite code of models that are exported with torch.export."


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint export``. Raises RocmlintError for an unknown verb."""
    return run_group("export", _ABOUT, VERBS, __name__, arguments)
