"""The flags of ``rocmlint check``: a table, and what was given of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocmlint.config.option import Option
from rocmlint.config.settings import OPTIONS
from rocmlint.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace

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
    "verbose": Option(
        "boolean", False, "Say where settings and cache are, and how long it took.", group=_OUTPUT
    ),
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


def overrides(flags: SimpleNamespace) -> dict[str, Any]:
    """Give the options of the configuration that flags lay over it."""
    given = {name: getattr(flags, attribute(name)) for name in OPTIONS}
    return {
        name: _split(value) if OPTIONS[name].type == "strings" else value
        for name, value in given.items()
        if value is not None
    }


def attribute(name: str) -> str:
    """Return the name of a flag as the attribute that the parser sets."""
    return name.replace("-", "_")


def _split(values: list[str]) -> list[str]:
    items = (item.strip() for value in values for item in value.split(","))
    return [item for item in items if item]
