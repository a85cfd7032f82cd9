"""The frame of the verbs below ``verify``, ``stack`` and ``export``: help, flags, exit code."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rocmlint.cli.parser import Parser
from rocmlint.config.option import did_you_mean
from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping, Sequence


class Help(NamedTuple):
    """The text that ``--help`` of a verb prints, and whether a command follows its flags."""

    arguments: str
    """The arguments that follow the verb."""
    description: str
    exit_codes: str
    command: bool = False
    """A command follows ``--``; it becomes ``flags.command``."""


class Verb(Protocol):
    """A module that holds a verb."""

    HELP: Help

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add what follows the verb."""

    def run(self, flags: SimpleNamespace) -> int:
        """Run the verb and return the exit code."""


def run_group(  # noqa: PLR0913 - a group has so many parts
    group: str,
    about: str,
    verbs: Mapping[str, str],
    package: str,
    arguments: Sequence[str],
    *,
    default: str = "",
) -> int:
    """Run a verb of a group, such as "stack", or print the verbs and what they are about.

    Each is a module of ``package`` (``-`` is ``_``); ``default`` is run where none is named. Raises
    RocmlintError for an unknown verb.
    """
    if default and (not arguments or arguments[0].startswith("-")) and not is_help(arguments):
        arguments = (default, *arguments)
    if not arguments or is_help(arguments):
        print(f"usage: rocmlint {group} VERB ...\n\n{about}\n")
        print(f"verbs (rocmlint {group} VERB --help):")
        print("\n".join(f"  {verb:16} {said}" for verb, said in verbs.items()))
        if default:
            print(f"\nwithout a verb: {default}")
        return 0
    verb, *rest = arguments
    if verb not in verbs:
        message = f"{group}: no such verb: {verb!r}{did_you_mean(verb, list(verbs))}"
        raise RocmlintError(message)
    module: Any = import_module(f"{package}.{verb.replace('-', '_')}")
    return run_verb(f"{group} {verb}", module, rest)


def is_help(arguments: Sequence[str]) -> bool:
    """Return whether the help of a group is asked for."""
    return bool(arguments) and arguments[0] in {"-h", "--help"}


def run_verb(name: str, verb: Verb, arguments: Sequence[str]) -> int:
    """Run a verb, such as "stack show". Raises ConfigError for arguments that it does not take."""
    parser = Parser(f"{name} {verb.HELP.arguments}", verb.HELP.description, verb.HELP.exit_codes)
    verb.add_arguments(parser)
    end = len(arguments)
    if verb.HELP.command and "--" in arguments:
        end = arguments.index("--")
    flags = SimpleNamespace(command=arguments[end + 1 :])
    return verb.run(parser.parse(arguments[:end], flags))
