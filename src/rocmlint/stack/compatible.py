"""The newest releases of libraries that fit a torch, and why the next ones do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.published import requirements as published
from rocmlint.published.fitting import TORCH, SearchError, fit, for_python, why_not
from rocmlint.stack.resolve import Refusal, ResolverError, resolve
from rocmlint.stack.versions import VersionError, read_python_version, read_torch_version
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from packaging.version import Version

LIBRARIES = ("transformers", "diffusers", "accelerate", "huggingface-hub", "peft")
"""What is asked for where nothing is named."""

Answer = Literal["fits", "none fits", "unknown"]


@dataclass(frozen=True)
class Library:
    """The answer for one library."""

    package: str
    """As it was asked for, normalized, with the extras that count: ``transformers[torch]``."""
    answer: Answer
    version: str | None
    """The newest release that fits torch and the other libraries."""
    following: str | None
    """The release after it, which does not fit; None where there is none."""
    reason: str
    """Why ``following`` does not fit, or why there is no answer; empty where there is nothing to
    explain."""


@dataclass(frozen=True)
class Compatible:
    """The newest releases that fit a torch, together."""

    torch: str
    """The release that was chosen, where more than one was meant (2.4 is 2.4.0 and 2.4.1)."""
    python: str
    libraries: tuple[Library, ...]
    source: Literal["uv", "shipped data"]
    as_of: str
    """The day whose releases were known."""
    notes: tuple[str, ...] = ()
    """Why uv was not asked, or what else should be known of the answer, a line each."""
    together: bool = True
    """False where each library fits torch, but they do not fit each other: each stands alone."""


def compatible(
    torch: str,
    packages: Iterable[str] = LIBRARIES,
    *,
    python: str = "3.11",
    ask_uv: bool = True,
    timeout: float = 60,
) -> Compatible:
    """Find the newest releases of packages that fit a torch, together, on Linux.

    ``torch`` is a release (``2.4.1``, ``2.4.1+rocm6.1``), all releases of a minor version
    (``2.4``), or a nightly build; ``packages`` are names, with extras or versions as pip takes
    them; an extra ``torch`` counts without being named, since only it tells what transformers and
    diffusers need. ``python`` is major.minor. uv answers where it is installed and reaches an
    index, within ``timeout`` seconds for each question, else the metadata that are shipped.

    Raises VersionError, also where there is no such torch or it is not for this Python, and
    SearchError where the shipped metadata of so many packages take too long.
    """
    python = read_python_version(python)
    asked = _read(packages)
    release, notes = _torch(torch)
    if ask_uv and not release.fixed:
        try:
            return _answer(asked, _Uv(_patch(release, asked, python), python, timeout))
        except ResolverError as error:
            notes = (*notes, f"uv was not used: {error}")
    answer = _answer(asked, _Shipped(release, python))
    unseen = f"checked for Python {python} by Requires-Python only; uv also looks at the wheels"
    return replace(answer, notes=(*notes, *answer.notes, unseen))


@dataclass(frozen=True)
class _Torch:
    """Which torch is meant."""

    requirement: Requirement
    fixed: Version | None = None
    """Where it is not a release: a nightly build."""


def _torch(text: str) -> tuple[_Torch, tuple[str, ...]]:
    """Read a version of torch, and what is to be told of it. Raises VersionError."""
    version = read_torch_version(text)
    known = published.releases(TORCH)
    public = version.public
    if version.is_prerelease:
        note = f"torch {public} is not a release, so its own requirements are unknown"
        return _Torch(Requirement(f"{TORCH}=={public}"), version), (note,)
    every = SpecifierSet(f"=={public}.*" if len(version.release) < 3 else f"=={public}")
    if any(map(every.contains, known)):
        return _Torch(Requirement(f"{TORCH}{every}")), ()
    if version > known[-1]:
        return _Torch(Requirement(f"{TORCH}{every}")), ()
    near = [str(each) for each in known if each.release[:2] == version.release[:2]]
    message = f"there is no torch {public}"
    message += f"; available in that minor version: {', '.join(near)}" if near else ""
    raise VersionError(message)


def _patch(torch: _Torch, asked: Mapping[str, _Read], python: str) -> _Torch:
    """Choose the patch release of a minor version that has most to go with it.

    uv would take the newest before it looks at the libraries, and then no vllm that pins another.
    """
    known = [each for each in _goals(asked) if published.releases(each.name)]
    found = _first_guess((*known, torch.requirement), python)
    return _Torch(Requirement(f"{TORCH}=={found[TORCH]}")) if found else torch


def _first_guess(goals: Sequence[Requirement], python: str) -> Mapping[str, Version] | None:
    """Ask the shipped metadata where uv answers in the end."""
    try:
        return fit(goals, python)
    except SearchError:
        return None


_Read = Requirement | Library
"""A package that is asked for, or the answer for what is not a package's name."""


