"""``rocmlint completion``: what a shell must know to complete the command."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from rocmlint.cli import config, flags, rule
from rocmlint.cli.main import VERBS
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WORDS = f"""
_rocmlint_words() {{ compgen -f -W "{" ".join(VERBS)}" -- $1; }}
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint completion``."""
    parser.add_argument("shell", metavar="SHELL", help="bash, zsh, fish or another")


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint completion``."""
    parser = flags.Parser("completion SHELL", "Print the completion for a shell.")
    add_arguments(parser)
    shell = parser.parse(arguments).shell
    import shtab  # noqa: PLC0415 - only this verb needs it

    if shell not in shtab.SUPPORTED_SHELLS:
        message = f"completion: {shell!r} is none of {', '.join(shtab.SUPPORTED_SHELLS)}"
        raise ConfigError(message)
    print(shtab.complete(_whole_parser(shtab.FILE), shell))
    return 0


def _whole_parser(files: Mapping[str, str]) -> ArgumentParser:
    """Make one parser of all verbs; the command itself chooses the verb before it parses."""
    whole = ArgumentParser("rocmlint")
    flags.add_arguments(whole)
    # A first word may be a file or a verb: bash knows only one kind of word at a place.
    words = {**files, "bash": "_rocmlint_words", "preamble": {"bash": _WORDS}}
    _complete(whole, files, words)
    verbs = whole.add_subparsers()
    _complete(flags.add_arguments(verbs.add_parser("check", help=VERBS["check"])), files, files)
    rule.add_arguments(verbs.add_parser("rule", help=VERBS["rule"]))
    config.add_arguments(verbs.add_parser("config", help=VERBS["config"]))
    add_arguments(verbs.add_parser("completion", help=VERBS["completion"]))
    return whole


def _complete(parser: ArgumentParser, files: object, paths: object) -> None:
    """Tell shtab which arguments are files."""
    options = flags.all_flags()
    for action in parser._actions:  # noqa: SLF001 - argparse offers no other way
        option = options.get(action.dest.replace("_", "-"))
        if action.dest == "paths" or (option is not None and option.type == "path"):
            setattr(action, "complete", paths if action.dest == "paths" else files)
