"""``rocmlint help``: what ``--help`` of a verb prints."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rocmlint.cli.main import VERBS
from rocmlint.cli.parser import Parser
from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

FLAGS = frozenset({"-h", "--help"})


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint help``."""
    about = "a verb, and the verb below it"
    parser.add_argument("verbs", nargs="*", choices=tuple(VERBS), metavar="VERB", help=about)


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint help``. Raises ConfigError for an unknown verb."""
    if not FLAGS.isdisjoint(arguments):
        parser = Parser("help [VERB ...]", "Print the help of rocmlint or of one of its verbs.")
        add_arguments(parser)
        parser.print_help()
        return 0
    verb, *rest = arguments or ["check"]
    if verb not in VERBS:
        message = f"help: no such verb: {verb!r}{did_you_mean(verb, VERBS)}"
        raise ConfigError(message)
    return int(import_module(f"rocmlint.cli.{verb}").main([*rest, "--help"]))
