"""The settings of a linted file: the nearest configuration, with the command line laid over it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.errors import ConfigError
from rocmlint.options import Option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.config_file import Layer

NAMES = ("rocmlint.toml", "pyproject.toml")
"""The files that may hold a configuration; the first wins in one folder."""


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
        "Use the rules in preview too, and report what stable rules find doubtful.",
        group=_RULES,
    ),
    "rules": Option("paths", _DEFAULT.rules, "Folders with rules of your own."),
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


class Configuration:
    """Where settings come from."""

    def __init__(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        config: Sequence[str] = (),
        isolated: bool = False,
    ) -> None:
        """Take what is laid over the files, with the keys of ``[tool.rocmlint]``.

        ``config`` are files to use in place of the nearest ones, or pieces of TOML. With
        ``isolated`` no file is looked for. Raises ConfigError.
        """
        self._folder = _working_folder()
        self._isolated = isolated
        self._over: list[Layer] = []
        self._settings: dict[str, Settings] = {}
        if config or options:
            from rocmlint import config_file  # noqa: PLC0415 - not every start needs it

            for each in config:
                self._isolated |= os.path.isfile(each)
                self._over.append(config_file.read_argument(each, self._folder))
            if options:
                place = config_file.Place("command line")
                self._over.append(config_file.layer(options, self._folder, place))
        self._default = self._made((), self._folder)

    def settings_for(self, folder: str) -> Settings:
        """Give the settings of the files in a folder (absolute): the same object for each.

        Raises ConfigError.
        """
        settings = self._settings.get(folder)
        if settings is None:
            settings = self._settings[folder] = self._find(folder)
        return settings

    def _find(self, folder: str) -> Settings:
        if self._isolated:
            return self._default
        for name in NAMES:
            path = os.path.join(folder, name)
            if _may_configure(path):
                from rocmlint import config_file  # noqa: PLC0415 - not every start needs it

                layer = config_file.read_file(path)
                if layer is not None:
                    return self._made((layer,), folder)
        parent = os.path.dirname(folder)
        return self._default if parent == folder else self.settings_for(parent)

    def _made(self, layers: tuple[Layer, ...], root: str) -> Settings:
        layers = (*layers, *self._over)
        if not layers:
            return Settings(root=root)
        from rocmlint.config_file import combined  # noqa: PLC0415 - not every start needs it

        whole = combined(layers)
        values: dict[str, Any] = {
            name.replace("-", "_"): value for name, value in whole.values.items()
        }
        return Settings(root=root, rule_options=whole.rule_options, sources=whole.sources, **values)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        message = f"the working folder is gone: {error.strerror}"
        raise ConfigError(message) from error


_SPELLINGS = (b"[tool.rocmlint", b"\ntool.rocmlint", b"[tool]", b"\ntool=")
"""Without blanks and quotes, what a pyproject.toml with our table has one of."""


def _may_configure(path: str) -> bool:
    """Say whether a file may hold our table: parsing TOML takes as long as starting Python."""
    try:
        with open(path, "rb") as file:
            if path.endswith(NAMES[0]):
                return True
            data = b"\n" + file.read()
    except OSError:
        return os.path.exists(path)  # what is there and cannot be read must not go unnoticed
    if b"rocmlint" not in data:
        return False
    squeezed = data.translate(None, b" \t\"'")
    return any(each in squeezed for each in _SPELLINGS)
