"""Where the settings of a file come from: the nearest configuration, the command line over it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rocmlint.config.settings import Settings
from rocmlint.disk.files import ON_DISK
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.config.file import ConfigPlace, Layer
    from rocmlint.disk.files import Files

NAMES = (".rocmlint.toml", "rocmlint.toml", "pyproject.toml")
"""The files that may hold a configuration; the first wins in one folder."""


class Configuration:
    """Where settings come from."""

    def __init__(  # noqa: PLR0913 - all have defaults
        self,
        options: Mapping[str, Any] | None = None,
        *,
        config: Sequence[str] = (),
        isolated: bool = False,
        files: Files = ON_DISK,
        folder: str | None = None,
        without_notes: bool = False,
    ) -> None:
        """Take what is laid over the files, with the keys of ``[tool.rocmlint]``.

        ``config`` are files to use in place of the nearest ones, or pieces of TOML. With
        ``isolated`` no file is looked for. They are among ``files``, and paths in the options are
        relative to ``folder``, the working folder if not given. With ``without_notes`` notes are
        off where nothing sets them. Raises ConfigError.
        """
        self._files = files
        self._folder = _working_folder() if folder is None else folder
        self._isolated = isolated
        self._defaults: dict[str, Any] = {"notes": "off"} if without_notes else {}
        self._over: list[Layer] = []
        self._settings: dict[str, Settings] = {}
        if config or options:
            from rocmlint.config import file as config_file  # noqa: PLC0415 - not every start needs it

            for each in config:
                self._isolated |= os.path.isfile(each)
                self._over.append(config_file.read_argument(each, self._folder))
            if options:
                place = config_file.ConfigPlace("command line")
                self._over.append(config_file.layer(options, self._folder, place))
        self._default = self._made((), self._folder)

    def settings_for(self, folder: str) -> Settings:
        """Return the settings of the files in a folder (absolute): the same object for each.

        Raises ConfigError.
        """
        settings = self._settings.get(folder)
        if settings is None:
            settings = self._settings[folder] = self._find(folder)
        return settings

    def is_given_by_command(self, name: str) -> bool:
        """Return whether the command sets an option, by its flag or with ``--config``."""
        return any(name in layer.values for layer in self._over)

    def origins(self, folder: str) -> Mapping[str, tuple[ConfigPlace, ...]]:
        """Return what has set each key (of a rule's option: ``rule.option``) for a folder."""
        from rocmlint.config.file import combined  # noqa: PLC0415 - few runs show settings

        while (layer := self._layer_in(folder)) is None and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        return combined((*([] if layer is None else [layer]), *self._over)).origins

    def _find(self, folder: str) -> Settings:
        layer = self._layer_in(folder)
        if layer is not None:
            return self._made((layer,), folder)
        parent = os.path.dirname(folder)
        is_last = self._isolated or parent == folder
        return self._default if is_last else self.settings_for(parent)

    def _layer_in(self, folder: str) -> Layer | None:
        """Read the configuration in a folder itself, if there is one that counts."""
        if self._isolated:
            return None
        for name in NAMES:
            path = os.path.join(folder, name)
            if _may_configure(path, self._files):
                from rocmlint.config import file as config_file  # noqa: PLC0415 - not every start needs it

                layer = config_file.read_file(path, files=self._files)
                if layer is not None:
                    return layer
        return None

    def _made(self, layers: tuple[Layer, ...], root: str) -> Settings:
        layers = (*layers, *self._over)
        if not layers:
            return Settings(root=root, **self._defaults)
        from rocmlint.config.file import combined  # noqa: PLC0415 - not every start needs it

        whole = combined(layers)
        values: dict[str, Any] = {
            **self._defaults,
            **{name.replace("-", "_"): value for name, value in whole.values.items()},
        }
        if not values.get("local_rules", True):
            values["unloaded_rules"] = values.pop("rules", ())
        return Settings(root=root, rule_options=whole.rule_options, sources=whole.sources, **values)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        message = f"the working directory no longer exists: {error.strerror}"
        raise ConfigError(message) from error


_SPELLINGS = (b"[tool.rocmlint", b"\ntool.rocmlint", b"[tool]", b"\ntool=")
"""Without blanks and quotes, what a pyproject.toml with our table has one of."""


def _may_configure(path: str, files: Files) -> bool:
    """Return whether a file may hold our table: parsing TOML takes as long as starting Python."""
    if not path.endswith(NAMES[-1]):
        return files.exists(path) or (files is ON_DISK and os.path.islink(path))
    try:
        data = b"\n" + files.read(path)
    except OSError:
        return files.exists(path)  # what is there and cannot be read must not go unnoticed
    if b"rocmlint" not in data:
        return False
    squeezed = data.translate(None, b" \t\"'")
    return any(each in squeezed for each in _SPELLINGS)
