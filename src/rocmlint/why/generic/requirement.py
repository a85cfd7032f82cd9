"""Versions in messages: a package requires another in a range, and something else was found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.published import requirements
from rocmlint.published.fitting import shown
from rocmlint.text.written import requirement_of, version_of
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.installed import version
from rocmlint.why.facts.packages.providers import provider_of
from rocmlint.why.facts.packages.requirements import demands_on
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import innermost, install, made, pip, where
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement
    from packaging.version import Version

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context

_NAME = r"[A-Za-z][\w.-]{0,80}?"
_RANGE = (
    r"(?:\s?\[[\w,-]{1,80}\])?\s?\(?"
    r"(?P<range>(?:[<>=!~]=?=?\s{0,3}[\w.*+]{1,40}\s{0,3},?\s{0,3}){1,9})\)?"
)
_FOUND = r"(?P<found>v?\d[\w.+]*?)"
_SHAPES = (
    (
        "is required for a normal functioning of this module",
        re.compile(
            rf"(?P<name>{_NAME}){_RANGE} is required for a normal functioning of this module,? "
            rf"but found {_NAME}==?{_FOUND}\.?(?:\s|$)"
        ),
    ),
    (
        "but you",
        re.compile(
            rf"(?P<by>{_NAME}) (?P<by_version>\d[\w.+]*) (?:requires|has requirement) "
            rf"(?P<name>{_NAME}){_RANGE}, but you(?:'ll)? have {_NAME} {_FOUND}"
            r"(?: which is incompatible)?\.?(?:\s|$)"
        ),
    ),
    (
        "VersionConflict",
        re.compile(
            rf"VersionConflict: \({_NAME} {_FOUND} \([^)\n]*\), "
            rf"Requirement\.parse\(['\"](?P<name>{_NAME}){_RANGE}['\"]\)"
        ),
    ),
    (
        " is required but found ",
        re.compile(
            rf"(?P<name>{_NAME})(?P<range> ?>= ?[\d.]{{1,20}}) is required but found "
            rf"{_FOUND}\.?(?:\s|$)"
        ),
    ),
    (
        " but ",
        re.compile(
            rf"(?:requires?|needs?) (?:the )?`?(?P<name>{_NAME})`?{_RANGE}`?,? but (?:only )?"
            rf"(?:you have|found|got|the installed version is|version|is) (?:{_NAME}\s*(?:==)?\s*)?"
            rf"{_FOUND}\.?(?:\s|$)"
        ),
    ),
)
"""A text of each kind of message, and its shape: of transformers, pip, setuptools, others."""
_NOT_INSTALLED = re.compile(
    rf"(?P<by>{_NAME}) (?P<by_version>\d[\w.+]*) requires (?P<name>{_NAME})(?:{_RANGE})?, "
    r"which is not installed"
)
_NO_METADATA = re.compile(
    r"(?:No package metadata was found for |PackageNotFoundError: (?!No package )|"
    r"DistributionNotFound: The ['\"])['\"]?(?P<name>[A-Za-z][\w.-]*)"
)
_OTHER_PYTHON = re.compile(
    rf"[Pp]ackage ['\"](?P<name>{_NAME})['\"] requires a different Python: (?P<found>[\d.]+\w*) "
    r"not in ['\"](?P<range>[^'\"\n]+)['\"]"
)
_LIBRARY = re.compile(
    r"requires the (?P<name>[A-Za-z][\w.-]{0,60}) library but it was not found in your environment"
)
_LIBRARIES = {"pytorch": "torch", "opencv": "opencv-python-headless", "faiss": "faiss-cpu"}
_INSTALL_HINT = re.compile(
    r"(?:requires?|needs?|not found|not installed)\b[\s\S]{0,240}?\bpip install (?:-\S{1,20} ){0,3}"
    r"(?:transformers\[torch\]` or `pip install )?['\"]?(?P<name>[A-Za-z][\w.-]{0,80})"
    r"(?P<range>>=[\d.]+\w*)?['\"`\s]"
)
_NOT_OF_PIP = frozenset(
    {"python", "cuda", "rocm", "gcc", "glibc", "cmake", "node", "driver", "hip"}
)
_LONGEST = 20_000
_WEIGHT = 30


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a requirement that what is installed does not meet."""
    if "requires a different Python" in text:
        yield from _python(near(text, "requires a different Python"), context)
    searched = (each.search(near(text, literal)) for literal, each in _SHAPES)
    found = next(filter(None, searched), None)
    if found is not None:
        yield from _range(found, context)
        return
    found = _NOT_INSTALLED.search(near(text, "which is not installed"))
    if found is not None:
        wanted = f"{found['name']}{found['range'] or ''}".replace(" ", "")
        cause = f"{found['by']} {found['by_version']} requires {wanted}, which is not installed"
        actions = (install(context, wanted),) if requirement_of(wanted) is not None else ()
        yield made(
            context,
            "unmet-requirement",
            cause,
            weight=_WEIGHT,
            actions=actions,
            confirm=pip(context, "check").text,
            message=found[0],
        )
        return
    found = _NO_METADATA.search(near(text, "No package metadata") or near(text, "NotFound"))
    if found is not None:
        yield from _metadata(found, context)
        return
    found = _LIBRARY.search(near(text, "library but it was not found in your environment"))
    if found is not None:
        name = found["name"].lower()
        name = _LIBRARIES.get(name) or provider_of(found["name"]) or name
        yield from _hint(context, name, "", found[0])
        return
    found = _INSTALL_HINT.search(text[:_LONGEST] + "\n") if "pip install" in text else None
    if found is not None:
        yield from _hint(context, found["name"], found["range"] or "", found[0])


