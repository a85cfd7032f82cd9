"""Where a file calls what torch calls deprecated or removed, and which releases say so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.published.deprecated import Deprecation, deprecations
from rocmlint.published.rocm_wheels import rows
from rocmlint.rule import dotted_text, once_per_file

from .._names.missing import Missing, MissingUse, unless_elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.version import Version

    from rocmlint.rule import Source

    Node = cst.Call | cst.Decorator | cst.ImportFrom

_OLDEST_ROCM = "6.0"


class Group(NamedTuple):
    """Names that are looked for where one of the words stands in a file."""

    words: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class OldUse(MissingUse):
    """A place that calls, or imports to call, what torch calls deprecated or removed.

    ``node`` is the call, the decorator or the import; ``place`` what is reported: the called
    expression, or the alias of the import.
    """

    place: cst.CSTNode
    deprecation: Deprecation


@cache
def torch_of_today() -> tuple[Version, ...]:
    """Return the releases of torch with wheels for ROCm 6 or later: what nobody bounds may be."""
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    new = (each.torch for each in rows() if Version(each.rocm[-1]) >= Version(_OLDEST_ROCM))
    return tuple(sorted(Version(each) for each in new))


def suspects(groups: Iterable[Group], source: Source) -> Iterator[re.Match[str]]:
    """Find the names of the groups of which a word stands in the text."""
    text = source.text
    for group in groups:
        if any(word in text for word in group.words):
            yield from re.finditer(rf"\b(?:{'|'.join(map(re.escape, group.names))})\b", text)


def old_uses(node: Node, source: Source, names: frozenset[str]) -> Iterator[OldUse]:
    """Yield what a call, a decorator or an import uses of `names`, where all releases say so."""
    for place, dotted in _named(node, source, names):
        judged = _judged(dotted, source)
        if judged is not None:
            missing, deprecation = judged
            yield OldUse(node, missing, place, deprecation)


def local_name(alias: cst.ImportAlias) -> str:
    """Return the name that an alias of an import binds."""
    return (dotted_text(alias.asname.name if alias.asname else alias.name)) or ""


def _named(node: Node, source: Source, names: frozenset[str]) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yield which of the names a call or a decorator names in full, or an import imports."""
    if isinstance(node, cst.ImportFrom):
        yield from _imported(node, source, names)
        return
    called = node.func if isinstance(node, cst.Call) else node.decorator
    if isinstance(called, cst.Name):
        dotted = None if _is_imported(called, source) else source.resolve(called)
    elif isinstance(called, cst.Attribute) and called.attr.value in _last_names(names):
        dotted = source.resolve(called)
    else:
        return
    if dotted in names:
        yield called, dotted


@cache
def _last_names(names: frozenset[str]) -> frozenset[str]:
    return frozenset(each.rpartition(".")[2] for each in names)


def _imported(
    node: cst.ImportFrom, source: Source, names: frozenset[str]
) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yield the imported names that the file calls: an import alone does not warn."""
    if node.relative or node.module is None or isinstance(node.names, cst.ImportStar):
        return
    module = dotted_text(node.module) or ""
    for alias in node.names:
        dotted, local = f"{module}.{dotted_text(alias.name)}", re.escape(local_name(alias))
        called = rf"(?<![\w.]){local}[ \t]*\(|^[ \t]*@{local}\b"
        if dotted in names and re.search(called, source.code, re.MULTILINE):
            yield alias, dotted


def _is_imported(called: cst.CSTNode, source: Source) -> bool:
    """Return whether a name comes from an import of its own, which is reported instead."""
    return isinstance(called, cst.Name) and any(
        each.kind == "import" for each in source.bindings(called.value, called)
    )


@once_per_file
def _judged(dotted: str, source: Source) -> tuple[Missing, Deprecation] | None:
    """Return what all releases that the file may run with say; None where one does not."""
    candidates = source.versions("torch")
    if not candidates:
        return None
    for deprecation in reversed(deprecations(dotted)):  # removed says more than deprecated
        if all(deprecation.holds_in(each.version) for each in candidates):
            first = candidates[0]
            certain = first.certain or _always(deprecation, first.lowest)
            found = Missing(dotted, dotted.rpartition(".")[2], None, candidates, certain)
            judged = unless_elsewhere(found, source)
            return None if judged is None else (judged, deprecation)
    return None


def _always(deprecation: Deprecation, lowest: Version | None) -> bool:
    """Return whether the oldest release that may be installed says so, too."""
    return lowest is not None and deprecation.holds_in(lowest)
