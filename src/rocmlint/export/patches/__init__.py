"""Patches that models need to be exported, each for the versions that need it.

Most models need none: with torch 2.13 and transformers 5.23 it is enough to register caches.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rocmlint.export.patch import Patch
    from rocmlint.export.patches.builtin import Builtin

MODULES = (
    "sliding_window",
    "dynamic_rope",
    "position_grid",
    "image_lists",
    "attention_batch",
    "image_grids",
    "rope_index",
    "window_attention",
    "placeholder_check",
    "keyword_shapes",
)


def builtins() -> list[Builtin]:
    """Return all built-in patches, also those for other versions than the installed one."""
    return [importlib.import_module(f"{__name__}.{each}").BUILTIN for each in MODULES]


def patches_for(model: Any) -> list[Patch]:
    """Return the built-in patches that a model needs with the libraries that are loaded.

    What its classes may need, an input need not use, such as videos: none of them is required.
    """
    found = [patch for each in builtins() if each.holds for patch in each.find(model)]
    return [replace(patch, required=False) for patch in found]
