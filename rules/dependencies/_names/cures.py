"""Which requirement brings back all that a file asks of a package, and what conflicts with it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.disk.questions import question
from rocmlint.rule import once_per_file, walk, whole_word
from rocmlint.text.written import minor_release

from .guards import is_guarded_node
from .keywords import callable_of, definer, has_keyword_rewrite
from .lookups import asked
from .published_names import has_rewrite, history, keyword_history, lacking, names
from .uses import imports, uses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packaging.version import Version

    from rocmlint.disk.disk import DiskView
    from rocmlint.project.requirement_conflicts import Obstacles
    from rocmlint.published.names import History
    from rocmlint.rule import Source

    from .missing import Missing


def bound_for(bounds: Sequence[str], missing: Missing, source: Source) -> str:
    """Return the requirement that several say together, as far as it leaves nothing else missing.

    It is "" where they do not agree, where no release has all that the file asks for, and where it
    excludes what another file imports.
    """
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415 - few files need it

    bound, package = common_bound(bounds), missing.package
    known = names(package)
    versions = known.versions if known is not None else ()
    specifier = SpecifierSet(bound.removeprefix(package))
    allowed = [each for each in versions if bound and specifier.contains(each, prereleases=True)]
    if not allowed:
        return bound  # from before the index begins
    needed = _needed(package, missing.version, source)
    fitting = [each for each in allowed if _is_there(needed, each)]
    if not fitting:
        return ""
    if "<" in bound:
        before = minor_release(next(each for each in versions if each > fitting[-1]))
        bound = "" if missing.begins_at(before) else f"{package}<{before}"
    else:
        lacks = [each for each in allowed if each > fitting[0] and each not in fitting]
        below = f",<{minor_release(lacks[0])}" if lacks else ""
        bound = f"{package}>={minor_release(fitting[0])}{below}"
    left = SpecifierSet(bound.removeprefix(package))
    kept = [each for each in versions if left.contains(each, prereleases=True)]
    imported = _imported_elsewhere(package, missing.version, source)
    is_left = all(any(_is_there((each,), version) for version in kept) for each in imported)
    return bound if is_left else ""


def common_bound(bounds: Sequence[str]) -> str:
    """Return the requirement that several say together, "" where they do not agree."""
    if all("<" in each for each in bounds):
        return min(bounds, key=_release)
    return max(bounds, key=_release) if all(">=" in each for each in bounds) else ""


def _release(bound: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", bound.rpartition("<")[2].rpartition("=")[2])]


def to_require(bound: str, missing: Missing, source: Source) -> str:
    """Return a requirement as it is advised, and what else has to change for it."""
    return f"`{_offered(bound)}`{_obstacles(bound, missing, source).clause}"


def is_excluded(bound: str, missing: Missing, source: Source) -> bool:
    """Return whether something else in the project leaves no release that a requirement allows."""
    return bool(_obstacles(bound, missing, source))


def _offered(bound: str) -> str:
    """Return a requirement with a floor that an index offers: not a release that was taken back."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it
    from packaging.version import Version  # noqa: PLC0415

    from rocmlint.project.requirement_conflicts import first_offered  # noqa: PLC0415
    from rocmlint.published.requirements import is_yanked  # noqa: PLC0415

    package, sign, rest = bound.partition(">=")
    floor = rest.partition(",")[0]
    distribution = package.replace("_", "-")
    if not sign or not is_yanked(distribution, Version(floor)):
        return bound
    first = first_offered(distribution, Requirement(bound).specifier)
    return bound if first is None else bound.replace(f">={floor}", f">={first}", 1)


def _obstacles(bound: str, missing: Missing, source: Source) -> Obstacles:
    is_own = "this file" in missing.candidates[0].said  # which installs what it needs itself
    return _obstacles_among(bound, is_own, source)


@once_per_file
def _obstacles_among(bound: str, is_own: bool, source: Source) -> Obstacles:
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it

    from rocmlint.project.companions import Companions, companions  # noqa: PLC0415
    from rocmlint.project.requirement_conflicts import obstacles  # noqa: PLC0415

    wanted = Requirement(bound)
    others = Companions() if is_own else companions(source.project)
    return obstacles(wanted.name.replace("_", "-"), wanted.specifier, others)


@once_per_file
def _imported_elsewhere(package: str, judged: Version, source: Source) -> tuple[History, ...]:
    """Return the histories of what other modules import at their top, and nothing replaces."""
    distribution, root = package.replace("_", "-"), source.project.folders[-1]
    declaring = (
        folder
        for folder in source.project.folders
        if any(each.declared.name == distribution for each in source.project.declared_in(folder))
    )
    modules = source.modules_with(next(declaring, root), (whole_word(package),))
    others = (each for each in modules if each != os.path.abspath(source.path))
    found = {name for each in others for name in _imported_at_top(package, each, source)}
    lacked = {each for dotted in found for each in lacking(dotted)}
    known = (history(each) for each in sorted(lacked) if not has_rewrite(each, judged))
    return tuple(each for each in known if each is not None)


@question
def _imported_at_top(package: str, path: str, view: DiskView) -> tuple[str, ...]:
    text = view.read(path)
    found = imports(text, package.__eq__)
    return tuple(each.asked for each in found if text[: each.match.start()][-1:] in {"", "\n"})


def _is_there(needed: Sequence[History], version: Version) -> bool:
    return all(each.at(version) is not False for each in needed)


@once_per_file
def _needed(package: str, judged: Version, source: Source) -> tuple[History, ...]:
    """Return the histories of what a file asks of a package.

    What it is ready to miss does not count, nor what has a rewrite in the judged release.
    """
    found = uses(source.text)
    places = [*(each.match for each in found.imports), *(each.match for each in found.places)]
    pieces = {id(piece): piece for each in places if (piece := source.pieces.around(each.start()))}
    return tuple(
        each
        for piece in pieces.values()
        for node in walk(piece.module)
        for dotted, each in _asked_of(node, judged, source)
        if dotted.startswith(f"{package}.") and each.is_ever_missing
        if not is_guarded_node(node, source)
    )


def _asked_of(node: cst.CSTNode, judged: Version, source: Source) -> Iterator[tuple[str, History]]:
    """Yield the names that an import asks for, and the keywords that a call passes."""
    if isinstance(node, (cst.Import, cst.ImportFrom)):
        for _, dotted in asked(node, source):
            for each in lacking(dotted):
                known = history(each)
                if known is not None and not has_rewrite(each, judged):
                    yield each, known
    elif isinstance(node, cst.Call) and any(each.keyword is not None for each in node.args):
        called = callable_of(node, source)
        for argument in node.args if called is not None and names(called) is not None else ():
            if argument.keyword is not None and called is not None:
                keyword = argument.keyword.value
                owner = definer(called, keyword)
                if not has_keyword_rewrite(owner, keyword, judged):
                    yield owner, keyword_history(owner, keyword)
