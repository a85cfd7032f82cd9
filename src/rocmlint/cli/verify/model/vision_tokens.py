"""``rocmlint verify model vision-tokens``: how many tokens the images of a data set become."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import finish, help_of
from rocmlint.cli.verify.model.common import (
    add_model_arguments,
    add_plot_argument,
    asking_of,
    positive,
    refuse_wrong_plot,
)
from rocmlint.verify.model.vision_tokens import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY DATA [--limit TOKENS] [--plot FILE]",
    "Count the vision tokens of each sample with the processor of the factory, and name the "
    "samples over the limit and the size at which each would fit.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model vision-tokens``."""
    add_model_arguments(parser, device=False)
    parser.add_argument(
        "data", metavar="DATA", help="JSON or JSON lines that name images, or a directory of images"
    )
    parser.add_argument(
        "--limit",
        type=positive,
        default=200,
        metavar="TOKENS",
        help="the vision tokens that a sample may have (default: 200)",
    )
    parser.add_argument(
        "--images",
        metavar="DIRECTORY",
        help="where relative paths of images begin (default: next to DATA)",
    )
    add_plot_argument(parser, "a histogram of tokens per sample")


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify model vision-tokens``."""
    refuse_wrong_plot(flags.plot)
    images = os.path.abspath(flags.images) if flags.images else None
    return finish(check(asking_of(flags), flags.data, flags.limit, images, flags.plot), flags)
