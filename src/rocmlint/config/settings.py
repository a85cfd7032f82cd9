"""The settings that a file is linted with, and the table of the options that set them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.config.option import Option

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(NamedTuple):
    """All settings that decide how a file is linted; a named tuple, since every start needs it.

    Paths are absolute; patterns are gitignore patterns relative to ``root``.
    """

    root: str = ""
    """The folder of the configuration file, else the working folder."""
    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    preview: bool = False
    profile: str | None = None
    """A purpose that has rules of its own, off without it: ``export``."""
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    rules: tuple[str, ...] = ()
    """Folders of local rules."""
    local_rules: bool = True
    """Whether local rules may be loaded; if not, ``rules`` is empty."""
    unloaded_rules: tuple[str, ...] = ()
    """Folders of local rules that are not loaded; what names their rules cannot be checked."""
    symptoms: tuple[str, ...] = ()
    """Files with entries of a team for ``rocmlint why``."""
    rule_options: Mapping[str, Mapping[str, object]] = {}
    """Options of single rules, by rule name or code, as they were written."""
    baseline: str | None = None
    fail_on: str = "warning"
    """The least severity of a finding that makes a run fail, or ``never``."""
    notes: str = "short"
    """How findings of the severity ``note`` are shown; ``off`` drops them."""
    documents: bool | None = None
    """Whether the code blocks of Markdown files are linted."""
    check_syntax: bool = False
    """Parse every file, also those in which no rule has work."""
    cache_dir: str | None = None
    rocm: bool | None = None
    """Whether the project runs on ROCm; None: its files decide."""
    environment: str | None = None
    """An interpreter or virtual environment whose packages count in place of the declared ones."""
    verify: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Further checks for ``rocmlint verify`` to make, in addition to the claims of the code."""
    sources: tuple[str, ...] = ()
    """The files that these settings were read from, the extended ones first."""
    fixable: tuple[str, ...] = ("ALL",)
    """The rules whose fixes are offered; others report without them."""
    extend_fixable: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    ignore_noqa: bool = False
    """Whether findings are reported that comments hide."""
    required_version: str | None = None
    linted: str = ""
    """The folder that was named to be linted, where no repository says what belongs together."""
    named: bool = False
    """Whether the file was named itself: then it is reported if it cannot be parsed."""
    archived: bool = False
    """Whether an archive was named, or what is in one: then its files are linted as any other."""


FAIL_ON = ("note", "warning", "error", "never")
"""Valid values of ``fail-on``, in order: the severities of findings, and one that none has."""
NOTES = ("short", "full", "off")
"""Valid values of ``notes``."""
_DEFAULT = Settings()
_RULES = "Rules"
_FILES = "Files"
_FIXING = "Fixing"

