"""The modules and names that imports mean."""

from __future__ import annotations

import ast
from importlib.util import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def imported_module(node: ast.ImportFrom, package: str) -> str:
    """Return the absolute name of the module that ``from ... import`` reads.

    ``package`` is that of the file, empty where it is unknown. A relative import that leaves all
    packages, or that nobody can resolve, gives an empty name.
    """
    try:
        return resolve_name("." * node.level + (node.module or ""), package or None)
    except ImportError:
        return ""


def imported_names(node: ast.AST, package: str = "") -> Iterator[tuple[str, str]]:
    """Yield each name that an import binds, with what it means: ``("F", "torch.nn.functional")``.

    A star is the name ``*``. Nothing is said of relative imports that cannot be resolved.
    """
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (top, top)
    elif isinstance(node, ast.ImportFrom) and (module := imported_module(node, package)):
        for alias in node.names:
            yield alias.asname or alias.name, f"{module}.{alias.name}"