def _read(packages: Iterable[str]) -> dict[str, _Read]:
    """Read the names, and give the extra ``torch`` to those that have it."""
    asked: dict[str, _Read] = {}
    for text in packages:
        goal = requirement_of(text)
        if goal is None or goal.url:
            asked[text] = Library(
                text, "unknown", None, None, f"{text!r} is not a valid package name"
            )
            continue
        goal.name, goal.marker = canonicalize_name(goal.name), None
        if _extra_counts(goal):
            goal.extras = goal.extras | {TORCH}
        asked[goal.name] = goal
    return asked


def _goals(asked: Mapping[str, _Read]) -> list[Requirement]:
    return [each for each in asked.values() if isinstance(each, Requirement)]


def _extra_counts(goal: Requirement) -> bool:
    """Return whether the extra ``torch`` of the newest release asks for a version of torch."""
    newest = published.newest(goal.name, goal.specifier)
    required = published.requirements(goal.name, newest) if newest else None
    return any(
        each.name == TORCH and each.specifier and f'extra == "{TORCH}"' in str(each.marker)
        for each in required or ()
    )


class _Shipped:
    """Answers from the metadata that are shipped."""

    source: Literal["uv", "shipped data"] = "shipped data"

    def __init__(self, torch: _Torch, python: str) -> None:
        self.torch, self.python, self.as_of = torch, python, published.AS_OF

    def solve(self, goals: Sequence[Requirement]) -> Mapping[str, Version] | Refusal:
        """Choose releases that fit together."""
        for each in goals:
            if not published.releases(each.name):
                reason = f"{each.name} is not among the packages that rocmlint knows"
                return Refusal(f"{reason}; uv knows all packages", each.name)
        if self.torch.fixed is not None:
            found = fit(goals, self.python, {TORCH: self.torch.fixed})
        else:
            found = fit((*goals, self.torch.requirement), self.python)
        return found or Refusal("no compatible releases")

    def newest(self, goals: Sequence[Requirement]) -> Mapping[str, Version]:
        """Return the newest releases, whatever they require."""
        found = ((each.name, published.newest(each.name, each.specifier)) for each in goals)
        return {name: version for name, version in found if version is not None}


def _no_older(goal: Requirement, version: Version | None) -> Requirement:
    if version is None:
        return goal
    bounded = Requirement(str(goal))
    bounded.specifier &= SpecifierSet(f">={version}")
    return bounded


class _Uv:
    """Answers from uv and the index that it is configured for."""

    source: Literal["uv", "shipped data"] = "uv"

    def __init__(self, torch: _Torch, python: str, timeout: float) -> None:
        self.torch, self.python, self.timeout = torch, python, timeout
        self.as_of = datetime.now(timezone.utc).date().isoformat()

    def solve(self, goals: Sequence[Requirement]) -> Mapping[str, Version] | Refusal:
        """Choose releases that fit together. Raises ResolverError.

        First no older ones than the shipped metadata allow: what uv cannot read, as it has only
        an sdist, would send it back for years of releases.
        """
        known = [each for each in goals if published.releases(each.name)]
        floors = _first_guess((*known, self.torch.requirement), self.python)
        if floors:
            found = self._resolve([_no_older(each, floors.get(each.name)) for each in goals])
            if not isinstance(found, Refusal):
                return found
        return self._resolve(goals)

    def _resolve(self, goals: Sequence[Requirement]) -> Mapping[str, Version] | Refusal:
        lines = [*map(str, goals), str(self.torch.requirement)]
        return resolve(lines, self.python, timeout=self.timeout)

    def newest(self, goals: Sequence[Requirement]) -> Mapping[str, Version]:
        """Return the newest releases, whatever they require. Raises ResolverError."""
        lines = [f"{each.name}{each.specifier}" for each in goals]
        found = resolve(lines, self.python, timeout=self.timeout, alone=True) if lines else {}
        return {} if isinstance(found, Refusal) else found


