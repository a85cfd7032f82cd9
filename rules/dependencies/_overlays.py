"""What makes a package another than the one published: copies of its modules, other packages."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.lint.source import Source

_MAXIMUM_FOLDERS = 5000
_REWRITTEN = frozenset({"peft", "transformers", "trl"})
_REWRITES = compile_lazily(r"^[ \t]*(?:from|import)[ \t]+unsloth", re.MULTILINE)
"""unsloth gives these packages' classes and functions other parameters when it is imported."""


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


def _folders(root: str) -> Iterator[tuple[str, list[str]]]:
    for count, (folder, folders, names) in enumerate(os.walk(root)):
        if count == _MAXIMUM_FOLDERS:
            return
        folders[:] = [each for each in folders if not each.startswith((".", "__pycache__"))]
        yield folder, names
