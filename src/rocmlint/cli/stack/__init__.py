"""``rocmlint stack``: chooses what is asked of the stack."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rocmlint.cli.verbs import run_verb
from rocmlint.config.option import did_you_mean
from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS = {
    "show": "which ROCm, torch and libraries are here, and do they fit?",
    "index-url": "where are torch's wheels for a version of ROCm?",
    "install-command": "the command that installs torch for a version of ROCm",
    "compatible": "the newest libraries that fit a version of torch",
    "plan": "a checked plan for another version of ROCm",
    "freeze": "write down the stack as it is",
    "survived": "is the stack still what was written down?",
}
"""Each is a module beside this one (``-`` is ``_``), a :class:`rocmlint.cli.verbs.Verb`."""


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint stack``. Raises RocmlintError for a verb that there is not."""
    if not arguments or arguments[0] in {"-h", "--help"}:
        print("usage: rocmlint stack VERB ...\n")
        print("\n".join(f"  {verb:16} {said}" for verb, said in VERBS.items()))
        return 0
    verb, *rest = arguments
    if verb not in VERBS:
        message = f"stack has no verb {verb!r}{did_you_mean(verb, list(VERBS)) or '.'}"
        raise RocmlintError(message)
    module: Any = import_module(f"{__name__}.{verb.replace('-', '_')}")
    return run_verb(f"stack {verb}", module, rest)
