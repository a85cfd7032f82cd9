"""Names of packages that a file imports or looks up, and which of them are missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import dotted_text, once_per_file, whole_word
from rocmlint.rule.closed_projects import is_test

from .guards import is_bound, is_ready
from .missing import Missing, MissingUse, missing
from .overlays import foreign_uses, is_of_other_package
from .published_names import history, lacking, names
from .uses import is_of_torch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

    Lookup = cst.Import | cst.ImportFrom | cst.Attribute


@dataclass(frozen=True)
class MissingLookup(MissingUse):
    """A name that an import or an attribute asks for; ``place`` is what asks for it."""

    place: cst.CSTNode


def suspected_lookups(source: Source) -> tuple[re.Match[str], ...]:
    """Find imports and uses of names that their package lacks."""
    return tuple(match for match, _ in _suspected(source))


@once_per_file
def _suspected(source: Source) -> tuple[tuple[re.Match[str], str], ...]:
    """Return where a file asks for what is missing, and how that is called."""
    found = foreign_uses(source)
    asked_for = [(each.match, each.asked) for each in found.imports]
    asked_for += [(each.match, each.dotted) for each in found.places if "." in each.match[0]]
    judged = ((match, _first_missing(dotted, source)) for match, dotted in asked_for)
    return tuple(
        (match, each.name)
        for match, each in judged
        if each is not None and not is_of_other_package(each, source)
    )


@once_per_file
def _names_in_vain(source: Source) -> frozenset[str]:
    return frozenset(name for _, name in _suspected(source))


def missing_lookups(node: Lookup, source: Source) -> Iterator[MissingLookup]:
    """Yield the names that are asked for here and missing, each where its owner is there."""
    for place, dotted in asked(node, source):
        found = _first_missing(dotted, source)
        if found is None:
            continue
        is_told = found.dotted != dotted and not isinstance(node, cst.Import)
        if is_told and place is not getattr(node, "module", None):
            continue  # at the module, or at the attribute inside
        yield MissingLookup(node, found, place)


@once_per_file
def _first_missing(dotted: str, source: Source) -> Missing | None:
    """Return the shortest beginning of a name that is missing."""
    found = [judged for each in lacking(dotted) if (judged := _missing(each, source))]
    return next((each for each in found if not each.is_disputed), next(iter(found), None))


@once_per_file
def _missing(dotted: str, source: Source) -> Missing | None:
    name = dotted.rpartition(".")[2]
    return missing(dotted, name, history(dotted), source, lambda each: each.has_name(dotted))


def asked(node: Lookup, source: Source) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yield what must be there, and the node that asks for it."""
    if isinstance(node, cst.Attribute):
        if node.attr.value not in _names_in_vain(source) and not source.is_oddly_spaced:
            return
        dotted = source.resolve(node) if _is_read(node, source) else None
        if dotted is not None and not is_of_torch(dotted) and dotted in lacking(dotted):
            if is_bound(node, source):
                yield node, dotted
    elif isinstance(node, cst.Import):
        yield from ((alias, dotted_text(alias.name) or "") for alias in node.names)
    elif node.module is not None and not node.relative:
        module = dotted_text(node.module) or ""
        yield node.module, module
        names = () if isinstance(node.names, cst.ImportStar) else node.names
        yield from ((alias, f"{module}.{dotted_text(alias.name)}") for alias in names)


def _is_read(node: cst.Attribute, source: Source) -> bool:
    """Return whether an attribute is looked up at run time: not set, no type for others."""
    for above in source.ancestors(node):
        if isinstance(above, (cst.Import, cst.ImportFrom)):
            return False
        if isinstance(above, (cst.AssignTarget, cst.Del)):
            return isinstance(source.parent(node), cst.Attribute)  # whose attribute is set
        if isinstance(above, cst.Annotation) and "__future__ import annotations" in source.text:
            return False
        if isinstance(above, (cst.BaseStatement, cst.BaseSmallStatement)):
            return True
    return True


def is_ready_without(found: MissingUse, source: Source) -> bool:
    """Code that catches the error, asks first for what is there, or is for type checkers only."""
    return source.is_for_types_only(found.node) or is_ready(found, source)


def is_set_by_project(found: MissingUse, source: Source) -> bool:
    """Names that the project sets itself, and private ones that no known release has."""
    known = found.missing.history
    is_new = known is None or not known.was_ever_there
    if is_new and found.name.startswith("_") and isinstance(found.node, cst.Attribute):
        return True
    name, package = re.escape(found.name), found.dotted.partition(".")[0]
    as_text = rf"\b(?:setattr|patch(?:\.object)?)\s*\([^()]*[\"'](?:[\w.]+\.)?{name}[\"']"
    if re.search(rf"\.\s*{name}\s*=(?!=)|{as_text}", source.text) is not None:
        return True
    root, index = source.project.folders[-1], names(package)
    is_module = index is not None and index.is_module(found.dotted)
    holder = rf"{package}[\w.]*" if is_module else r"(?!self\b)[\w.]+"
    module = re.escape(found.dotted if is_module else found.dotted.rpartition(".")[0])
    written = (
        rf"(?m)^[ \t]*{holder}\.{name}[ \t]*=(?!=)"
        rf"|^[ \t]*sys\.modules\[[\"']{module}[\"']\]\s*="
    )
    written += "" if is_module else f"|{as_text}"
    either = rf"{whole_word(found.name)}|\bsys\.modules\["
    others = source.modules_with(root, (whole_word(package), either, written))
    return any("test" in source.kinds or not is_test(each, root) for each in others)


LOOKUP_EXCUSES = (is_of_other_package, is_ready_without, is_set_by_project)
"""Why a name that is missing is left alone."""
