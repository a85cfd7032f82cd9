"""Export with patches that are proven to work and then undone: what a program imports.

``session`` applies patches, registrations and rewrites while a model is exported, proves that they
took effect, and undoes them. Nothing here imports torch before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocmlint.export.containers.registration import Registration
    from rocmlint.export.errors import ExportError, PatchNotProvenError, StaticSizeError
    from rocmlint.export.manager import session
    from rocmlint.export.operators import cond, map_rows, raise_if, raise_unless, while_loop
    from rocmlint.export.patch import Patch
    from rocmlint.export.rewriting import Rewrite

__all__ = [
    "ExportError",
    "Patch",
    "PatchNotProvenError",
    "Registration",
    "Rewrite",
    "StaticSizeError",
    "cond",
    "map_rows",
    "raise_if",
    "raise_unless",
    "session",
    "while_loop",
]

_HOME = {
    "ExportError": "rocmlint.export.errors",
    "Patch": "rocmlint.export.patch",
    "PatchNotProvenError": "rocmlint.export.errors",
    "Registration": "rocmlint.export.containers.registration",
    "Rewrite": "rocmlint.export.rewriting",
    "StaticSizeError": "rocmlint.export.errors",
    "cond": "rocmlint.export.operators",
    "map_rows": "rocmlint.export.operators",
    "raise_if": "rocmlint.export.operators",
    "raise_unless": "rocmlint.export.operators",
    "session": "rocmlint.export.manager",
    "while_loop": "rocmlint.export.operators",
}


def __getattr__(name: str) -> object:
    from rocmlint.lazy import exported  # noqa: PLC0415

    return exported(__name__, name, _HOME)
