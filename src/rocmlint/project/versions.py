"""Which version of a package a file runs with: what is installed, locked or declared around it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.paths import relative
from rocmlint.project import declarations
from rocmlint.project.companions import (
    Companions,
    companions,
    companions_of,
    has_upper_bound,
)
from rocmlint.project.distribution import is_extra, metadata_of, requirements_in
from rocmlint.project.environment import installed_version, site_folders
from rocmlint.project.hints import hints, is_installed_from, is_readme, is_told, told_beside
from rocmlint.project.locks import locked
from rocmlint.project.outdated_lists import current
from rocmlint.published import requirements as published
from rocmlint.text.patterns import whole_word
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from packaging.requirements import Requirement

    from rocmlint.formats.model import Declared
    from rocmlint.project.declarations import Declarations

_TAG = re.compile(r"/[^/@]+@v?(\d+(?:\.\d+)+)(?:[#&]|\Z)")
_HEAD = re.compile(
    r"(?:git\+)?(?:https?|ssh|git)://(?:[^/@]*@)?github\.com/huggingface/([\w.-]+?)(?:\.git)?"
    r"(?:@(?:main|master|HEAD))?/?(?:[#&].*)?"
)
"""The repositories of the packages whose names are known, at their newest commit."""
_OLD = Version("2.0")
_NOT_AT_RUN_TIME = "build-system"


@dataclass(frozen=True)
class Candidate:
    """A version that may be the one a file runs with.

    ``said`` goes on after "transformers 5.23.0 is". ``certain``: no newer one can be installed.
    ``allowed`` are all versions that may be, where a requirement leaves a choice. Not ``declared``
    is the newest release of a package that nothing in the project asks for. ``in_readme``: only the
    prose of one says so. ``listed`` is the file whose base requirements say so, "" for no such.
    """

    version: Version
    said: str
    certain: bool
    allowed: SpecifierSet | None = None
    requirement: str = ""
    declared: bool = True
    in_readme: bool = False
    listed: str = ""
    place: str = field(default="", compare=False)
    """Where that is declared, ``path:line`` from the root of the project."""

    @property
    def lowest(self) -> Version | None:
        """The oldest version that may be installed; None where nothing bounds it below."""
        if self.allowed is None:
            return self.version if self.certain else None
        bounds = [
            Version(each.version.removesuffix(".*"))
            for each in self.allowed
            if each.operator in {">=", "==", "~=", "==="}
        ]
        return max(bounds, default=None)


def candidates(project: Declarations, package: str) -> tuple[Candidate, ...]:
    """Return the versions of a package (by its normalized name) that a project may run with.

    That is the installed one where an environment is set; else, in the nearest folder that says
    anything, the locked ones; else, for each file and group of requirements but lists that were
    forgotten, the newest release that they allow, and what a README or a Dockerfile in a folder
    below installs; else that alone; else what the only project below the root declares; else the
    newest release. None where that cannot be told, as for a requirement that is only a URL: then
    nothing can be said of the names of the package.
    """
    environment = project.settings.environment
    if environment is not None:
        return _installed(site_folders(environment), package, project, environment)
    told: tuple[declarations.Requirement, ...] = ()
    for folder in project.folders:
        named = [each for each in project.declared_in(folder) if _counts(each, package)]
        declared = current(named, folder, project)
        found = tuple(
            Candidate(
                version, f"locked in {(place := _inside(path, project))}", certain=True, place=place
            )
            for path, version in locked(folder, package, declared, project)
        )
        found = found or (_declared(declared, package, project) if declared else ())
        if found or declared:
            if not any(map(_names_version, declared)):
                told = told or _named_above(folder, package, project)
            found = _with_told(found, told, package, project)
            return (*found, *_installed_above(folder, package, project)) if found else ()
        told = told or hints(package, folder, project)
    if told:
        return _declared(told, package, project)
    return _elsewhere(package, project)


def stated(
    path: str,
    found: Sequence[Declared],
    beside: Iterable[Declared],
    package: str,
    project: Declarations,
) -> tuple[Candidate, ...]:
    """Return the versions that the requirements in a file itself allow.

    ``beside`` is all that the file asks for.
    """
    here = [declarations.Requirement(path, each) for each in found]
    return _declared(here, package, project, beside=beside, stated_in=path)


def beside(own: tuple[str, str], package: str, project: Declarations) -> tuple[Candidate, ...]:
    """Return what lies beside an installed file, else what its distribution requires.

    ``own`` is the top-level name that the file is installed below, and the folder of the packages.
    """
    top, folder = own
    found = _installed((folder,), package, project, folder)
    return found or _of_distribution(metadata_of(top, folder, project), top, package)


def _with_told(
    found: tuple[Candidate, ...],
    told: Sequence[declarations.Requirement],
    package: str,
    project: Declarations,
) -> tuple[Candidate, ...]:
    """Add what a folder below tells: its README may ask for another version than the project.

    A repository without a tag that it asks for stands for the newest release.
    """
    versioned = [each for each in told if _names_version(each)]
    if not found or not versioned:
        return found
    return (*found, *(_declared(versioned, package, project) or _newest_of(versioned, package)))


def _installed_above(folder: str, package: str, project: Declarations) -> tuple[Candidate, ...]:
    """Return what the project installs for a copied folder whose own list it does not read.

    Code outside of such a folder runs what is in it, in the environment of the whole.
    """
    root, name = project.folders[-1], os.path.basename(folder)
    if folder == root:
        return ()
    above = project.folders[project.folders.index(folder) + 1 :]
    found = ((each, told) for each in above if (told := hints(package, each, project)))
    telling, told = next(found, (root, ()))
    if not told or is_installed_from(telling, name, project):
        return ()
    own = os.path.join(folder, "")
    users = project.modules_with(root, (whole_word(name),))
    if all(each.startswith(own) for each in users):
        return ()
    return _declared(told, package, project)


def _named_above(
    folder: str, package: str, project: Declarations
) -> tuple[declarations.Requirement, ...]:
    """Return the versions that a project names elsewhere, for a requirement that names none."""
    for each in project.folders[project.folders.index(folder) :]:
        declared = [own for own in project.declared_in(each) if _counts(own, package)]
        named = tuple(own for own in declared if _names_version(own))
        named = named or tuple(filter(_names_version, hints(package, each, project)))
        if named:
            return named
    return ()


def _names_version(requirement: declarations.Requirement) -> bool:
    parsed = requirement_of(requirement.declared.text)
    return parsed is None or bool(parsed.url or parsed.specifier)


def _elsewhere(package: str, project: Declarations) -> tuple[Candidate, ...]:
    """Return what the only project below the root declares, else what nothing declares.

    Of several projects, each in a folder of its own, nobody knows which one holds here.
    """
    below = project.declared_below_root
    found = [each for each in below if _counts(each, package)]
    if found:
        is_one = len({os.path.dirname(each.path) for each in below}) == 1
        result = _declared(found, package, project) if is_one else ()
        return tuple(replace(each, certain=False) for each in result)
    return _undeclared(package, companions(project))


def _undeclared(package: str, others: Companions) -> tuple[Candidate, ...]:
    """Return the newest release that goes with the others; one of them may bring it."""
    bringing = others.bringing(package)
    brought = SpecifierSet() if bringing is None else bringing[1]
    newest = others.newest(package, SpecifierSet()) and others.newest(package, brought)
    if newest is None:
        return ()
    if bringing is None:
        said = f"the newest release{_as_of()}, and nothing declares {package}"
        return (Candidate(newest, said, certain=False, declared=False),)
    by = bringing[0]
    said = f"the newest release that goes with `{by}{others.asked[by]}`{_as_of()}"
    return (Candidate(newest, said, certain=False),)


# Installed


def _installed(
    folders: tuple[str, ...], package: str, project: Declarations, where: str
) -> tuple[Candidate, ...]:
    version = installed_version(folders, package, project)
    if version is None:
        return ()
    return (Candidate(version, f"installed in {_shown(where, project)}", certain=True),)


def _shown(path: str, project: Declarations) -> str:
    shown = relative(path, project.settings.root)
    return path if shown == os.curdir or shown.startswith(os.pardir) else shown


# Declared


def _counts(requirement: declarations.Requirement, package: str) -> bool:
    declared = requirement.declared
    return declared.name == package and declared.group != _NOT_AT_RUN_TIME


_Group = tuple[str, str, str]
"""A file, a group of requirements in it, and a marker."""


def _declared(
    found: Sequence[declarations.Requirement],
    package: str,
    project: Declarations,
    *,
    beside: Iterable[Declared] = (),
    stated_in: str = "",
) -> tuple[Candidate, ...]:
    """Return the newest release that each group of requirements allows.

    A URL without a tag stands for the newest release: alone only where it is of the newest commit.
    """
    groups: dict[_Group, list[Requirement]] = {}
    constraints: list[Requirement] = []
    unknown: list[declarations.Requirement] = []
    places: dict[_Group, str] = {}
    for each in found:
        parsed = requirement_of(each.declared.text)
        if parsed is None or (parsed.url and _tagged(parsed.url) is None):
            unknown.append(each)
            continue
        key = (each.path, each.declared.group, str(parsed.marker or ""))
        places.setdefault(key, project.place_of(each))
        (constraints if each.declared.constraint else groups.setdefault(key, [])).append(parsed)
    if not groups and not constraints:
        is_newest = all(_is_head(each, package) for each in unknown)
        return _newest_of(unknown, package) if is_newest else ()
    if not groups:
        groups[found[0].path, "", ""], constraints = constraints, []
        places.setdefault((found[0].path, "", ""), next(iter(places.values())))
    others = companions(project, told_beside(found, project), beside)
    result: list[Candidate] = []
    for key, own in groups.items():
        specifier = _combined([*own, *_common(key, groups), *constraints])
        if not specifier and is_told(key[0]) and _is_of_old(others):
            return ()
        where = "this file" if key[0] == stated_in else _inside(key[0], project)
        allowed = _allowed(package, specifier, where, _short(own[0]), others)
        if not allowed:
            return ()
        listed = "" if key[1] or key[2] else _inside(key[0], project)
        readme, place = is_readme(key[0]), places.get(key, "")
        result += (replace(each, in_readme=readme, listed=listed, place=place) for each in allowed)
    result.sort(key=lambda each: (not each.certain, each.version))
    return tuple(dict.fromkeys((*result, *_newest_of(unknown, package))))


def _is_of_old(others: Companions) -> bool:
    """Return whether a torch of before 2023 is pinned: what a README installs beside is as old."""
    torch = published.pin(others.asked.get("torch", SpecifierSet()))
    return torch is not None and torch < _OLD


def _newest_of(unknown: Sequence[declarations.Requirement], package: str) -> tuple[Candidate, ...]:
    """Return the newest release for repositories that are asked for at no known version."""
    newest = Companions().newest(package, SpecifierSet()) if unknown else None
    if newest is None:
        return ()
    where = os.path.basename(unknown[0].path)
    said = f"the newest release{_as_of()}, and {where} asks for the repository"
    return (Candidate(newest, said, certain=False),)


def _as_of() -> str:
    """Return the day beside "the newest": a later release is not known."""
    return f" (as of {published.AS_OF})"


def _common(key: _Group, groups: dict[_Group, list[Requirement]]) -> Iterator[Requirement]:
    """Yield what holds for a group of a file besides its own requirements."""
    path, group, marker = key
    for other in {(path, "", ""), (path, group, ""), (path, "", marker)} - {key}:
        yield from groups.get(other, ())


def _short(requirement: Requirement) -> str:
    text = f"{requirement.name}{requirement.specifier}"
    return text if requirement.specifier or not requirement.url else f"{text} @ {requirement.url}"


def _tagged(url: str) -> str | None:
    """Return the version that a URL of a repository names by its tag."""
    match = _TAG.search(url)
    return match[1] if match else None


def _is_head(requirement: declarations.Requirement, package: str) -> bool:
    """Return whether a requirement is the newest commit of the package's own repository."""
    parsed = requirement_of(requirement.declared.text)
    head = _HEAD.fullmatch(parsed.url) if parsed is not None and parsed.url else None
    return head is not None and canonicalize_name(head[1]) == package


