"""Fixes that put a name's successor in its place: in the import, and wherever the file uses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Edit, Fix, dotted_text, walk

from .published_names import history

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.published.replacements import Replacement
    from rocmlint.rule import Source

    from .lookups import MissingLookup


def renaming(found: Sequence[MissingLookup], source: Source) -> Fix | None:
    """Make the fix for the missing names of a statement; None where nothing took their place.

    Names that nothing took the place of stay, for the user to judge.
    """
    known = [(each, new) for each in found if (new := each.missing.successor) is not None]
    edits = _edits(known, source)
    if not edits:
        return None
    safe = all(
        new.same and each.missing.is_there_throughout(history(new.new)) for each, new in known
    )
    title = " and ".join(f"`{new.new}`" for _, new in known)
    return Fix(f"Use {title}", tuple(edits), safe=safe)


def _edits(known: Sequence[tuple[MissingLookup, Replacement]], source: Source) -> list[Edit]:
    if not known:
        return []
    node = known[0][0].node
    if isinstance(node, cst.ImportFrom):
        return _in_import_from(node, known, source)
    found, new = known[0]
    if isinstance(node, cst.Attribute):
        module, _, name = new.new.rpartition(".")
        if found.dotted.rpartition(".")[0] == module:
            return [source.replace(node.attr, name)]
        return [source.replace(node, new.new)] if dotted_text(node) == found.dotted else []
    return [
        source.replace(each.place.name, new.new)
        for each, new in known
        if isinstance(each.place, cst.ImportAlias) and each.place.asname is not None
    ]


def _in_import_from(
    node: cst.ImportFrom, known: Sequence[tuple[MissingLookup, Replacement]], source: Source
) -> list[Edit]:
    aliases = {each.place: new for each, new in known if isinstance(each.place, cst.ImportAlias)}
    if not aliases:  # the module of ``from … import``
        found, new = known[0]
        names = [] if isinstance(node.names, cst.ImportStar) else node.names
        imported = (f"{new.new}.{dotted_text(each.name)}" for each in names)
        gone = any(history(each) is None for each in imported)
        return [] if gone else [source.replace(found.place, new.new)]
    module = dotted_text(node.module) if node.module else None
    if any(new.new.rpartition(".")[0] != module for new in aliases.values()):
        return _moved(node, aliases, source)
    edits = []
    for found, new in known:
        alias = cst.ensure_type(found.place, cst.ImportAlias)
        edits += _renamed(alias, found.dotted, new.new.rpartition(".")[2], source)
    return edits


def _renamed(alias: cst.ImportAlias, old: str, new: str, source: Source) -> list[Edit]:
    """Rename an imported name and its uses, else keep the old name by ``as``."""
    if alias.asname is not None:
        return [source.replace(alias.name, new)]
    local = old.rpartition(".")[2]
    uses = uses_of(local, old, source)
    if uses is None or re.search(rf"\b{re.escape(new)}\b", source.code):
        return [source.replace(alias.name, f"{new} as {local}")]
    return [source.replace(alias.name, new), *(source.replace(each, new) for each in uses)]


def uses_of(local: str, dotted: str, source: Source) -> list[cst.Name] | None:
    """Return all uses of an imported name; None where one may mean something else."""
    if re.search(rf"[\"']{re.escape(local)}[\"']", source.text):  # in __all__, or looked up by name
        return None
    found: dict[tuple[int, ...], cst.Name] = {}
    imports = 0
    for match in re.finditer(rf"\b{re.escape(local)}\b", source.code):
        line = source.line_of(match.start())
        for each in walk(source.pieces.around(match.start()).module):
            if not isinstance(each, cst.Name) or each.value != local:
                continue
            span = source.span(each)
            if span.line != line or tuple(span) in found:
                continue
            parent = source.parent(each)
            if isinstance(parent, cst.ImportAlias):
                imports += span.column == match.start() - source.offset_of(line) + 1
                continue
            if isinstance(parent, cst.Attribute) and parent.attr is each:
                continue
            if isinstance(parent, (cst.Arg, cst.Param)) and each is not getattr(
                parent, "value", None
            ):
                continue
            if source.resolve(each) != dotted:
                return None
            found[tuple(span)] = each
    return list(found.values()) if imports == 1 else None


def _moved(
    node: cst.ImportFrom, moved: Mapping[cst.ImportAlias, Replacement], source: Source
) -> list[Edit]:
    """Import names from the modules that have them now."""
    line = source.parent(node)
    if isinstance(node.names, cst.ImportStar) or not isinstance(line, cst.SimpleStatementLine):
        return []
    rest = [each for each in node.names if each not in moved]
    if rest and len(line.body) > 1:
        return []
    imports: dict[str, list[str]] = {}
    for alias in node.names:
        if alias in moved:
            module, _, name = moved[alias].new.rpartition(".")
            local = dotted_text(alias.asname.name if alias.asname else alias.name) or ""
            imports.setdefault(module, []).append(name if local == name else f"{name} as {local}")
    written = [f"from {module} import {', '.join(each)}" for module, each in imports.items()]
    if rest:
        if node.lpar is None:
            rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        written.insert(0, cst.Module([]).code_for_node(node.with_changes(names=rest)))
    elif len(line.body) > 1 and len(written) > 1:
        return []
    span = source.span(node)
    start = source.offset_of(span.line) + span.column - 1
    indent = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    return [source.replace(node, f"\n{indent}".join(written))]
