"""One file as a run over a folder would see it: with which settings, and whether at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.lint.discovery.discover import (
    checked,
    is_entered,
    is_excluded,
    why_left_out,
    why_not_linted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.config.settings import Settings
    from rocmlint.lint.discovery.discover import SettingsFor


def settings_in_run(
    root: str, path: str, data: bytes, settings_for: SettingsFor
) -> Settings | None:
    """Return the settings with which a run over a folder lints a file; None if it leaves it out.

    Both paths are absolute, ``settings_for`` knows the folder (:func:`.discover.rooted`). The file
    need not exist: ``data`` is how it begins. Unlike in a run, a script of Python may have any
    name. Raises ConfigError.
    """
    settings = checked(settings_for(os.path.dirname(path)))
    if why_not_linted(path, data, settings) is not None or is_excluded(path, settings):
        return None
    return settings if all(_is_entered(each, root) for each in _between(root, path)) else None


def _between(root: str, path: str) -> Iterator[str]:
    """Yield the folders below the root in which a file is."""
    folder = os.path.dirname(path)
    while folder != root and folder.startswith(os.path.join(root, "")):
        yield folder
        folder = os.path.dirname(folder)


def _is_entered(folder: str, root: str) -> bool:
    try:
        names = set(os.listdir(folder))
    except OSError:  # it is made when the file is saved
        names = set()
    if not is_entered(os.path.basename(folder)) or "pyvenv.cfg" in names:
        return False
    return why_left_out(folder, names, root) is None
