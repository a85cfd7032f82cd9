"""What binds a name, wherever in a class an attribute gets its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import statements

if TYPE_CHECKING:
    from rocmlint.rule import Binding, Source


def bound(name: str, at: cst.CSTNode, source: Source) -> list[Binding]:
    """Return what binds a name, or ``self.name`` in any method of the class."""
    if not name.startswith("self.") or source.enclosing(at, cst.ClassDef) is None:
        return source.bindings(name, at)
    found = []
    for each in source.names.members_with(name.split(".")[1], at):
        methods = (each for each in statements(each.body) if isinstance(each, cst.FunctionDef))
        found += [each for method in methods for each in source.names.in_scope(method, name)]
    return found
