"""The flags of ``rocmlint check``, and the argument parser that is made from them."""

from __future__ import annotations

import os
from argparse import (
    Action,
    ArgumentParser,
    BooleanOptionalAction,
    Namespace,
    RawDescriptionHelpFormatter,
)
from typing import TYPE_CHECKING, Any, NoReturn

from rocmlint import __version__
from rocmlint.cli.main import VERBS
from rocmlint.config import OPTIONS
from rocmlint.errors import ConfigError
from rocmlint.options import Option, did_you_mean, problem
from rocmlint.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

GROUPS = ("Rules", "Fixing", "Output", "Known findings", "Files", "Configuration", "Run")
_, _FIXING, _OUTPUT, _KNOWN, _FILES, _CONFIGURATION, _RUN = GROUPS

FLAGS: Mapping[str, Option] = {
    "fix": Option("boolean", False, "Apply the safe fixes.", group=_FIXING),
    "unsafe-fixes": Option("boolean", False, "Apply the safe and the unsafe fixes.", group=_FIXING),
    "fix-only": Option("boolean", False, "Fix, and report nothing.", group=_FIXING),
    "diff": Option(
        "boolean", False, "Show what would be fixed as a diff; write nothing.", group=_FIXING
    ),
    "exit-non-zero-on-fix": Option(
        "boolean", False, "Exit with 1 if anything was fixed.", group=_FIXING
    ),
    "add-ignore": Option(
        "string",
        None,
        "Write a comment that hides it, with this reason, to every finding.",
        group=_KNOWN,
        metavar="REASON",
    ),
    "write-baseline": Option(
        "boolean", False, "Write all findings of this run to the baseline.", group=_KNOWN
    ),
    "output-format": Option(
        "string", "text", "How findings are printed.", tuple(FORMATS), _OUTPUT, "FORMAT"
    ),
    "output": Option(
        "strings",
        (),
        "Write the findings to a file too; may be given several times.",
        group=_OUTPUT,
        metavar="FORMAT:FILE",
    ),
    "statistics": Option(
        "boolean", False, "Print how often each rule was found instead.", group=_OUTPUT
    ),
    "color": Option(
        "string",
        "auto",
        "Colour: auto is on a terminal and without NO_COLOR.",
        choices=("auto", "always", "never"),
        group=_OUTPUT,
        metavar="WHEN",
    ),
    "quiet": Option("boolean", False, "Print the findings and nothing else.", group=_OUTPUT),
    "verbose": Option("boolean", False, "Say what is done.", group=_OUTPUT),
    "exit-zero": Option("boolean", False, "Exit with 0 though something was found.", group=_OUTPUT),
    "force-exclude": Option(
        "boolean", False, "Leave excluded files out also where they are named.", group=_FILES
    ),
    "stdin-filename": Option(
        "path",
        None,
        "The path of what comes on standard input when PATH is -.",
        group=_FILES,
        metavar="PATH",
    ),
    "show-files": Option("boolean", False, "List the files, lint nothing.", group=_FILES),
    "config": Option(
        "strings",
        (),
        "A configuration file to use instead of the nearest one, or a piece of TOML such as "
        "'preview = true'; may be given several times.",
        group=_CONFIGURATION,
        metavar="FILE|TOML",
    ),
    "isolated": Option("boolean", False, "Use no configuration file.", group=_CONFIGURATION),
    "show-settings": Option(
        "boolean",
        False,
        "Print the settings and rules for the first PATH, lint nothing.",
        group=_CONFIGURATION,
    ),
    "jobs": Option("integer", None, "How many processes.", group=_RUN, metavar="N"),
    "no-cache": Option("boolean", False, "Neither read nor write the cache.", group=_RUN),
    "watch": Option("boolean", False, "Lint again whenever a file changes.", group=_RUN),
}
"""What only the command line knows; the options of the configuration with a group are flags too."""


def all_flags() -> dict[str, Option]:
    """Give every flag of ``check``, those of the configuration first."""
    return {name: each for name, each in OPTIONS.items() if each.group} | dict(FLAGS)


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

    def _check_value(self, action: Action, value: object) -> None:
        """Refuse what is no choice, as the configuration does."""
        if action.choices is not None and value not in action.choices:
            allowed = Option("string", None, "", tuple(action.choices))
            self.error(f"{'/'.join(action.option_strings)} {problem(allowed, value)}")

    def parse(self, arguments: Sequence[str], flags: Iterable[str] = ()) -> Namespace:
        """Parse, with paths and flags in any order. Raises ConfigError for what is unknown."""
        namespace, unknown = self.parse_known_intermixed_args(arguments)
        for each in unknown:
            flag = each.partition("=")[0]
            near = did_you_mean(flag, [f"--{name}" for name in flags])
            self.error(f"unknown argument {flag}{near or '; see rocmlint --help'}")
        return namespace


class _Formatter(RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # argparse makes one for each argument; finding the width its own way imports shutil.
        super().__init__(prog, max_help_position=30, width=_width())


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
        "Find code that goes wrong when PyTorch and Hugging Face models run on ROCm.",
        f"verbs (rocmlint VERB --help):\n{verbs}\n\n"
        "exit codes: 0 nothing found, 1 findings, 2 wrong usage or an error",
    )
    add_arguments(parser)
    return parser


def add_arguments(parser: ArgumentParser) -> ArgumentParser:
    """Add what follows ``rocmlint [check]``."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: .)")
    parser.add_argument("--version", action="version", version=f"rocmlint {__version__}")
    groups = {group: parser.add_argument_group(group) for group in GROUPS}
    for name, option in all_flags().items():
        groups[option.group].add_argument(f"--{name}", **_how(name, option))
    return parser


def _how(name: str, option: Option) -> dict[str, Any]:
    """Give what argparse needs to know of a flag."""
    how: dict[str, Any] = {"help": option.help}
    if option.type == "boolean":
        # What the configuration says must be possible to take back.
        how["action"] = BooleanOptionalAction if name in OPTIONS else "store_true"
        return how | ({"default": None} if name in OPTIONS else {})
    if option.type in {"strings", "paths"}:
        how["action"] = "append"
    if option.type == "integer":
        how["type"] = int
    how["metavar"] = option.metavar
    if option.choices:
        how["choices"] = option.choices
        how["help"] += f" One of {', '.join(option.choices)}."
    if name not in OPTIONS and option.type not in {"strings", "paths"}:
        how["default"] = option.default
    if option.default:
        default = option.default
        shown = ", ".join(default) if isinstance(default, tuple) else default
        how["help"] += f" (default: {shown})"
    return how


def overrides(namespace: Namespace) -> dict[str, Any]:
    """Give the options of the configuration that flags lay over it."""
    given = {name: getattr(namespace, name.replace("-", "_"), None) for name in OPTIONS}
    return {
        name: _split(value) if OPTIONS[name].type == "strings" else value
        for name, value in given.items()
        if value is not None
    }


def _split(values: list[str]) -> list[str]:
    items = (item.strip() for value in values for item in value.split(","))
    return [item for item in items if item]
