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
    "show": "which ROCm, GPUs, torch and libraries are installed, and are they compatible?",
    "index-url": "which package index has torch wheels for a ROCm version?",
    "install-command": "print the command that installs torch for a ROCm version",
    "compatible": "find the newest libraries that are compatible with a torch version",
    "plan": "plan an upgrade to another ROCm version, and check it",
    "freeze": "record the installed packages before an install",
    "survived": "compare the installed packages with the record after an install",
}
"""Each is a module beside this one (``-`` is ``_``), a :class:`rocmlint.cli.verbs.Verb`."""


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint stack``. Raises RocmlintError for a verb that there is not."""
    if not arguments or arguments[0] in {"-h", "--help"}:
        print("usage: rocmlint stack VERB ...\n")
        print("Report which ROCm, PyTorch and library versions are installed and compatible.\n")
        print("verbs (rocmlint stack VERB --help):")
        print("\n".join(f"  {verb:16} {said}" for verb, said in VERBS.items()))
        return 0
    verb, *rest = arguments
    if verb not in VERBS:
        message = f"stack: no such verb: {verb!r}{did_you_mean(verb, list(VERBS))}"
        raise RocmlintError(message)
    module: Any = import_module(f"{__name__}.{verb.replace('-', '_')}")
    return run_verb(f"stack {verb}", module, rest)
