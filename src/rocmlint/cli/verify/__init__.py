"""``rocmlint verify``: chooses what is to be proven; without a verb, what the code claims."""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from rocmlint.cli.verbs import run_verb

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS = {
    "claims": "check what the code claims (the default: rocmlint verify src/)",
    "manifest": "write a manifest: a list of the files of a patch, or of replaced functions",
    "patches": "does an import load the patched files?",
    "stock": "does an installed package still match its wheel?",
    "live": "do a module's functions run the code of its source?",
    "run": "run a command and check every Python process in it",
    "ranks": "do all ranks run the same code, and is it the right code?",
    "kernels": "is there device code for this GPU?",
    "trace": "which libraries do the kernels in a trace come from?",
    "probe": "which kernels does a small operation run?",
    "variables": (
        "which code reads the environment variables that are set, and how are they interpreted?"
    ),
    "dtype": "where does a model's dtype change unexpectedly?",
    "export": "does the exported program compute what the model computes?",
    "model": "tokens, parameters, generation, memory and loss of a model",
}
"""Each is a module of this package, a :class:`rocmlint.cli.verbs.Verb`."""
_DEFAULT = "claims"


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint verify``."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _leave)
    verb, *rest = arguments if arguments and arguments[0] in VERBS else [_DEFAULT, *arguments]
    module: Any = import_module(f"{__name__}.{verb}")
    if verb == "model":  # it has verbs of its own
        return int(module.main(rest))
    return run_verb(f"verify [{verb}]" if verb == _DEFAULT else f"verify {verb}", module, rest)


def _leave(number: int, _: object) -> NoReturn:
    """End on a signal, but not before children and temporary folders are gone."""
    signal.signal(number, signal.SIG_IGN)  # a second one shall not stop that
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)
