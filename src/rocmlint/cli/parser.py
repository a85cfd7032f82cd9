"""The argument parsers, made from the tables of options."""

from __future__ import annotations

import os
import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentParser,
    BooleanOptionalAction,
    RawDescriptionHelpFormatter,
)
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn

from rocmlint.cli.flags import ALIASES, GROUPS, SHORT, all_flags
from rocmlint.cli.main import VERBS
from rocmlint.config.option import Option, did_you_mean, problem
from rocmlint.config.settings import OPTIONS
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from types import SimpleNamespace

    from _typeshed import SupportsWrite


class Parser(ArgumentParser):
    """An argument parser that raises instead of leaving, and knows what was meant."""

    def __init__(self, usage: str, description: str, epilog: str = "") -> None:
        """Take what follows ``rocmlint`` in the usage."""
        super().__init__(
            prog="rocmlint",
            usage=f"rocmlint {usage}",
            description=description,
            epilog=epilog,
            formatter_class=_Formatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise ConfigError."""
        raise ConfigError(message)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; argparse would not tell that it cannot be written."""
        if message:
            (file or sys.stderr).write(message)

    def _check_value(self, action: Action, value: object) -> None:
        """Refuse an invalid choice, as the configuration does."""
        if action.choices is not None and value not in action.choices:
            allowed = Option("string", None, "", tuple(action.choices))
            name = "/".join(action.option_strings) or action.dest
            self.error(problem(name, allowed, value) or "")

    def _get_value(self, action: Action, arg_string: str) -> Any:
        """Refuse what is not a number, as the configuration does."""
        if action.type is int and not arg_string.lstrip("+-").isdecimal():
            name = "/".join(action.option_strings) or action.dest
            self.error(problem(name, Option("integer", None, ""), arg_string) or "")
        return super()._get_value(action, arg_string)

    def parse(self, arguments: Sequence[str], into: SimpleNamespace) -> SimpleNamespace:
        """Parse, with paths and flags in any order. Raises ConfigError for what is unknown."""
        parsed, unknown = self.parse_known_intermixed_args(arguments, into)
        for each in unknown:
            flag = each.partition("=")[0]
            near = did_you_mean(
                flag, [name for each in self._actions for name in each.option_strings]
            )
            verb = " ".join(takewhile(_is_verb, str(self.usage).split()[1:])) or "check"
            self.error(f"unknown argument {flag}{near or f'; see rocmlint {verb} --help'}")
        return parsed


def _is_verb(word: str) -> bool:
    return word.replace("-", "").isalpha() and word.islower()


class _Version(Action):
    """Prints the version and how old the tables are, and leaves."""

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        from rocmlint.cli.table_ages import version_lines  # noqa: PLC0415 - few runs ask for it

        print("\n".join(version_lines()))
        parser.exit()


class _Formatter(RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # argparse makes one for each argument; finding the width its own way imports shutil.
        super().__init__(prog, max_help_position=30, width=_width())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Keep lines as they are written, but for those that do not fit."""
        import textwrap  # noqa: PLC0415 - only help needs it

        wrapped = []
        for line in text.splitlines():
            below = " " * 15 if line.startswith("  ") else ""  # the second column of a list
            wrapped += textwrap.wrap(line, width, subsequent_indent=below) or [""]
        return "\n".join(indent + each for each in wrapped)


def _width() -> int:
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        return min(columns, 100) - 2
    except (OSError, ValueError):
        return 98


def check_parser() -> Parser:
    """Make the parser of ``rocmlint [check]``."""
    verbs = "\n".join(f"  {verb:<12}{about}" for verb, about in VERBS.items())
    parser = Parser(
        "[check] [flags] [PATH ...]",
        "Lint code that runs PyTorch and Hugging Face models on ROCm.",
        f"verbs (rocmlint VERB --help):\n{verbs}\n\nexit codes: 0 no findings, 1 findings (see "
        "--fail-on), 2 usage error or internal error",
    )
    add_arguments(parser)
    return parser


def add_arguments(parser: ArgumentParser, without: frozenset[str] = frozenset()) -> ArgumentParser:
    """Add what follows ``rocmlint [check]``; a verb that does much the same goes without some."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and directories (default: .)"
    )
    parser.add_argument(
        *_spellings("version"),
        action=_Version,
        nargs=0,
        dest=SUPPRESS,
        default=SUPPRESS,
        help="show program's version number and the ages of its tables, and exit",
    )
    flags = {name: option for name, option in all_flags().items() if name not in without}
    used = {option.group for option in flags.values()}
    groups = {group: parser.add_argument_group(group) for group in GROUPS if group in used}
    for name, option in flags.items():
        groups[option.group].add_argument(*_spellings(name), **how(name, option))
    return parser


def add_output_format(parser: ArgumentParser, formats: Collection[str] = ("text", "json")) -> None:
    """Add how a verb prints its answer."""
    parser.add_argument(
        "--output-format", choices=formats, default="text", help="output format (default: text)"
    )


def _spellings(name: str) -> list[str]:
    """Return how a flag can be written."""
    return [*([SHORT[name]] if name in SHORT else []), f"--{name}", *ALIASES.get(name, ())]


def how(name: str, option: Option) -> dict[str, Any]:
    """Return what argparse needs to know of a flag."""
    how: dict[str, Any] = {"help": option.help}
    if option.type == "boolean":
        # What the configuration says must be possible to take back.
        how["action"] = BooleanOptionalAction if name in OPTIONS else "store_true"
        return how
    how["metavar"] = option.metavar
    if option.type in {"strings", "paths"}:
        how["action"] = "append"
    if option.type == "integer":
        how["type"] = int
    if option.choices:
        how["choices"] = option.choices
        how["help"] += f" One of {', '.join(option.choices)}."
    if option.default:
        default = option.default
        shown = ", ".join(default) if isinstance(default, tuple) else default
        how["help"] += f" (default: {shown})"
    return how
