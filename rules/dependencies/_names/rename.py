"""Fixes that put a name's successor in its place: in the import, and wherever the file uses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Edit, Fix, dotted_text, walk

from .published_names import has, has_successor, history
from .replacements import replacement_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from packaging.version import Version

    from rocmlint.rule import Source

    from .judgement import MissingName


def renaming(
    node: cst.Import | cst.ImportFrom | cst.Attribute,
    place: cst.CSTNode,
    judgement: MissingName,
    source: Source,
) -> Fix | None:
    """Make the fix for a name that is missing; None where nothing took its place."""
    dotted = judgement.dotted
    replacement = replacement_of(dotted)
    if replacement is None or not replacement.new:
        return None
    new = replacement.new
    if not all(has_successor(dotted, new, each.version) for each in judgement.candidates):
        return None
    edits = _edits(node, place, dotted, new, source)
    if not edits:
        return None
    safe = replacement.same and is_there_throughout(lambda version: has(new, version), judgement)
    return Fix(f"Use `{new}`", tuple(edits), safe=safe)


def is_there_throughout(has_new: Callable[[Version], bool | None], judgement: MissingName) -> bool:
    """Say whether the oldest versions that may be installed have the successor too."""
    lowest = [each.lowest for each in judgement.candidates]
    return all(each is not None and has_new(each) is True for each in lowest)


def _edits(
    node: cst.Import | cst.ImportFrom | cst.Attribute,
    place: cst.CSTNode,
    old: str,
    new: str,
    source: Source,
) -> list[Edit]:
    module, _, name = new.rpartition(".")
    if isinstance(node, cst.Attribute):
        if old.rpartition(".")[0] == module:
            return [source.replace(node.attr, name)]
        return [source.replace(node, new)] if dotted_text(node) == old else []
    if isinstance(node, cst.Import):
        alias = place if isinstance(place, cst.ImportAlias) else None
        named = alias is not None and alias.asname is not None
        return [source.replace(alias.name, new)] if alias is not None and named else []
    if not isinstance(place, cst.ImportAlias):  # the module of ``from … import``
        names = [] if isinstance(node.names, cst.ImportStar) else node.names
        imported = (f"{new}.{dotted_text(each.name)}" for each in names)
        return (
            [] if any(history(each) is None for each in imported) else [source.replace(place, new)]
        )
    if dotted_text(node.module) == module if node.module else False:
        return _renamed(place, old, name, source)
    return _moved(node, place, module, name, source)


def _renamed(alias: cst.ImportAlias, old: str, new: str, source: Source) -> list[Edit]:
    """Rename an imported name and its uses, else keep the old name by ``as``."""
    if alias.asname is not None:
        return [source.replace(alias.name, new)]
    local = old.rpartition(".")[2]
    uses = _uses_of(local, old, source)
    if uses is None or re.search(rf"\b{new}\b", source.code):
        return [source.replace(alias.name, f"{new} as {local}")]
    return [source.replace(alias.name, new), *(source.replace(each, new) for each in uses)]


def _uses_of(local: str, dotted: str, source: Source) -> list[cst.Name] | None:
    """Give all uses of an imported name; None where one may mean something else."""
    if re.search(rf"[\"']{local}[\"']", source.text):  # in __all__, or looked up by name
        return None
    found: dict[tuple[int, ...], cst.Name] = {}
    imports = 0
    for match in re.finditer(rf"\b{local}\b", source.code):
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
    node: cst.ImportFrom, alias: cst.ImportAlias, module: str, name: str, source: Source
) -> list[Edit]:
    """Import a name from the module that has it now."""
    local = dotted_text(alias.name) or ""
    if alias.asname is not None:
        local = dotted_text(alias.asname.name) or ""
    imported = name if local == name else f"{name} as {local}"
    line = source.parent(node)
    if isinstance(node.names, cst.ImportStar) or not isinstance(line, cst.SimpleStatementLine):
        return []
    if len(node.names) == 1:
        return [source.replace(node, f"from {module} import {imported}")]
    if len(line.body) > 1:
        return []
    rest = [each for each in node.names if each is not alias]
    if node.lpar is None:
        rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    kept = cst.Module([]).code_for_node(node.with_changes(names=rest))
    span = source.span(node)
    start = source.offset_of(span.line) + span.column - 1
    indent = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    return [source.replace(node, f"{kept}\n{indent}from {module} import {imported}")]
