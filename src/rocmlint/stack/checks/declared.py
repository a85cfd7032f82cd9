"""Requirements between installed packages, from their metadata, extras counted.

``pip check`` leaves extras out, and so misses that transformers 5.23 needs torch>=2.6: it says so
in its extra ``torch`` only. Here an extra counts that is named after a package that is installed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.stack.advice.keeping import NOTHING, KeptBuilds
from rocmlint.stack.advice.remedy import remedy
from rocmlint.stack.advice.torch_command import Surroundings, surroundings_of
from rocmlint.stack.installed.distributions import PACKAGES
from rocmlint.stack.verdicts import Verdict, is_met
from rocmlint.text.written import holds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from packaging.requirements import Requirement
    from packaging.version import Version

    from rocmlint.stack.installed.distributions import Distribution, Environment

Cure = Callable[..., str]
"""A function that makes a requirement true: ``remedy``, which knows what is here."""
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']|["']([^"']+)["']\s*==\s*extra""")
_NOT_FOR_RUNNING = re.compile(
    r"(?:.+[-_.])?(?:all|bench(?:mark)?s?|build|ci|dev|develop(?:ment)?|docs?|examples?|lint"
    r"|quality|release|test(?:s|ing)?|tutorials?|types|typing)|(?:dev|docs?|tests?)[-_.].+"
)
"""Extras for who works on a package, and those that gather all others."""


@dataclass(frozen=True)
class _Demand:
    """A requirement with the extra that makes it ("" for none), and whether that extra counts.

    ``asked`` says that the extra was asked for by another requirement, or that there is none.
    """

    requirement: Requirement
    extra: str
    counts: bool
    asked: bool


def declared(
    environment: Environment, kept: KeptBuilds = NOTHING, here: Surroundings | None = None
) -> tuple[Verdict, ...]:
    """Judge each requirement between the packages of the stack, and what they require.

    What is required and not installed is a conflict too, and so is what any other package requires
    of the stack, if it is not met. What to do leaves alone what is ``kept``; ``here`` is what
    another torch would be chosen for.
    """
    cure = partial(remedy, kept=kept, here=here or surroundings_of(environment))
    asked = _asked_extras(environment)
    subjects = _subjects(environment, asked)
    names = {each.name for each in subjects}
    found: list[Verdict] = []
    for each in subjects:
        found += _unreadable(each)
        demands = list(_demands(each, environment, asked[each.name]))
        for demand in demands:
            name = canonicalize_name(demand.requirement.name)
            if name in names:
                found.append(_verdict_of(each, demand, environment, cure))
            elif _is_missing(demand, environment) and each in environment.packages:
                found.append(_missing(each, demand, environment, cure))
    found += _of_others(names, environment, cure)
    return tuple(_without_repeats(found))


def _of_others(
    subjects: Collection[str], environment: Environment, cure: Cure
) -> Iterator[Verdict]:
    """Yield what packages that are not of the stack require of it and is not met."""
    of_stack = {each.name for each in environment.packages}
    for each in environment.distributions:
        for demand in () if each.name in subjects else _demands(each, environment, set()):
            if not demand.extra and canonicalize_name(demand.requirement.name) in of_stack:
                verdict = _verdict_of(each, demand, environment, cure)
                if verdict.judgement != "fits":
                    yield verdict


def _asked_extras(environment: Environment) -> dict[str, set[str]]:
    """Find the extras that requirements ask for: ``safetensors[torch]``."""
    asked: dict[str, set[str]] = defaultdict(set)
    for each in environment.packages:
        for demand in _demands(each, environment, set()):
            if demand.counts and demand.requirement.extras:
                name = canonicalize_name(demand.requirement.name)
                asked[name].update(map(canonicalize_name, demand.requirement.extras))
    return asked


def _subjects(environment: Environment, asked: dict[str, set[str]]) -> list[Distribution]:
    """Return the packages of the stack, then what they require and is installed."""
    subjects = list(environment.packages)
    for each in environment.packages:
        for demand in _demands(each, environment, asked[each.name]):
            required = environment.get(demand.requirement.name)
            if demand.counts and required is not None and required not in subjects:
                subjects.append(required)
    return subjects


