"""What makes a package another than the one published: copies of its modules, other packages."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.disk.state import data_of
from rocmlint.rule import compile_lazily, once_per_file

from .uses import PACKAGES

if TYPE_CHECKING:
    from rocmlint.disk.disk import Disk
    from rocmlint.rule import Source

_REWRITTEN = frozenset({"peft", "transformers", "trl"})
_REWRITES = compile_lazily(r"^[ \t]*(?:from|import)[ \t]+unsloth", re.MULTILINE)
"""unsloth gives these packages' classes and functions other parameters when it is imported."""


_PUTS = compile_lazily(
    rf"^[ \t]*(?:sys\.modules\[[\"'])?((?:{'|'.join(PACKAGES)}|torch)(?:\.\w+)+)(?:[\"']\])?"
    r"[ \t]*=(?!=)",
    re.MULTILINE,
)
"""A name that is put into a package, written in full: ``transformers.utils.LossKwargs = …``."""


@once_per_file
def is_rewritten(package: str, source: Source) -> bool:
    """Say whether the file imports what rewrites the package."""
    if package not in _REWRITTEN or "unsloth" not in source.text:
        return False
    return _REWRITES.search(source.code) is not None


def is_overlaid(dotted: str, source: Source) -> bool:
    """Say whether the project holds a file that may replace a module that a name is from.

    ``patches/models/gemma/modeling_gemma.py`` stands for
    ``transformers.models.gemma.modeling_gemma``: what that module has, the index cannot know.
    """
    parts = dotted.split(".")
    wanted = tuple(
        os.path.join(os.sep, parts[length - 2], f"{parts[length - 1]}.py")
        for length in range(3, len(parts) + 1)
    )
    modules = source.modules_below(source.project.folders[-1])
    return any(path.endswith(wanted) for path in modules)


def is_put_in(dotted: str, source: Source) -> bool:
    """Say whether a file of the project puts a name, or a module around it, into the package."""
    put_in = _put_in(source.modules_below(source.project.folders[-1]), source.disk)
    parts = dotted.split(".")
    return any(".".join(parts[:length]) in put_in for length in range(2, len(parts) + 1))


@lru_cache(maxsize=4)
def _put_in(modules: tuple[str, ...], disk: Disk) -> frozenset[str]:  # noqa: ARG001 - of one run
    """Give the names that modules put into packages."""
    return frozenset(
        name
        for path in modules
        for name in _PUTS.findall((data_of(path) or b"").decode("utf-8", "replace"))
    )
