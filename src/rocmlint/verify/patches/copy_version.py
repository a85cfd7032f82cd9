"""Whether the copy of a package that imports take is of the version that a patch is made for."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from rocmlint.verify.result import Evidence, Judgement, interpreter_evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.verify.manifest.read import Manifest
    from rocmlint.verify.result import Result, Strength, Verdict

Facts = dict[str, Any]
"""An answer of :mod:`rocmlint.interpreter.inside.packages.patches`, or a part of it."""


def results(manifest: Manifest, facts: Facts) -> list[Result]:
    """Judge the version of each folder that the manifest has files in."""
    python, by_name = facts["interpreter"]["executable"], facts["by_name"]
    installer = by_name[0]["installer"] if by_name else ""
    install = install_command(python, f"{manifest.package}{manifest.requires}", installer)
    return [
        judgement_on(manifest.requires, each, by_name, install).on(
            "patches",
            f"the version is {manifest.requires}",
            manifest.package,
            (interpreter_evidence(facts["interpreter"]), *_evidence(each, by_name)),
        )
        for each in facts["packages"]
    ]


def install_command(python: str, requirement: str, installer: str) -> str:
    """Return the command that puts back a package, with what installed it; uv includes no pip."""
    command = [python, "-m", "pip", "install", "--no-deps", "--force-reinstall", requirement]
    if installer == "uv":
        command = ["uv", "pip", "install", "--python", python, "--no-deps", "--reinstall"]
        command.append(requirement)
    return shlex.join(command)


def _evidence(facts: Facts, by_name: list[Facts]) -> Iterator[Evidence]:
    for number, each in enumerate(facts.get("copies", ())):
        yield Evidence("shadowed copy" if number else "taken", str(each["origin"]))
    for each in facts.get("distributions", ()):
        files = f"{each['equal']} of its files are beside it as recorded"
        yield Evidence("distribution", f"{each['version']}, {each['place']}: {files}")
        yield from (Evidence("not as recorded", path) for path in each["differing"])
    yield from (Evidence("known by name", f"{it['version']}, {it['place']}") for it in by_name)


def judgement_on(requires: str, facts: Facts, by_name: list[Facts], install: str) -> Judgement:
    """Judge the version of the copy that imports take, by the dist-info that belongs to it.

    ``install`` is the command that installs the required one.
    """
    if "error" in facts:
        return Judgement(
            "unproven",
            "located",
            "not checked",
            f"the search for the package failed: {facts['error']}",
            "repair what is named above (raised by a finder of this interpreter)",
        )
    if not facts["copies"]:
        return Judgement(
            "contradicted", "located", "not installed", "no import finds the package", install
        )
    root = facts["copies"][0]["root"]
    if not facts["distributions"]:
        known = ", ".join(f"{each['version']} in {each['root']}" for each in by_name)
        also = f"; importlib.metadata finds another copy: {known}" if known else ""
        return Judgement(
            "unproven",
            "located",
            "version unknown",
            f"imports take the package from {root}, where nothing states its version{also}",
            f"remove {root} from sys.path (PYTHONPATH, .pth files), or {install}",
        )
    distribution = max(facts["distributions"], key=lambda each: int(each["equal"]))
    version = distribution["version"]
    strength: Strength = "hashed" if distribution["equal"] else "located"
    try:
        fits = SpecifierSet(requires).contains(Version(version), prereleases=True)
    except InvalidVersion:
        why = f"{distribution['place']} has no version"
        return Judgement("unproven", "located", "version unknown", why, install)
    if not fits:
        why = f"the patch is made for {requires}, and imports take {version} from {root}"
        return Judgement("contradicted", strength, version, why, install)
    if differing := distribution["differing"]:
        why = f"{distribution['place']} says {version}, but {len(differing)} of the files next to "
        why += f"it differ from that version's wheel ({differing[0]})"
        verdict: Verdict = "unproven" if distribution["equal"] else "contradicted"
        return Judgement(verdict, "hashed", version, why, install)
    return Judgement("proven", strength, version)