def _demands(
    distribution: Distribution, environment: Environment, asked: set[str]
) -> Iterator[_Demand]:
    for requirement in distribution.requires:
        if _holds(requirement, environment, ""):
            yield _Demand(requirement, "", counts=True, asked=True)
            continue
        extras = [one or other for one, other in _EXTRA.findall(str(requirement.marker))]
        for extra in sorted(set(extras), key=lambda each: each not in asked):
            name = canonicalize_name(extra)
            is_for_others = name not in asked and _NOT_FOR_RUNNING.fullmatch(name)
            if is_for_others or not _holds(requirement, environment, extra):
                continue
            wanted = name in asked or environment.get(name) is not None
            between = {distribution.name, canonicalize_name(requirement.name)} <= {*PACKAGES}
            if wanted or between:
                yield _Demand(requirement, extra, counts=wanted, asked=name in asked)


def _holds(requirement: Requirement, environment: Environment, extra: str) -> bool:
    return holds(requirement.marker, {**environment.markers, "extra": extra})


def _is_missing(demand: _Demand, environment: Environment) -> bool:
    return demand.asked and environment.get(demand.requirement.name) is None


def _verdict_of(
    distribution: Distribution, demand: _Demand, environment: Environment, cure: Cure
) -> Verdict:
    requirement = demand.requirement
    other = environment.get(requirement.name)
    if other is None:  # pragma: no cover - only what is installed is asked for
        return _missing(distribution, demand, environment, cure)
    verdict = Verdict(
        distribution.name,
        distribution.version,
        other.name,
        other.version,
        _text(requirement),
        "declared",
        "fits",
        demand.extra,
        source=distribution.place,
    )
    version = other.parsed
    if version is None:
        return replace(
            verdict,
            judgement="unknown",
            reason=f"{other.version!r} is not a valid version (PEP 440)",
            action=f"install a release of {other.name} with a valid version",
        )
    if is_met(requirement.specifier, version):
        return verdict
    by = f" with its extra {demand.extra!r}" if demand.extra else ""
    why = f"it requires {verdict.requirement}{by}, but {other.version} is installed"
    return replace(
        verdict,
        judgement="conflict" if demand.counts else "note",
        reason=why + _of_extras(demand) + _of_nightly(requirement, version),
        action=cure(distribution, requirement, other, demand.extra, environment.python),
    )


def _of_extras(demand: _Demand) -> str:
    if not demand.extra:
        return ""
    if demand.counts:
        return "; pip check does not look at extras"
    return f"; features of the extra {demand.extra!r} may not work"


def _of_nightly(requirement: Requirement, version: Version) -> str:
    released = type(version)(version.base_version)
    if not version.is_prerelease or not is_met(requirement.specifier, released):
        return ""
    return f"; {version} counts as older than {version.base_version}"


def _missing(
    distribution: Distribution, demand: _Demand, environment: Environment, cure: Cure
) -> Verdict:
    requirement = demand.requirement
    text = _text(requirement)
    by = f" with its extra {demand.extra!r}" if demand.extra else ""
    verdict = Verdict(
        distribution.name,
        distribution.version,
        canonicalize_name(requirement.name),
        None,
        text,
        "declared",
        "conflict",
        demand.extra,
        f"it requires {text}{by}, which is not installed",
        source=distribution.place,
    )
    names = ("triton-rocm", "pytorch-triton-rocm") if verdict.on == "triton" else ()
    renamed = next(filter(None, map(environment.get, names)), None)
    if renamed and renamed.parsed and is_met(requirement.specifier, renamed.parsed):
        why = f"{verdict.reason}, but {renamed} is: the same module under the name that it has for "
        return replace(verdict, judgement="note", reason=f"{why}ROCm; pip check reports it")
    action = cure(distribution, requirement, renamed, demand.extra, environment.python)
    return replace(verdict, action=action)


def _unreadable(distribution: Distribution) -> Iterator[Verdict]:
    for problem in distribution.problems:
        yield Verdict(
            distribution.name,
            distribution.version,
            "",
            None,
            problem.split(": ")[2] if problem.count(": ") > 1 else problem,
            "declared",
            "unknown",
            reason=problem,
            action=f"reinstall {distribution.name}: its metadata is damaged",
            source=distribution.place,
        )


def _text(requirement: Requirement) -> str:
    """Write a requirement without its marker."""
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}{requirement.specifier}"


def _without_repeats(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    """Leave out what an extra repeats: of equal requirements the one that counts most is kept."""
    kept: dict[tuple[str, str, str], Verdict] = {}
    for each in verdicts:
        key = (each.package, each.on, each.requirement)
        before = kept.get(key)
        if before is None or (before.judgement == "note" and each.judgement == "conflict"):
            kept[key] = each
    yield from kept.values()
