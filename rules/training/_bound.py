"""What binds a name, wherever in a class an attribute gets its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import statements

if TYPE_CHECKING:
    from rocmlint.rule import Binding, Source


def bound(name: str, at: cst.CSTNode, source: Source) -> list[Binding]:
    """Return what binds a name, or ``self.name`` in any method of the class."""
    whole = source.whole_class(at) if name.startswith("self.") else None
    if whole is None:
        return source.bindings(name, at)
    methods = (each for each in statements(whole.body) if isinstance(each, cst.FunctionDef))
    return [each for method in methods for each in source.names.in_scope(method, name)]