def _combined(requirements: list[Requirement]) -> SpecifierSet:
    texts = [
        f"=={_tagged(each.url)}" if each.url and _tagged(each.url) else str(each.specifier)
        for each in requirements
    ]
    return SpecifierSet(",".join(text for text in texts if text))


def _allowed(
    package: str, specifier: SpecifierSet, where: str, text: str, others: Companions
) -> list[Candidate]:
    """Return the newest release that a requirement allows, and what pip takes of it today.

    Both are the same unless an open requirement of another package has an effect today.
    """
    pinned = published.pin(specifier) is not None
    found = [others.newest(package, specifier, as_of_today=each) for each in (True, False)]
    result = []
    for newest in dict.fromkeys(filter(None, found)):
        why = others.why(package, specifier, newest)
        bounded = has_upper_bound(specifier)
        said = f"the newest that `{text}` ({where}) allows{why or ('' if bounded else _as_of())}"
        said = f"pinned in {where}" if pinned else said
        result.append(Candidate(newest, said, bounded, specifier, text))
    return result


def _inside(path: str, project: Declarations) -> str:
    return relative(path, project.folders[-1])


# The metadata of the distribution that a file is part of


@lru_cache(maxsize=64)
def _of_distribution(metadata: str, top: str, package: str) -> tuple[Candidate, ...]:
    """Return the version that a METADATA asks for; the many files of a package share it."""
    parsed = requirements_in(metadata)
    others = companions_of(each for each in parsed if not is_extra(each))
    counted = [each for each in parsed if canonicalize_name(each.name) == package]
    always = [each for each in counted if not is_extra(each)]
    if not counted:
        return _undeclared(package, others)
    specifier = _combined(always or counted[:1])
    where = f"the metadata of {top}"
    return tuple(_allowed(package, specifier, where, f"{package}{specifier}", others))
