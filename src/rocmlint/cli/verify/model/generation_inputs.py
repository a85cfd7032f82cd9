"""``rocmlint verify model generation-inputs``: what each step of generate is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import finish, help_of
from rocmlint.cli.verify.model.common import add_model_arguments, asking_of, positive
from rocmlint.verify.model.generation_inputs import STEPS, check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY [--steps N]",
    "Generate a few tokens and check that vision inputs enter once, in the pre-fill, and that "
    "pixels and grid agree. Without inputs of the factory, one image is made for the model.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model generation-inputs``."""
    add_model_arguments(parser)
    parser.add_argument(
        "--steps",
        type=positive,
        default=STEPS,
        metavar="N",
        help=f"how many tokens to generate (default: {STEPS})",
    )


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify model generation-inputs``."""
    return finish(check(asking_of(flags), flags.steps), flags)
