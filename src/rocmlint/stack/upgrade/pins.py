"""Obstacles to another torch or ROCm in a project's own files: pins, indexes, images."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.published.fitting import fit, shown
from rocmlint.published.pytorch_index import label_in
from rocmlint.stack.upgrade.changes import is_triton
from rocmlint.stack.verdicts import is_met
from rocmlint.text.secrets import without_logins
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_IMAGE = re.compile(r"\brocm[-_]?(?P<rocm>\d+\.\d+)")
_EXACT = frozenset({"==", "==="})


@dataclass(frozen=True)
class Pin:
    """A place of a project's file: a requirement, the URL of an index, or a base image."""

    path: str
    line: int
    text: str
    kind: Literal["requirement", "index", "image"] = "requirement"


@dataclass(frozen=True)
class Obstacle:
    """An obstacle to a plan: where (``path:line``, or a package), why, and what to do."""

    where: str
    what: str
    why: str
    do: str


def obstacles(
    pins: Iterable[Pin], targets: Mapping[str, Version], rocm: str, url: str, python: str
) -> list[Obstacle]:
    """Judge each place by the versions that packages will have, and the index they come from.

    ``python`` is major.minor of the interpreter, for markers.
    """
    found = []
    for pin in pins:
        if pin.kind == "index":
            judged = _of_index(pin.text, rocm, url)
        elif pin.kind == "image":
            judged = _of_image(pin.text, rocm)
        else:
            judged = _of_requirement(pin.text, targets, python)
        if judged:
            found.append(Obstacle(f"{pin.path}:{pin.line}", without_logins(pin.text), *judged))
    return found


def wishes(pins: Iterable[Pin], python: str) -> dict[str, SpecifierSet]:
    """Return what the requirements of a project allow of each package, all taken together."""
    found: dict[str, SpecifierSet] = {}
    for pin in pins:
        requirement = _requirement(pin.text, python) if pin.kind == "requirement" else None
        if requirement is not None and requirement.specifier:
            name = canonicalize_name(requirement.name)
            found[name] = found.get(name, SpecifierSet()) & requirement.specifier
    return found


def _requirement(text: str, python: str) -> Requirement | None:
    """Read a requirement; None for one that is none, or is for another system than Linux."""
    requirement = requirement_of(text)
    if requirement is None:  # the parser of the file reports it
        return None
    return next(requirements.applicable([requirement], python=python), None)


def _of_index(text: str, rocm: str, url: str) -> tuple[str, str] | None:
    label = label_in(text)
    if not label or label == f"rocm{rocm}":
        return None
    return f"it has builds for {label}, and pip would reinstall one of them", f"write {url}"


def _of_image(text: str, rocm: str) -> tuple[str, str] | None:
    match = _IMAGE.search(text)
    if match is None or Version(match["rocm"]).release == Version(rocm).release[:2]:
        return None
    why = f"the image has ROCm {match['rocm']} and, if it is a rocm/pytorch image, a torch for it"
    return why, f"use an image for ROCm {rocm}"


def _of_requirement(
    text: str, targets: Mapping[str, Version], python: str
) -> tuple[str, str] | None:
    requirement = _requirement(text, python)
    if requirement is None:
        return None
    name = canonicalize_name(requirement.name)
    pinned = any(each.operator in _EXACT for each in requirement.specifier)
    if requirement.url is not None:
        if name in targets:
            return "it names one build by its URL", f"write {name}=={targets[name]}"
        return None
    if name in targets:
        if is_met(requirement.specifier, targets[name]):
            return None
        return (
            f"the plan installs {name} {targets[name]}",
            f"write {_instead(name, targets[name], pinned)}",
        )
    if is_triton(name):
        why = "torch installs the triton that it was built with"
        return (why, "remove it") if pinned else None
    return _of_any_release(name, requirement, targets["torch"], python)


def _instead(name: str, version: Version, pinned: bool) -> str:
    return f"{name}{'==' if pinned else '>='}{version.public}"


def _of_any_release(
    name: str, requirement: Requirement, torch: Version, python: str
) -> tuple[str, str] | None:
    """Judge a pin of a package that the plan leaves alone: some release of it must take torch."""
    refused = None
    for release in reversed(requirements.releases(name)):
        if not is_met(requirement.specifier, release):
            continue
        try:
            needed = requirements.torch_requirement(
                name, release, {"torch", *requirement.extras}, python
            )
        except KeyError:
            return None
        if needed is None or is_met(needed, torch):
            return None
        refused = refused or (release, needed)
    if refused is None:
        return None
    release, needed = refused
    found = fit([Requirement(f"{name}[torch]")], python, {"torch": torch})
    do = f"write {name}=={found[name]}" if found else f"remove {name}, or plan for another torch"
    return f"{name} {release} requires torch{shown(needed)}, but the plan installs {torch}", do
