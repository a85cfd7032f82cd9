"""``rocmlint help``: the verbs and the usual flags, or what ``--help`` of a verb prints."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rocmlint.cli.flags import all_flags
from rocmlint.cli.main import VERBS
from rocmlint.cli.parser import Parser
from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Sequence

    from rocmlint.config.option import Option

FLAGS = frozenset({"-h", "--help"})
USUAL = {
    "fix": "apply safe fixes",
    "unsafe-fixes": "apply safe and unsafe fixes",
    "diff": "show the fixes as a diff without changing any file",
    "select": "rules to use: codes, beginnings of codes, names, ALL",
    "ignore": "rules not to use",
    "preview": "also use rules that are in preview",
    "environment": "let packages installed there decide which names exist",
    "output-format": "text, concise, json, sarif, github and others",
    "notes": "how notes are shown: short, full or off",
    "show-excused": "also show what was kept back, and why",
    "statistics": "print counts per rule, not findings",
    "fail-on": "the least severity that makes the exit code 1",
    "add-ignore": "add a suppression with this reason to every finding",
    "write-baseline": "write all findings of this run to the baseline",
    "config": "use this configuration file, or this setting",
    "watch": "lint again whenever a file changes",
}
"""The flags of ``check`` that most need, in short; its own help has all."""


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
    if not arguments:
        print("\n".join(overview()))
        return 0
    verb, *rest = arguments
    if verb not in VERBS:
        message = f"help: no such verb: {verb!r}{did_you_mean(verb, VERBS)}"
        raise ConfigError(message)
    return int(import_module(f"rocmlint.cli.{verb}").main([*rest, "--help"]))


def overview() -> Iterator[str]:
    """Yield the verbs and the usual flags: they fit on one screen."""
    yield "usage: rocmlint [VERB] [flags] [PATH ...]"
    yield ""
    yield "Lint and verify code that runs PyTorch and Hugging Face models on ROCm."
    yield ""
    yield "verbs (rocmlint VERB --help):"
    yield from (f"  {verb:<11} {about}" for verb, about in VERBS.items())
    yield ""
    yield "usual flags of check (all of them: rocmlint check --help):"
    flags = all_flags()
    yield from (f"  {_spelled(name, flags[name]):<23} {about}" for name, about in USUAL.items())
    yield ""
    yield "exit codes: 0 no findings, 1 findings, 2 usage error or internal error"


def _spelled(name: str, option: Option) -> str:
    return f"--{name} {option.metavar}".rstrip()
