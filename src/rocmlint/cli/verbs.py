"""The frame of the verbs below ``verify`` and ``stack``: help, flags, exit code."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rocmlint.cli.parser import Parser

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence


class Help(NamedTuple):
    """What ``--help`` of a verb says, and whether a command follows its flags."""

    arguments: str
    """What follows the verb."""
    description: str
    exit_codes: str
    command: bool = False
    """A command stands behind ``--``; it becomes ``flags.command``."""


class Verb(Protocol):
    """A module that holds a verb."""

    HELP: Help

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add what follows the verb."""

    def run(self, flags: SimpleNamespace) -> int:
        """Run the verb and return the exit code."""


def run_verb(name: str, verb: Verb, arguments: Sequence[str]) -> int:
    """Run a verb, such as "stack show". Raises ConfigError for arguments that it does not take."""
    parser = Parser(f"{name} {verb.HELP.arguments}", verb.HELP.description, verb.HELP.exit_codes)
    verb.add_arguments(parser)
    end = len(arguments)
    if verb.HELP.command and "--" in arguments:
        end = arguments.index("--")
    flags = SimpleNamespace(command=arguments[end + 1 :])
    return verb.run(parser.parse(arguments[:end], flags))
