"""``rocmlint completion``: what a shell must know to complete the command."""

from __future__ import annotations

from argparse import ArgumentParser
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rocmlint.cli import (
    clean,
    config,
    diff,
    export,
    help,
    parser,
    rule,
    server,
    stack,
    verify,
    version,
    why,
)
from rocmlint.cli.flags import all_flags
from rocmlint.cli.main import VERBS
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WORDS = f"""
_rocmlint_words() {{ compgen -f -W "{" ".join(VERBS)}" -- $1; }}
"""


def add_arguments(to: ArgumentParser) -> None:
    """Add what follows ``rocmlint completion``."""
    to.add_argument("shell", metavar="SHELL", help="bash, zsh, fish or another")


def main(arguments: Sequence[str]) -> int:
    """Run ``rocmlint completion``."""
    own = parser.Parser("completion SHELL", "Print a shell completion script.")
    add_arguments(own)
    shell = own.parse(arguments, SimpleNamespace()).shell
    import shtab  # noqa: PLC0415 - only this verb needs it

    if shell not in shtab.SUPPORTED_SHELLS:
        message = (
            f"completion: invalid shell {shell!r} (choose from {', '.join(shtab.SUPPORTED_SHELLS)})"
        )
        raise ConfigError(message)
    print(shtab.complete(_whole_parser(shtab.FILE), shell))
    return 0


def _whole_parser(files: Mapping[str, object]) -> ArgumentParser:
    """Make one parser of all verbs; the command itself chooses the verb before it parses."""
    whole = ArgumentParser("rocmlint")
    parser.add_arguments(whole)
    # A first word may be a file or a verb: bash knows only one kind of word at a place.
    words = {**files, "bash": "_rocmlint_words", "preamble": {"bash": _WORDS}}
    _complete(whole, files, words)
    verbs = whole.add_subparsers()
    _complete(parser.add_arguments(verbs.add_parser("check", help=VERBS["check"])), files, files)
    of_diff = verbs.add_parser("diff", help=VERBS["diff"])
    diff.add_arguments(of_diff)
    _complete(of_diff, files, files)
    rule.add_arguments(verbs.add_parser("rule", help=VERBS["rule"]))
    config.add_arguments(verbs.add_parser("config", help=VERBS["config"]))
    server.add_arguments(verbs.add_parser("server", help=VERBS["server"]))
    add_arguments(verbs.add_parser("completion", help=VERBS["completion"]))
    for verb, module in (
        ("why", why),
        ("clean", clean),
        ("version", version),
        ("help", help),
    ):
        own = verbs.add_parser(verb, help=VERBS[verb])
        module.add_arguments(own)
        _complete(own, files, files)
    for name, package in (("verify", verify), ("stack", stack), ("export", export)):
        below = verbs.add_parser(name, help=VERBS[name]).add_subparsers()
        for verb, about in package.VERBS.items():
            module = import_module(f"{package.__name__}.{verb.replace('-', '_')}")
            module.add_arguments(below.add_parser(verb, help=about))
    return whole


def _complete(arguments: ArgumentParser, files: object, paths: object) -> None:
    """Mark for shtab which arguments are files."""
    options = all_flags()
    for action in arguments._actions:  # noqa: SLF001 - argparse offers no other way
        option = options.get(action.dest.replace("_", "-"))
        if action.dest == "paths" or (option is not None and option.type == "path"):
            vars(action)["complete"] = paths if action.dest == "paths" else files
