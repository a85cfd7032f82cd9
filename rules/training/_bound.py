"""What binds a name, wherever in a class an attribute gets its value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Binding, Source


def bound(name: str, at: cst.CSTNode, source: Source) -> list[Binding]:
    """Return what binds a name, or ``self.name`` in any method of the class."""
    holder = source.enclosing(at, cst.ClassDef) if name.startswith("self.") else None
    if holder is None:
        return source.bindings(name, at)
    found = []
    for each in _with_members(name, holder, source):
        methods = (each for each in statements(each.body) if isinstance(each, cst.FunctionDef))
        found += [each for method in methods for each in source.names.in_scope(method, name)]
    return found


def _with_members(name: str, holder: cst.ClassDef, source: Source) -> Iterator[cst.ClassDef]:
    """Yield a class with each of its members that name an attribute: all may take long to parse."""
    pieces = source.pieces
    if not isinstance(source.parent(holder), cst.Module):
        yield source.whole_class(holder.body) or holder
        return
    spelt = re.compile(r"[\s\\]*\.[\s\\]*".join(name.split(".")))
    line = source.span(holder).line
    block = pieces.statement_at(source.offset_of(line))
    places = spelt.finditer(source.code, block.start, block.end)
    for piece in dict.fromkeys(pieces.around(each.start()) for each in places):
        for each in piece.module.body:
            if isinstance(each, cst.ClassDef) and source.span(each).line == line:
                yield each