def _answer(asked: Mapping[str, _Read], by: _Shipped | _Uv) -> Compatible:
    """Ask for all together; where that has no answer, leave out what fits no torch like this."""
    goals = _goals(asked)
    found, refused, together = by.solve(goals), {}, True
    if isinstance(found, Refusal):
        torch = by.solve(())
        if isinstance(torch, Refusal):
            raise VersionError(_no_torch(by, torch))
        alone = {each.name: by.solve([each]) for each in goals}
        refused = {name: each for name, each in alone.items() if isinstance(each, Refusal)}
        found = by.solve([each for each in goals if each.name not in refused])
        if isinstance(found, Refusal):
            fitting = {
                name: each[name] for name, each in alone.items() if not isinstance(each, Refusal)
            }
            together, found = False, {**fitting, TORCH: torch[TORCH]}
    explain = _Explanation(by, {each.name: each for each in goals}, found)
    answers = {
        **explain.fitting([each.name for each in goals if each.name not in refused]),
        **{name: explain.refused(name, each) for name, each in refused.items()},
    }
    return Compatible(
        str(found[TORCH]),
        by.python,
        tuple(each if isinstance(each, Library) else answers[each.name] for each in asked.values()),
        by.source,
        by.as_of,
        () if together else explain.conflicts(),
        together,
    )


def _no_torch(by: _Shipped | _Uv, refusal: Refusal) -> str:
    """Return why there is no torch to choose."""
    asked = by.torch.requirement
    version = published.newest(TORCH, asked.specifier)
    if version is None and by.source != "uv":
        return f"{asked} is unknown (as of {by.as_of}); uv knows newer releases"
    reason = version and why_not(TORCH, version, {}, {}, by.python)
    return f"{asked} cannot be installed: {reason or refusal.reason}"


@dataclass(frozen=True)
class _Explanation:
    """What was asked and chosen, to explain it."""

    by: _Shipped | _Uv
    goals: Mapping[str, Requirement]
    chosen: Mapping[str, Version]

    def fitting(self, names: Sequence[str]) -> dict[str, Library]:
        """Describe what fits."""
        after = {name: self._after(name) for name in names if name != TORCH}
        last = [self.goals[name] for name, version in after.items() if version is None]
        # Where the shipped data end, the index may go on.
        after |= {
            name: version
            for name, version in self.by.newest(last).items()
            if version > self.chosen[name]
        }
        return {name: self._fits(name, after.get(name)) for name in names}

    def conflicts(self) -> tuple[str, ...]:
        """Return what stands between libraries that only fit torch, each for itself."""
        reasons = (self._why_not(name, version) for name, version in self.chosen.items())
        return tuple(dict.fromkeys(filter(None, reasons)))

    def refused(self, name: str, refusal: Refusal) -> Library:
        """Describe a library of which no release fits."""
        if refusal.unknown is not None:
            return Library(self._name(name), "unknown", None, None, refusal.reason)
        reason = self._why_none(name)
        if not reason and not self.by.newest([self.goals[name]]):
            reason = f"no release for Python {self.by.python} is {self.goals[name].specifier}"
        if not reason:
            reason = (
                f"its requirements are not compatible with torch {self.chosen[TORCH]}"
                f": {refusal.reason}"
            )
        return Library(self._name(name), "none fits", None, None, reason)

    def _why_none(self, name: str) -> str:
        """Explain it by the newest release for this Python, or by Python where there is none."""
        newest = published.newest(name, self.goals[name].specifier)
        wanted = (
            each for each in reversed(published.releases(name)) if self._is_wanted(name, each)
        )
        at = next(wanted, newest)
        return self._why_not(name, at) if at else ""

    def _is_wanted(self, name: str, version: Version) -> bool:
        asks = published.requires_python(name, version)
        in_goal = self.goals[name].specifier.contains(version)
        return in_goal and asks is not None and for_python(asks, self.by.python)

    def _fits(self, name: str, after: Version | None) -> Library:
        reason = ""
        if after is not None:
            reason = self._why_not(name, after) or self._why_not_at_all(name, after)
        following = str(after) if after else None
        return Library(self._name(name), "fits", str(self.chosen[name]), following, reason)

    def _after(self, name: str) -> Version | None:
        """Return the release after the chosen one that an index would choose."""
        specifier = self.goals[name].specifier & SpecifierSet(f">{self.chosen[name]}")
        return next(
            (
                each
                for each in published.releases(name)
                if specifier.contains(each) and not published.is_yanked(name, each)
            ),
            None,
        )

    def _why_not(self, name: str, version: Version) -> str:
        extras = {each: frozenset(goal.extras) for each, goal in self.goals.items()}
        return why_not(name, version, self.chosen, extras, self.by.python)

    def _why_not_at_all(self, name: str, version: Version) -> str:
        """Ask the resolver for this very release, where its own metadata do not explain it."""
        exact = Requirement(f"{self._name(name)}=={version}")
        answer = self.by.solve([exact])
        if isinstance(answer, Refusal):
            return answer.reason
        return f"{name} {version} is compatible with torch, but not with the other libraries"

    def _name(self, name: str) -> str:
        extras = ",".join(sorted(self.goals[name].extras))
        return f"{name}[{extras}]" if extras else name
