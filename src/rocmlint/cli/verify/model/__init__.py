"""``rocmlint verify model``: chooses what of a model is checked."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from rocmlint.cli.verbs import run_verb
from rocmlint.cli.verify.common import help_of
from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence
    from types import SimpleNamespace

CHECKS = {
    "vision-tokens": "how many tokens do the images of a data set become?",
    "special-tokens": "does each special token have the id that is expected?",
    "parameter-groups": "is each parameter in exactly one group, and is none frozen by mistake?",
    "generation-inputs": "do vision inputs enter generate() once?",
    "rope": "are the position ids those of transformers?",
    "memory": "does memory grow from one training step to the next?",
    "loss-contract": "is the loss a finite scalar, and are metrics plain floats?",
    "config": "does a configuration file have the keys of its schema?",
}
"""Each is a module of this package, a :class:`rocmlint.cli.verbs.Verb`."""
_LIST = "\n".join(f"  {check:<19}{about}" for check, about in CHECKS.items())

HELP = help_of(
    "PKG.MOD:FACTORY CHECK [flags]",
    "Run a model, its processor or its training step, and check what they do. Runs the code of "
    "FACTORY; --config DIRECTORY needs none.",
    f"checks (rocmlint verify model CHECK --help):\n{_LIST}\n\n",
)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint verify model``."""
    at = _place(arguments)
    if at is None:
        return run_verb("verify model", sys.modules[__name__], arguments)
    check = arguments[at]
    module: Any = import_module(f"{__name__}.{check.replace('-', '_')}")
    return run_verb(f"verify model {check}", module, [*arguments[:at], *arguments[at + 1 :]])


def _place(arguments: Sequence[str]) -> int | None:
    """Return where the check is named, before or after the model; not as the value of a flag."""
    for at, each in enumerate(arguments):
        if each in CHECKS and not (at and arguments[at - 1].startswith("--")):
            return at
    return None


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model``."""
    parser.add_argument("words", nargs="*", metavar="CHECK", help="a model and a check of it")
    parser.add_argument("--config", metavar="DIRECTORY", help="the model that is described there")


def run(flags: SimpleNamespace) -> NoReturn:
    """Say which checks there are. Raises ConfigError."""
    near = next(filter(None, (did_you_mean(each, CHECKS) for each in flags.words)), "")
    message = f"verify model: name a check ({', '.join(CHECKS)}){near}"
    raise ConfigError(message)
