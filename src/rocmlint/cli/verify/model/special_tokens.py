"""``rocmlint verify model special-tokens``: their ids, and whether a model has room for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import finish, help_of, refuse_wrong_factory
from rocmlint.cli.verify.model.common import add_model_arguments, asking_of
from rocmlint.errors import ConfigError
from rocmlint.verify.model.special_tokens import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY [--expect TOKEN=ID ...] [--names PKG.MOD:TABLE]",
    "Check that each special token has the id that the model's configuration, --expect or --names "
    "expects, is one token in a text, and has a row in the embeddings.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model special-tokens``."""
    add_model_arguments(parser)
    parser.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="TOKEN=ID",
        help="a token and its id; can be repeated",
    )
    parser.add_argument(
        "--names",
        metavar="PKG.MOD:TABLE",
        help="a mapping, an enumeration or a class of tokens and their ids",
    )


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify model special-tokens``."""
    if flags.names:
        refuse_wrong_factory(flags.names)
    expected = [_pair(each) for each in flags.expect]
    return finish(check(asking_of(flags), expected, flags.names), flags)


def _pair(text: str) -> tuple[str, int]:
    token, _, number = text.rpartition("=")
    if not token or not number.isdecimal():
        message = f"--expect {text}: must be TOKEN=ID, for example '<|image_pad|>=151655'"
        raise ConfigError(message)
    return token, int(number)
