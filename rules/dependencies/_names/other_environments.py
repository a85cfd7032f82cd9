"""Programs that need another environment than the declared one, and what stands against advice."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rocmlint.rule import once_per_file, syntax_tree

from .judgement import minor
from .package_imports import holds
from .programs import is_named

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from rocmlint.project.obstacles import Obstacles
    from rocmlint.rule import Source

    from .judgement import MissingName, MissingUse


def may_run_elsewhere(found: MissingUse, source: Source) -> bool:
    """Files for releases that the project does not ask for, and READMEs older than the code."""
    return any(
        each(found, source)
        for each in (is_for_another_environment, is_newer_than_readme, is_beside_unlisted)
    )


def is_for_another_environment(found: MissingUse, source: Source) -> bool:
    """Programs that nothing names, for a later release than the project's requirements allow.

    These exclude it by a range, or by what another package asks for: who wrote such a baseline ran
    it in an environment of its own. A pin of the package itself may only be old.
    """
    known, judgement = found.history, found.judgement
    since = None if known is None else known.there_after(judgement.candidate.version)
    if since is None or not _is_unnamed_program(source):
        return False
    wanted = f"{found.dotted.partition('.')[0]}>={minor(since)}"
    return is_excluded(wanted, judgement, source) or _is_out_of_range(wanted, judgement)


def is_newer_than_readme(found: MissingUse, source: Source) -> bool:
    """What comes with a later release than the one that only a README pins: the README is old."""
    del source
    known = found.history
    return known is not None and all(
        each.in_readme and known.there_after(each.version) is not None
        for each in found.judgement.candidates
    )


def is_beside_unlisted(found: MissingUse, source: Source) -> bool:
    """Pinned versions in files that import a package which nothing lists, and which refuses them.

    Its newest release asks for another version: who installs it by hand runs the file with that.
    """
    if not found.judgement.certain:
        return False
    package, version = found.dotted.partition(".")[0], found.judgement.candidate.version
    return any(not each.contains(version) for each in _asked_by_unlisted(package, source))


@once_per_file
def _asked_by_unlisted(package: str, source: Source) -> list[SpecifierSet]:
    """Return what the newest releases of imported packages that nothing lists ask of a package."""
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415 - few files need it

    from rocmlint.published import requirements as published  # noqa: PLC0415

    folders = source.project.folders
    listed = {each.declared.name for top in folders for each in source.project.declared_in(top)}
    tops = {each.partition(".")[0] for each in _imported(source.text)}
    foreign = (each for each in tops if not any(holds(top, each, source) for top in folders))
    imported = {each.replace("_", "-") for each in foreign}
    distribution = package.replace("_", "-")
    asked = []
    for name in (imported - listed - {distribution}) & {*published.packages()}:
        newest = published.newest(name, SpecifierSet())
        required = () if newest is None else published.requirements(name, newest) or ()
        applied = published.applicable(required)
        asked += [each.specifier for each in applied if each.name == distribution]
    return asked


def _imported(text: str) -> set[str]:
    module = syntax_tree(text)
    found = [] if module is None else [*ast.walk(module)]
    plain = {name.name for each in found if isinstance(each, ast.Import) for name in each.names}
    return plain | {each.module or "" for each in found if isinstance(each, ast.ImportFrom)}


def _is_out_of_range(wanted: str, judgement: MissingName) -> bool:
    """Return whether a range of the project ends before the first release that is wanted."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it

    from rocmlint.project.companions import has_upper_bound  # noqa: PLC0415
    from rocmlint.published.requirements import pin, releases  # noqa: PLC0415

    allowed = judgement.candidate.allowed
    if allowed is None or not has_upper_bound(allowed) or pin(allowed) is not None:
        return False
    required = Requirement(wanted)
    both = allowed & required.specifier
    known = releases(required.name.replace("_", "-"))
    return not any(both.contains(each) for each in known)


def to_require(bound: str, judgement: MissingName, source: Source) -> str:
    """Return a requirement as it is advised, and what else has to change for it."""
    return f"`{_offered(bound)}`{_obstacles(bound, judgement, source).clause}"


def is_excluded(bound: str, judgement: MissingName, source: Source) -> bool:
    """Return whether something else in the project leaves no release that a requirement allows."""
    return bool(_obstacles(bound, judgement, source))


def _offered(bound: str) -> str:
    """Return a requirement with a floor that an index offers: not a release that was taken back."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it
    from packaging.version import Version  # noqa: PLC0415

    from rocmlint.project.obstacles import first_offered  # noqa: PLC0415
    from rocmlint.published.requirements import is_yanked  # noqa: PLC0415

    package, sign, rest = bound.partition(">=")
    floor = rest.partition(",")[0]
    distribution = package.replace("_", "-")
    if not sign or not is_yanked(distribution, Version(floor)):
        return bound
    first = first_offered(distribution, Requirement(bound).specifier)
    return bound if first is None else bound.replace(f">={floor}", f">={first}", 1)


@once_per_file
def _obstacles(bound: str, judgement: MissingName, source: Source) -> Obstacles:
    from packaging.requirements import Requirement  # noqa: PLC0415 - few files need it

    from rocmlint.project.companions import Companions, companions  # noqa: PLC0415
    from rocmlint.project.obstacles import obstacles  # noqa: PLC0415

    wanted = Requirement(bound)
    is_own = "this file" in judgement.candidate.said  # which installs what it needs itself
    others = Companions() if is_own else companions(source.project)
    return obstacles(wanted.name.replace("_", "-"), wanted.specifier, others)


def _is_unnamed_program(source: Source) -> bool:
    """Return whether a file is to be run, and no module, script or document names it."""
    return "__main__" in source.text and not is_named(source)