def _range(found: re.Match[str], context: Context) -> Iterator[Explanation]:
    name, specifier = found["name"], _specifier(found["range"])
    name = _LIBRARIES.get(name.lower(), name)
    has = version_of(found["found"].rstrip("."))
    if specifier is None or has is None or specifier.contains(has, prereleases=True):
        return
    if canonicalize_name(name) in _NOT_OF_PIP:
        return
    groups = found.groupdict()
    place = innermost(context)
    by = f"{groups['by']} {groups['by_version']}" if groups.get("by") else ""
    if not by and place is not None and place.owner.kind == "package":
        by = str(place.owner)
    wanted = f"{name}{shown(specifier)}"
    context.saw(name, has, "the message")
    is_older = _is_below(has, specifier)
    actions = [install(context, wanted)]
    contrary = _contrary(context, name, specifier, groups.get("by") or "")
    if contrary is not None:
        who, asked = contrary
        context.saw(who, f"requires {asked}", "its METADATA")
        actions.append(
            Action(f"{who} requires {asked}: install a release of it that takes {wanted}")
        )
    yield made(
        context,
        "unmet-requirement",
        f"{name} {has} is too {'old' if is_older else 'new'} for {by or 'what imports it'}, which "
        f"requires {shown(specifier)}",
        weight=_WEIGHT,
        where=where(place) if not groups.get("by") else "",
        actions=tuple(actions),
        confirm=pip(context, "check").text,
        message=found[0].strip(),
    )


def _specifier(text: str | None) -> SpecifierSet | None:
    try:
        return SpecifierSet((text or "").replace(" ", "").rstrip(","))
    except InvalidSpecifier:
        return None


def _is_below(found: Version, specifier: SpecifierSet) -> bool:
    """Return whether a version is older than what is required."""
    bounds = (version_of(each.version.removesuffix(".*")) for each in specifier)
    lows = [
        each
        for each, one in zip(bounds, specifier, strict=True)
        if each is not None and one.operator in {">=", ">", "==", "~=", "==="}
    ]
    return any(found < each for each in lows)


def _contrary(
    context: Context, name: str, specifier: SpecifierSet, by: str
) -> tuple[str, Requirement] | None:
    """Return an installed package that requires what excludes the range."""
    newest = requirements.newest(canonicalize_name(name), specifier)
    if newest is None or context.is_elsewhere:
        return None
    for installed, asked in demands_on(context, name):
        is_same = canonicalize_name(installed.name) == canonicalize_name(by)
        if not is_same and not asked.specifier.contains(newest, prereleases=True):
            return f"{installed.name} {installed.version}", asked
    return None


def _metadata(found: re.Match[str], context: Context) -> Iterator[Explanation]:
    """Explain a distribution whose metadata are not found."""
    name = found["name"].rstrip(".")
    place, has = innermost(context), version(context, name)
    by = f" by {place.owner}" if place is not None and place.owner.kind == "package" else ""
    if has is not None and not isinstance(has, UnreadFact):
        return
    import os  # noqa: PLC0415 - one use

    folder = next(
        (
            path
            for each in context.packages.folders
            if os.path.isdir(path := os.path.join(each, name.replace("-", "_")))
        ),
        "",
    )
    if folder:
        context.saw(folder, "has no .dist-info", "this machine")
        cause = f"{name} lies in {folder} without its .dist-info: it was copied, not installed"
    else:
        cause = f"{name} is not installed, and its version is asked for{by}"
    yield made(
        context,
        "unmet-requirement",
        cause.replace(" lies in ", " is in "),
        weight=_WEIGHT - 6,
        where=where(place),
        actions=(install(context, name),),
        confirm=pip(context, "show", name).text,
        missing=(has,) if isinstance(has, UnreadFact) else (),
        message=found[0],
    )


def _python(text: str, context: Context) -> Iterator[Explanation]:
    found = _OTHER_PYTHON.search(text)
    specifier = _specifier(found["range"]) if found is not None else None
    has = version_of(found["found"]) if found is not None else None
    if found is None or specifier is None or has is None or specifier.contains(has):
        return
    context.saw("Python", has, "the message")
    yield made(
        context,
        "other-python",
        f"{found['name']} requires Python {shown(specifier)}, and this is Python {has}",
        weight=_WEIGHT + 10,
        actions=(
            Action(f"make an environment with Python {shown(specifier)}"),
            Action(f"or install an older release of {found['name']} that takes Python {has}"),
        ),
        confirm="python --version",
        message=found[0],
    )


def _hint(context: Context, name: str, bounds: str, message: str) -> Iterator[Explanation]:
    """Explain a message that says what to install, by what is installed."""
    specifier, has = _specifier(bounds), version(context, name)
    if specifier is None or isinstance(has, UnreadFact):
        return
    if has is not None and (not bounds or specifier.contains(has, prereleases=True)):
        return
    is_there = f"{name} {has} is installed" if has is not None else f"{name} is not installed"
    yield made(
        context,
        "unmet-requirement",
        f"this needs {name}{shown(specifier)}, and {is_there}",
        weight=_WEIGHT - 10,
        where=where(innermost(context)),
        actions=(install(context, f"{name}{shown(specifier)}"),),
        confirm=pip(context, "show", name).text,
        message=message,
    )
