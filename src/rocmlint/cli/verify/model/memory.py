"""``rocmlint verify model memory``: whether a training step leaves tensors behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import finish, help_of
from rocmlint.cli.verify.model.common import (
    add_model_arguments,
    add_plot_argument,
    asking_of,
    positive,
    refuse_wrong_plot,
)
from rocmlint.errors import ConfigError
from rocmlint.verify.model.memory import FEWEST, STEPS, check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY [--steps N] [--plot FILE]",
    "Make training steps, measure the bytes that are allocated after each, and report whether "
    "they grow and which lines hold what grows. The step is that of the factory, or of its "
    "trainer, or a forward and backward pass of its model.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model memory``."""
    add_model_arguments(parser)
    parser.add_argument(
        "--steps",
        type=positive,
        default=STEPS,
        metavar="N",
        help=f"how many steps to make, at least {FEWEST} (default: {STEPS})",
    )
    add_plot_argument(parser, "the bytes after each step")


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify model memory``."""
    if flags.steps < FEWEST:
        message = f"--steps {flags.steps}: at least {FEWEST} are needed to tell growth from warm-up"
        raise ConfigError(message)
    refuse_wrong_plot(flags.plot)
    return finish(check(asking_of(flags), flags.steps, flags.plot), flags)
