"""The settings that a file is linted with, and the table of the options that set them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.config.option import Option

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(NamedTuple):
    """What decides how a file is linted; a named tuple, since every start needs it.

    Paths are absolute; patterns are gitignore patterns relative to ``root``.
    """

    root: str = ""
    """The folder of the configuration file, else the working folder."""
    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    preview: bool = False
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    rules: tuple[str, ...] = ()
    """Folders of local rules."""
    local_rules: bool = True
    """Whether local rules may be loaded; if not, ``rules`` is empty."""
    unloaded_rules: tuple[str, ...] = ()
    """Folders of local rules that are not loaded; what names their rules cannot be checked."""
    rule_options: Mapping[str, Mapping[str, object]] = {}
    """What was set for single rules, by rule name or code, as it was written."""
    baseline: str | None = None
    check_syntax: bool = False
    """Parse every file, also those in which no rule has work."""
    cache_dir: str | None = None
    rocm: bool | None = None
    """Whether the project runs on ROCm; None for: told from its files."""
    environment: str | None = None
    """An interpreter or virtual environment whose packages count in place of the declared ones."""
    verify: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What ``rocmlint verify`` proves besides the claims of the code."""
    sources: tuple[str, ...] = ()
    """The files that these settings were read from, the extended ones first."""


_DEFAULT = Settings()
_RULES = "Rules"
_FILES = "Files"

OPTIONS: Mapping[str, Option] = {
    "select": Option(
        "strings",
        _DEFAULT.select,
        "The rules to use: codes, beginnings of codes, names, or ALL. What is more exact wins "
        "over what is less. Sets aside the selection of an extended file or, as a flag, of the "
        "configuration.",
        group=_RULES,
        metavar="RULES",
    ),
    "extend-select": Option(
        "strings",
        _DEFAULT.extend_select,
        "Rules to use besides the selected ones.",
        group=_RULES,
        metavar="RULES",
    ),
    "ignore": Option(
        "strings",
        _DEFAULT.ignore,
        "Rules not to use, besides those ignored elsewhere.",
        group=_RULES,
        metavar="RULES",
    ),
    "per-file-ignores": Option(
        "table of strings",
        _DEFAULT.per_file_ignores,
        "Rules not to use in the files that match a gitignore pattern.",
    ),
    "preview": Option(
        "boolean",
        _DEFAULT.preview,
        "Use the rules in preview too.",
        group=_RULES,
    ),
    "rules": Option("paths", _DEFAULT.rules, "Folders with rules of your own."),
    "local-rules": Option(
        "boolean",
        _DEFAULT.local_rules,
        "Load the rules below `rules`, which runs their code. Use --no-local-rules to lint code "
        "that you do not trust; selectors and options that are not those of a built-in rule then "
        "mean nothing.",
        group=_RULES,
    ),
    "exclude": Option(
        "strings",
        _DEFAULT.exclude,
        "Files and folders to leave out, as gitignore patterns.",
        group=_FILES,
        metavar="PATTERNS",
    ),
    "respect-gitignore": Option(
        "boolean",
        _DEFAULT.respect_gitignore,
        "Leave out what git ignores.",
        group=_FILES,
    ),
    "check-syntax": Option(
        "boolean",
        _DEFAULT.check_syntax,
        "Parse every file, also those in which no rule has work, and report those that fail.",
        group=_FILES,
    ),
    "rocm": Option(
        "boolean",
        _DEFAULT.rocm,
        "Whether the project runs on ROCm. If not given, what its files name tells: a ROCm image, "
        "index or build of torch.",
    ),
    "environment": Option(
        "path",
        _DEFAULT.environment,
        "An interpreter or virtual environment: the versions and names of what is installed there "
        "count in place of the declared requirements. Nothing of it is run.",
        group=_RULES,
        metavar="PYTHON",
    ),
    "baseline": Option(
        "path",
        _DEFAULT.baseline,
        "A file with known findings, which are not reported.",
        group="Known findings",
        metavar="FILE",
    ),
    "cache-dir": Option(
        "path",
        _DEFAULT.cache_dir,
        "The folder of the cache; .rocmlint_cache beside the configuration if not given.",
        group="Run",
        metavar="FOLDER",
    ),
    "verify": Option(
        "table of strings",
        _DEFAULT.verify,
        "What `rocmlint verify` proves besides the claims of the code: manifests (files), modules "
        "(to be imported and compared with their source), kernel-packages (to be loaded).",
    ),
    "extend": Option(
        "path", None, "A configuration file that this one is laid over, relative to this one."
    ),
}
"""Every key of ``[tool.rocmlint]`` but the tables of options of single rules."""
