"""What makes a package another than the one published: copies of its modules, other packages."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily

from ._uses import PACKAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.lint.source import Source

_MAXIMUM_FOLDERS = 5000
_OUTSIDE = (".", "__pycache__", "site-packages", "node_modules")
"""How folders begin that hold nothing of the project itself."""
_REWRITTEN = frozenset({"peft", "transformers", "trl"})
_REWRITES = compile_lazily(r"^[ \t]*(?:from|import)[ \t]+unsloth", re.MULTILINE)
"""unsloth gives these packages' classes and functions other parameters when it is imported."""


_PUTS = compile_lazily(
    rf"^[ \t]*(?:sys\.modules\[[\"'])?((?:{'|'.join(PACKAGES)}|torch)(?:\.\w+)+)(?:[\"']\])?"
    r"[ \t]*=(?!=)",
    re.MULTILINE,
)
"""A name that is put into a package, written in full: ``transformers.utils.LossKwargs = …``."""


def is_rewritten(package: str, source: Source) -> bool:
    """Say whether the file imports what rewrites the package."""
    return package in _REWRITTEN and _REWRITES.search(source.code) is not None


def is_overlaid(dotted: str, source: Source) -> bool:
    """Say whether the project holds a file that may replace a module that a name is from.

    ``patches/models/gemma/modeling_gemma.py`` stands for
    ``transformers.models.gemma.modeling_gemma``: what that module has, the index cannot know.
    """
    parts = dotted.split(".")
    wanted = {
        os.path.join(parts[length - 2], f"{parts[length - 1]}.py")
        for length in range(3, len(parts) + 1)
    }
    for folder, names in _folders(source.project.folders[-1]):
        for name in names:
            if os.path.join(os.path.basename(folder), name) in wanted:
                return source.exists(os.path.join(folder, name))
    return False


def is_put_in(dotted: str, source: Source) -> bool:
    """Say whether a file of the project puts a name, or a module around it, into the package."""
    put_in, parts = _put_in(source.project.folders[-1]), dotted.split(".")
    for length in range(2, len(parts) + 1):
        name = ".".join(parts[:length])
        if name in put_in:
            return name in source.read(put_in[name])
    return False


@lru_cache(maxsize=4)
def _put_in(root: str) -> dict[str, str]:
    """Give the names that the files of a project put into packages, each with a file that does."""
    found: dict[str, str] = {}
    for folder, names in _folders(root):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                found |= dict.fromkeys(_names_put_in(path), path)
    return found


def _names_put_in(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return _PUTS.findall(file.read())
    except OSError:
        return []


def _folders(root: str) -> Iterator[tuple[str, list[str]]]:
    for count, (folder, folders, names) in enumerate(os.walk(root)):
        if count == _MAXIMUM_FOLDERS:
            return
        folders[:] = [each for each in folders if not each.startswith(_OUTSIDE)]
        yield folder, names