OPTIONS: Mapping[str, Option] = {
    "select": Option(
        "strings",
        _DEFAULT.select,
        "The rules to use: codes, code prefixes, names, or ALL. More specific selectors "
        "take precedence. Replaces the selection of an extended file or, as a flag, of the "
        "configuration.",
        group=_RULES,
        metavar="RULES",
    ),
    "extend-select": Option(
        "strings",
        _DEFAULT.extend_select,
        "Rules to use in addition to the selected ones.",
        group=_RULES,
        metavar="RULES",
    ),
    "ignore": Option(
        "strings",
        _DEFAULT.ignore,
        "Rules not to use, in addition to those ignored elsewhere.",
        group=_RULES,
        metavar="RULES",
    ),
    "per-file-ignores": Option(
        "table of strings",
        _DEFAULT.per_file_ignores,
        "Rules not to use in files that match a gitignore pattern; `!` before it means all other "
        "files.",
    ),
    "preview": Option(
        "boolean",
        _DEFAULT.preview,
        "Also use rules that are in preview.",
        group=_RULES,
    ),
    "profile": Option(
        "string",
        _DEFAULT.profile,
        "Enable an optional rule set: export, for code that is exported with torch.export. "
        "Selecting its codes or names does the same.",
        group=_RULES,
        metavar="PROFILE",
    ),
    "rules": Option("paths", _DEFAULT.rules, "Directories with rules of your own (local rules)."),
    "symptoms": Option(
        "paths",
        _DEFAULT.symptoms,
        "Files with error messages of your own for `rocmlint why`, which reads them before the "
        "built-in ones. They are data and run no code.",
    ),
    "local-rules": Option(
        "boolean",
        _DEFAULT.local_rules,
        "Load the local rules in `rules`, which runs their code. Use --no-local-rules to "
        "lint code that you do not trust; unknown selectors and options are then ignored.",
        group=_RULES,
    ),
    "exclude": Option(
        "strings",
        _DEFAULT.exclude,
        "Files and directories to skip, as gitignore patterns.",
        group=_FILES,
        metavar="PATTERNS",
    ),
    "respect-gitignore": Option(
        "boolean",
        _DEFAULT.respect_gitignore,
        "Skip files ignored by git.",
        group=_FILES,
    ),
    "documents": Option(
        "boolean",
        _DEFAULT.documents,
        "Whether findings in the code blocks of Markdown and reStructuredText count like those in "
        "scripts. By default they are notes; with false these files are not read.",
        group=_FILES,
    ),
    "check-syntax": Option(
        "boolean",
        _DEFAULT.check_syntax,
        "Parse every file, even if no rule applies to it, and report all syntax errors.",
        group=_FILES,
    ),
    "rocm": Option(
        "boolean",
        _DEFAULT.rocm,
        "Whether the project runs on ROCm. By default, rocmlint looks for a ROCm image, "
        "index or build of torch in the project's files.",
    ),
    "environment": Option(
        "path",
        _DEFAULT.environment,
        "An interpreter or virtual environment whose installed packages decide which names "
        "exist, instead of the declared requirements. Its code is not run.",
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
        "The cache directory (default: .rocmlint_cache next to the configuration).",
        group="Run",
        metavar="FOLDER",
    ),
    "fail-on": Option(
        "string",
        _DEFAULT.fail_on,
        "Exit with 1 only if there are findings of this severity or above; never means that "
        "findings do not change the exit code.",
        FAIL_ON,
        group="Output",
        metavar="SEVERITY",
    ),
    "notes": Option(
        "string",
        _DEFAULT.notes,
        "How notes are shown: short (a line for each rule and file, at most three for a rule), "
        "full (as other findings), or off (they are dropped).",
        NOTES,
        group="Output",
        metavar="HOW",
    ),
    "verify": Option(
        "table of strings",
        _DEFAULT.verify,
        "What `rocmlint verify` checks in addition to the claims of the code: manifests "
        "(files), modules (imported and compared with their source), kernel-packages "
        "(imported).",
    ),
    "extend": Option(
        "path",
        None,
        ("Another configuration file, relative to this one, whose settings this file extends."),
    ),
    "fixable": Option(
        "strings",
        _DEFAULT.fixable,
        "The rules whose fixes may be applied. More specific selectors take precedence.",
        group=_FIXING,
        metavar="RULES",
    ),
    "extend-fixable": Option(
        "strings",
        _DEFAULT.extend_fixable,
        "Rules whose fixes may be applied, in addition to `fixable`.",
        group=_FIXING,
        metavar="RULES",
    ),
    "unfixable": Option(
        "strings",
        _DEFAULT.unfixable,
        "Rules whose fixes are not applied; they still report findings.",
        group=_FIXING,
        metavar="RULES",
    ),
    "ignore-noqa": Option(
        "boolean",
        _DEFAULT.ignore_noqa,
        "Also report findings that a `noqa` or `rocmlint: ignore` comment suppresses.",
        group="Known findings",
    ),
    "required-version": Option(
        "string",
        _DEFAULT.required_version,
        "The version of rocmlint that this configuration is for, such as '>=0.1,<0.2'. "
        "Any other version stops with an error.",
    ),
}
"""Every key of ``[tool.rocmlint]`` but the tables of options of single rules."""
