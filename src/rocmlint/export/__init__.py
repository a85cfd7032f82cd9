"""Export with patches that are proven to work and then undone: what a program imports.

``session`` applies patches, registrations and rewrites while a model is exported, proves that they
took effect, and undoes them. Nothing here imports torch before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import exports

if TYPE_CHECKING:
    from rocmlint.export.containers.registration import Registration as Registration
    from rocmlint.export.errors import ExportError as ExportError
    from rocmlint.export.errors import PatchNotProvenError as PatchNotProvenError
    from rocmlint.export.errors import StaticSizeError as StaticSizeError
    from rocmlint.export.manager import session as session
    from rocmlint.export.operators import cond as cond
    from rocmlint.export.operators import map_rows as map_rows
    from rocmlint.export.operators import raise_if as raise_if
    from rocmlint.export.operators import raise_unless as raise_unless
    from rocmlint.export.operators import while_loop as while_loop
    from rocmlint.export.patch import Patch as Patch
    from rocmlint.export.rewriting import Rewrite as Rewrite
else:
    __all__, __getattr__ = exports(
        __name__,
        {
            "rocmlint.export.containers.registration": "Registration",
            "rocmlint.export.errors": "ExportError PatchNotProvenError StaticSizeError",
            "rocmlint.export.manager": "session",
            "rocmlint.export.operators": "cond map_rows raise_if raise_unless while_loop",
            "rocmlint.export.patch": "Patch",
            "rocmlint.export.rewriting": "Rewrite",
        },
    )
