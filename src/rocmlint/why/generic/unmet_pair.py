"""Two packages of a traceback, one of which requires another release of the other."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.published.fitting import shown
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.requirements import required_by
from rocmlint.why.generic.parts import install, made, pip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.metadata import Installed

_OF_INTERFACES = frozenset(
    {
        "TypeError",
        "AttributeError",
        "ImportError",
        "ModuleNotFoundError",
        "NotImplementedError",
    }
)
"""Errors of a call into a package of another release; other exceptions have other causes too."""
_OTHERS = frozenset({"KeyError", "ValueError", "RuntimeError", "AssertionError"})
_BETWEEN = "torch"
"""Its modules call those of other packages; it is the one to look at where it raises alone."""
_NEAREST = 3
_WEIGHT = 10


class Unmet(NamedTuple):
    """A package, what it requires of another, and the one that is installed."""

    by: Installed
    asked: Requirement
    found: Installed
    is_innermost: bool
    """Whether the exception was raised between these two."""


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain an exception that no other reader knows by a requirement that is not met."""
    kind = context.raised.type.rpartition(".")[2] if context.raised is not None else ""
    if kind not in _OF_INTERFACES | _OTHERS or context.is_elsewhere:
        return
    unmet = next(_unmet(context), None)
    if unmet is None:
        return
    by, asked, found, is_innermost = unmet
    context.saw(by.name, f"{by.version} requires {asked.name}{shown(asked.specifier)}", by.record)
    context.saw_package(found.name, found.version)
    name = canonicalize_name(found.name)
    yield made(
        context,
        "requirement-between-two-packages",
        f"{by.name} {by.version} requires {name}{shown(asked.specifier)}, and {name} "
        f"{found.version} is installed: {by.name} was made for another release of it",
        weight=_WEIGHT,
        sure=is_innermost and kind in _OF_INTERFACES,
        actions=(
            install(context, _nearest(asked, found.version)),
            Action(f"or a release of {by.name} that takes {name} {found.version}"),
        ),
        confirm=pip(context, "check").text,
        rules=("ROC203",),
        message=text.partition("\n")[0],
    )


def _unmet(context: Context) -> Iterator[Unmet]:
    """Yield unmet requirements between packages that call each other, the innermost first."""
    names: dict[str, Installed] = {}
    for frame in reversed(context.frames):
        owner = context.owner(frame)
        installed = context.packages.get(owner.name) if owner.kind == "package" else None
        if installed is not None and (not names or canonicalize_name(installed.name) != _BETWEEN):
            names.setdefault(installed.name, installed)
    for number, (inner, outer) in enumerate(pairwise([*names.values()][:_NEAREST])):
        for by, found in ((outer, inner), (inner, outer)):
            for asked in _demands(by, found):
                if not _takes(asked, found.version):
                    yield Unmet(by, asked, found, number == 0)


def _demands(by: Installed, found: Installed) -> Iterator[Requirement]:
    """Yield what a package requires of another: as its METADATA say, else as its release did."""
    name = canonicalize_name(found.name)
    every = list(required_by(by))
    every = every or [
        *requirements.applicable(requirements.requirements(by.name, by.version) or ())
    ]
    yield from (each for each in every if canonicalize_name(each.name) == name)


def _takes(asked: Requirement, version: Version) -> bool:
    """Return whether a requirement takes a version; one before a release counts as that one."""
    versions = (version, Version(version.base_version))
    return any(asked.specifier.contains(each, prereleases=True) for each in versions)


def _nearest(asked: Requirement, version: Version) -> str:
    """Return the requirement of the release that meets another, and is nearest to a version."""
    name = canonicalize_name(asked.name)
    known = [*requirements.offered(name, asked.specifier)]
    if not known:
        return f"{name}{asked.specifier}"
    earlier = (each for each in known if each < version)
    return f"{name}=={next(earlier, known[-1])}"
