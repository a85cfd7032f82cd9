"""``rocmlint verify model rope``: rotary positions against those of transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import finish, help_of, refuse_wrong_factory
from rocmlint.cli.verify.model.common import add_model_arguments, asking_of
from rocmlint.verify.model.rope import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY [--function PKG.MOD:NAME]",
    "Compare the position ids of the model's get_rope_index, or of another function, with those "
    "of the installed transformers on generated images, videos and padding, and check what a "
    "forward uses.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model rope``."""
    add_model_arguments(parser)
    parser.add_argument(
        "--function",
        metavar="PKG.MOD:NAME",
        help="compare this function instead of the method of the model",
    )


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify model rope``."""
    if flags.function:
        refuse_wrong_factory(flags.function)
    return finish(check(asking_of(flags), flags.function), flags)
