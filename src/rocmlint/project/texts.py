"""The settings, scripts, notebooks and documents of a project: all its texts but its modules."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.questions import question
from rocmlint.formats import format_of
from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from rocmlint.disk.disk import DiskView

_ENDINGS = (
    *(".yaml", ".yml", ".sh", ".md", ".rst", ".toml", ".cfg", ".ini", ".slurm", ".sbatch"),
    ".ipynb",
)
_OF_TOOLS = frozenset({".github", ".circleci", ".devcontainer", ".buildkite", ".ci"})
_FOLDER = compile_lazily(r"[^.]+(?:\.\d[^.]*)*\Z")
"""How folders are called that may hold texts: `configs`, `sam2.1_training`."""
_MOST_FOLDERS = 1000


@question
def texts_below(root: str, view: DiskView) -> tuple[str, ...]:
    """Return the paths of the texts below a folder that may name a module, a function or a list."""
    found, folders = [], [root]
    for count, folder in enumerate(folders):
        for name in view.names_in(folder):
            path = os.path.join(folder, name)
            if name.endswith(_ENDINGS) or _is_linted(path):
                found.append(path)
            elif _may_be_folder(name) and view.disk.is_folder(path) and count < _MOST_FOLDERS:
                folders.append(path)
    return tuple(found)


@question
def texts_with(root: str, pattern: str, view: DiskView) -> tuple[str, ...]:
    """Return the paths of the texts below a folder in which a regular expression is found."""
    search = re.compile(pattern).search
    return tuple(each for each in texts_below(root, view) if search(view.read(each)))


@question
def readmes_in(folder: str, view: DiskView) -> tuple[str, ...]:
    """Return the paths of the READMEs in a folder."""
    names = (each for each in view.names_in(folder) if each.lower().startswith("readme"))
    return tuple(os.path.join(folder, each) for each in names)


def _is_linted(path: str) -> bool:
    return not path.endswith(".py") and format_of(path) is not None


def _may_be_folder(name: str) -> bool:
    return _FOLDER.match(name) is not None or name in _OF_TOOLS
