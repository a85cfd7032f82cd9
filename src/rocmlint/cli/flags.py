"""The flags of ``rocmlint check``: a table, and what was given of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rocmlint.config.option import Option
from rocmlint.config.settings import OPTIONS
from rocmlint.errors import ConfigError
from rocmlint.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace

GROUPS = ("Rules", "Fixing", "Output", "Known findings", "Files", "Configuration", "Run")
_, _FIXING, _OUTPUT, _KNOWN, _FILES, _CONFIGURATION, _RUN = GROUPS

FLAGS: Mapping[str, Option] = {
    "fix": Option("boolean", False, "Apply safe fixes.", group=_FIXING),
    "unsafe-fixes": Option("boolean", False, "Apply safe and unsafe fixes.", group=_FIXING),
    "fix-only": Option(
        "boolean", False, "Apply fixes without reporting the remaining findings.", group=_FIXING
    ),
    "diff": Option(
        "boolean", False, "Show the fixes as a diff without changing any file.", group=_FIXING
    ),
    "exit-non-zero-on-fix": Option(
        "boolean", False, "Exit with 1 if any fix was applied.", group=_FIXING
    ),
    "add-ignore": Option(
        "string",
        None,
        "Add a suppression comment with this reason to every finding (to notes only with --notes "
        "full): --add-ignore=REASON.",
        group=_KNOWN,
        metavar="REASON",
    ),
    "write-baseline": Option(
        "boolean", False, "Write all findings of this run to the baseline.", group=_KNOWN
    ),
    "output-format": Option(
        "string", "text", "Output format for findings.", tuple(FORMATS), _OUTPUT, "FORMAT"
    ),
    "output": Option(
        "strings",
        (),
        "Also write the findings to a file, in a directory that is made if necessary; - prints "
        "them. Can be repeated.",
        group=_OUTPUT,
        metavar="FORMAT:FILE",
    ),
    "attach": Option(
        "paths",
        (),
        "Show a result of `rocmlint verify` or `rocmlint stack show` (its JSON) in the HTML "
        "report; can be repeated.",
        group=_OUTPUT,
        metavar="FILE",
    ),
    "show-excused": Option(
        "boolean",
        False,
        "Also list the places that a rule left alone, each with the reason.",
        group=_OUTPUT,
    ),
    "statistics": Option("boolean", False, "Print counts per rule, not findings.", group=_OUTPUT),
    "color": Option(
        "string",
        "auto",
        "When to use colors; auto means on a terminal or if FORCE_COLOR is set, unless NO_COLOR "
        "is set.",
        choices=("auto", "always", "never"),
        group=_OUTPUT,
        metavar="WHEN",
    ),
    "quiet": Option("boolean", False, "Print only the findings, without notes.", group=_OUTPUT),
    "verbose": Option(
        "boolean",
        False,
        "Print the configuration files, the cache directory and the elapsed time, and the "
        "traceback of an error in a local rule.",
        group=_OUTPUT,
    ),
    "exit-zero": Option("boolean", False, "Exit with 0 even if there are findings.", group=_OUTPUT),
    "force-exclude": Option(
        "boolean", False, "Skip excluded files even if they are named explicitly.", group=_FILES
    ),
    "stdin-filename": Option(
        "path",
        None,
        "The file name to use for standard input, if PATH is -.",
        group=_FILES,
        metavar="PATH",
    ),
    "show-files": Option(
        "boolean", False, "List the files that would be linted, and exit.", group=_FILES
    ),
    "config": Option(
        "strings",
        (),
        "A configuration file to use instead of the nearest one, or a TOML setting such as "
        "'preview = true'; can be repeated.",
        group=_CONFIGURATION,
        metavar="FILE|TOML",
    ),
    "isolated": Option("boolean", False, "Ignore all configuration files.", group=_CONFIGURATION),
    "show-settings": Option(
        "boolean",
        False,
        "Print the effective settings and rules for the first PATH, and exit.",
        group=_CONFIGURATION,
    ),
    "jobs": Option("integer", None, "Number of processes.", group=_RUN, metavar="N"),
    "no-cache": Option("boolean", False, "Do not read or write the cache.", group=_RUN),
    "watch": Option("boolean", False, "Lint again whenever a file changes.", group=_RUN),
    "hook": Option(
        "boolean",
        False,
        "Drop notes unless `notes` is set, as the pre-commit hooks do.",
        group=_RUN,
    ),
    "show-fixes": Option(
        "boolean", False, "Print how many findings of each rule were fixed.", group=_FIXING
    ),
    "output-file": Option(
        "path",
        None,
        "Write the findings or statistics to this file instead of standard output.",
        group=_OUTPUT,
        metavar="FILE",
    ),
    "silent": Option("boolean", False, "Print only errors, not even the findings.", group=_OUTPUT),
    "extend-per-file-ignores": Option(
        "strings",
        (),
        "Rules not to use in files that match a gitignore pattern, in addition to the configured "
        "ones; can be repeated.",
        group="Rules",
        metavar="PATTERN:RULE",
    ),
}
"""Flags of the command line alone; the options of the configuration with a group are flags too."""

SHORT: Mapping[str, str] = {
    "exit-zero": "-e",
    "no-cache": "-n",
    "output-file": "-o",
    "quiet": "-q",
    "silent": "-s",
    "verbose": "-v",
    "version": "-V",
    "watch": "-w",
}
"""Flags with one letter, as Ruff has them."""

ALIASES: Mapping[str, tuple[str, ...]] = {"environment": ("--python",)}
"""Other spellings of flags: every other verb that judges an interpreter calls it so."""


def all_flags() -> dict[str, Option]:
    """Return every flag of ``check``, those of the configuration first."""
    return {name: each for name, each in OPTIONS.items() if each.group} | dict(FLAGS)


def overrides(flags: SimpleNamespace) -> dict[str, Any]:
    """Return the options of the configuration that flags lay over it."""
    given = {name: getattr(flags, attribute(name)) for name in OPTIONS}
    options = {
        name: _split(value) if OPTIONS[name].type == "strings" else value
        for name, value in given.items()
        if value is not None
    }
    if flags.environment is not None:
        options["environment"] = _on_path(flags.environment)
    if flags.extend_per_file_ignores:
        options["per-file-ignores"] = _by_pattern(_split(flags.extend_per_file_ignores))
    return options


def attribute(name: str) -> str:
    """Return the name of a flag as the attribute that the parser sets."""
    return name.replace("-", "_")


def _on_path(name: str) -> str:
    """Return the program that a shell would start for a name; a path stays as it is."""
    if os.path.dirname(name) or os.path.lexists(name):
        return name
    import shutil  # noqa: PLC0415 - few runs name a program

    return shutil.which(name) or name


def _by_pattern(pairs: list[str]) -> dict[str, list[str]]:
    """Return the rules of each pattern. Raises ConfigError where one of the two is missing."""
    found: dict[str, list[str]] = {}
    for each in pairs:
        pattern, _, rule = each.rpartition(":")
        if not (pattern and rule):
            message = f"--extend-per-file-ignores {each}: must be PATTERN:RULE"
            raise ConfigError(message)
        found.setdefault(pattern.strip(), []).append(rule.strip())
    return found


def _split(values: list[str]) -> list[str]:
    items = (item.strip() for value in values for item in value.split(","))
    return [item for item in items if item]
