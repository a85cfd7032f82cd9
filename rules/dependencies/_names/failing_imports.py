"""Modules whose import fails already for want of a name: that is reported, at the import."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import compile_lazily, once_per_file, walk

from .lookups import LOOKUP_EXCUSES, missing_lookups, suspected_lookups
from .package_imports import imported_with
from .published_names import gone_since

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping, Sequence

    from packaging.version import Version

    from rocmlint.project.project import Project
    from rocmlint.rule import Source

    from .judgement import MissingUse

    Ends = Mapping[str, Sequence[Version | None]]
    """By package, the releases from which on it lacks names; None where that is not known."""


_FUNCTION = compile_lazily(r"\s*(?:async\s+)?def\b")


def fails_at_import(found: MissingUse, source: Source) -> bool:
    """Code of modules whose import fails before, for want of a name that went no later.

    That is an import at the top of the module, of a package that holds it, or of what these
    import.
    """
    package = found.dotted.partition(".")[0]
    known = found.history
    gone = None if known is None else known.gone_since(found.judgement.candidate.version)
    return any(_went_before(ends.get(package, ()), gone) for ends in _fail_before(package, source))


def _went_before(ends: Sequence[Version | None], gone: Version | None) -> bool:
    return any(gone is None or end is None or end <= gone for end in ends)


def _fail_before(package: str, source: Source) -> Iterator[Ends]:
    """Yield what the modules lack that are imported before this one can be run."""
    yield _lacking(source)
    yield from _lacking_before(package, source)


@once_per_file
def _lacking_before(package: str, source: Source) -> tuple[Ends, ...]:
    path = os.path.abspath(source.path)
    first = [*_packages_around(path, source), path]
    modules = imported_with(first, _folders(path, source), source, conditions=True)
    return tuple(
        _lacking_in(each, text.text, source.project)
        for each, text in modules
        if each != path and package in text.text
    )


def _packages_around(path: str, source: Source) -> list[str]:
    """Return the modules that run before one is imported: those of the packages that hold it."""
    found: list[str] = []
    folder = os.path.dirname(path)
    while source.exists(os.path.join(folder, "__init__.py")):
        found.insert(0, os.path.join(folder, "__init__.py"))
        folder = os.path.dirname(folder)
    return found


def _folders(path: str, source: Source) -> list[str]:
    """Return the folders that hold the packages of the project, the nearest first."""
    package = source.package
    found = [os.path.dirname(path) if package is None else package[1]]
    for folder in source.project.folders:
        found += [folder, os.path.join(folder, "src")]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=512)
def _lacking_in(path: str, text: str, project: Project) -> Ends:
    """Read another module of the project; the modules of a folder share the answer."""
    from rocmlint.rule import Source  # noqa: PLC0415 - a type for the others

    return _lacking(Source(path, text, project=project))


def _is_in_function(match: re.Match[str], source: Source) -> bool:
    """Return whether a match is certain to stand in a function of the module."""
    block = source.pieces.statement_at(match.start())
    return _FUNCTION.match(source.code, block.start) is not None


@once_per_file
def _lacking(source: Source) -> Ends:
    """Return the packages of which a top-level import takes something that is missing."""
    ends: dict[str, list[Version | None]] = {}
    for match in suspected_lookups(source):
        if not match[0].startswith(("from", "import")) or _is_in_function(match, source):
            continue  # to parse what it stands in may take long
        for node in walk(source.pieces.around(match.start()).module):
            if not isinstance(node, (cst.Import, cst.ImportFrom)):
                continue
            if source.enclosing(node, cst.FunctionDef) is not None:
                continue
            for each in missing_lookups(node, source):
                if not any(excuse(each, source) for excuse in LOOKUP_EXCUSES):
                    package = each.dotted.partition(".")[0]
                    end = gone_since(each.dotted, each.judgement.candidate.version)
                    ends.setdefault(package, []).append(end)
    return ends
