"""Requirements that contradict each other, as pip, uv and poetry say it."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.published import requirements
from rocmlint.text.words import shortened
from rocmlint.text.written import requirement_of, version_of
from rocmlint.why.answer import Action
from rocmlint.why.generic.parts import made, pip
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context

_USER = re.compile(r"The user requested (?:\(constraint\) )?(?P<asked>[^\n]+)")
_DEPENDS = re.compile(
    r"(?P<by>[A-Za-z][\w.-]*)(?:\[[\w,-]+\])? (?P<version>\d[\w.+]*) depends on (?P<asked>[^\n]+)"
)
_UV = re.compile(
    r"(?P<by>[A-Za-z][\w.-]*?)(?:\[[\w,-]+\])?(?P<pin>[=<>!~]=?[\w.*+]+)? depends on "
    r"(?P<asked>[A-Za-z][\w.-]*(?:\[[\w,-]+\])?(?:[=<>!~]=?[\w.*+]+,?)*)"
)
_UV_OWN = re.compile(r"you require ((?:(?: and )?[A-Za-z][\w.-]*(?:[=<>!~]=?[\w.*+]+,?)*){1,9})")
_UV_START = "No solution found when resolving"
_PIP_START = "conflicting dependencies"
_WEIGHT = 34


class Demand(NamedTuple):
    """Who requires what."""

    by: str
    version: str
    asked: Requirement

    def __str__(self) -> str:
        """Return it for people."""
        name = f"{self.by} {self.version}".rstrip() or "this project"
        return f"{name} requires {self.asked.name}{self.asked.specifier}"


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain requirements without a common release."""
    if _UV_START in text:
        text = near(text, _UV_START)
        yield from _explained(text, list(_of_uv(text)), context)
    elif text := near(text, _PIP_START) or near(text, "The conflict is caused by"):
        yield from _explained(text, list(_of_pip(text)), context)


def _of_pip(text: str) -> Iterator[Demand]:
    for found in _USER.finditer(text):
        asked = requirement_of(found["asked"].replace(" and ", ",").strip())
        if asked is not None:
            yield Demand("", "", asked)
    for found in _DEPENDS.finditer(text):
        asked = requirement_of(found["asked"].partition(";")[0].replace(" and ", ",").strip())
        if asked is not None:
            yield Demand(found["by"], found["version"], asked)


def _of_uv(text: str) -> Iterator[Demand]:
    joined = " ".join(text.split())
    for found in _UV.finditer(joined):
        asked = requirement_of(found["asked"].rstrip(",."))
        if asked is not None:
            is_own = found["by"] in {"project", "you"}
            pin = (found["pin"] or "").removeprefix("==")
            yield Demand("" if is_own else found["by"], pin, asked)
    for found in _UV_OWN.finditer(joined):
        for each in found[1].split(" and "):
            asked = requirement_of(each.rstrip(",."))
            if asked is not None:
                yield Demand("", "", asked)


def _explained(text: str, demands: list[Demand], context: Context) -> Iterator[Explanation]:
    pair = next(filter(_contradicts, combinations(demands, 2)), None)
    if pair is None:
        return
    one, other = pair
    by_package = other if other.by else one
    by_user = one if by_package is other else other
    name = canonicalize_name(one.asked.name)
    for each in pair:
        context.saw(
            f"{each.by} {each.version}".strip() or "this project", str(each.asked), "the log"
        )
    actions = []
    fitting = requirements.newest(name, by_package.asked.specifier)
    if not by_user.by:
        wanted = f"{name}=={fitting}" if fitting is not None else str(by_package.asked)
        actions.append(
            Action(f"change {by_user.asked} to {shortened(wanted)} in your requirements")
        )
        release = _release_taking(by_package, by_user) if by_package.by else ""
        if release:
            actions.append(Action(f"or keep it, and require {release}"))
    else:
        release = _release_taking(by_package, by_user) or _release_taking(by_user, by_package)
        if release:
            actions.append(Action(f"require {release}, which takes both"))
        else:
            text = f"take other releases of {one.by} or {other.by}: rocmlint stack compatible"
            actions.append(Action(text))
    yield made(
        context,
        "conflicting-requirements",
        f"{one}, and {other}: no release of {name} meets both",
        weight=_WEIGHT,
        actions=tuple(actions),
        confirm=pip(context, "check").text,
        rules=("ROC203",),
        message=next((each.strip() for each in text.splitlines() if each.strip()), ""),
    )


def _contradicts(pair: tuple[Demand, Demand]) -> bool:
    """Return whether two demands on one package have no known release in common."""
    one, other = pair
    name = canonicalize_name(one.asked.name)
    if name != canonicalize_name(other.asked.name) or one.by == other.by:
        return False
    both = one.asked.specifier & other.asked.specifier
    known = requirements.releases(name)
    if not known and any(each.operator in {">", "!="} for each in both):
        return False  # what lies between two bounds is not known
    versions = [each for pin in both if (each := version_of(pin.version.removesuffix(".*")))]
    return not any(both.contains(each, prereleases=True) for each in (*known, *versions))


def _release_taking(package: Demand, other: Demand) -> str:
    """Return the newest release of a package that takes what another demands of a third."""
    name, third = canonicalize_name(package.by), canonicalize_name(package.asked.name)
    for release in reversed(requirements.releases(name)):
        if requirements.is_yanked(name, release):
            continue
        asked = requirements.applicable(requirements.requirements(name, release) or ())
        specifiers = [each.specifier for each in asked if canonicalize_name(each.name) == third]
        both = SpecifierSet(str(other.asked.specifier))
        for each in specifiers:
            both &= each
        if specifiers and requirements.newest(third, both) is not None:
            return f"{name}=={release}"
    return ""
