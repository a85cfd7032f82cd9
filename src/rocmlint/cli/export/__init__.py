"""``rocmlint export``: chooses what is asked about code that is exported with torch.export."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rocmlint.cli.verbs import run_verb
from rocmlint.config.option import did_you_mean
from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS = {
    "check": "do patched classes still fit the library that they patch?",
    "rewrite": "rewrite control flow that depends on tensors",
}
"""Each is a module beside this one (``-`` is ``_``), a :class:`rocmlint.cli.verbs.Verb`."""


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint export``. Raises RocmlintError for a verb that there is not."""
    if not arguments or arguments[0] in {"-h", "--help"}:
        print("usage: rocmlint export VERB ...\n")
        print("Check and rewrite code of models that are exported with torch.export.\n")
        print("verbs (rocmlint export VERB --help):")
        print("\n".join(f"  {verb:16} {said}" for verb, said in VERBS.items()))
        return 0
    verb, *rest = arguments
    if verb not in VERBS:
        message = f"export: no such verb: {verb!r}{did_you_mean(verb, list(VERBS))}"
        raise RocmlintError(message)
    module: Any = import_module(f"{__name__}.{verb.replace('-', '_')}")
    return run_verb(f"export {verb}", module, rest)
