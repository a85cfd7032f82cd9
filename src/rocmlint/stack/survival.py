"""Whether torch is still the build that was written down, and if not, who replaced it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.stack.installed.distributions import is_of_torch
from rocmlint.stack.recorded.contradictions import Contradiction, contradictions
from rocmlint.stack.recorded.state import State, kept_state, state_of
from rocmlint.stack.recorded.way_back import way_back
from rocmlint.stack.upgrade.steps import Steps
from rocmlint.stack.verdicts import is_met
from rocmlint.text.words import few
from rocmlint.text.written import holds, version_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rocmlint.stack.installed.distributions import Distribution, Environment
    from rocmlint.stack.installed.torch_build import TorchBuild
    from rocmlint.stack.recorded.state import Frozen

_SHOWN = 8
_TOGETHER = 600
"""Seconds between the files of one run of an installer, which may download for minutes."""


@dataclass(frozen=True)
class ChangedPackage:
    """A package that is another than it was; None for one that is new, or gone."""

    name: str
    before: str | None
    now: str | None
    note: str = ""


@dataclass(frozen=True)
class Survival:
    """The answer. ``torch`` is what is there now.

    ``damage`` says what is no longer as it was (the build of torch, and what only works with it),
    ``unread`` what could not be compared. ``others`` have changed and leave torch alone.
    """

    torch: TorchBuild | None
    frozen: State | None
    damage: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    others: tuple[ChangedPackage, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    """Packages that will contradict the old build when it is back."""
    elsewhere: str = ""
    """The interpreter that was written down, if it is in another folder than the one asked."""
    keeps_torch: bool = False
    """Whether torch itself is as it was, whatever became of what belongs to it."""

    @property
    def exit_code(self) -> int:
        """1 for damage, 3 where something could not be compared, else 0."""
        return 1 if self.damage else 3 if self.unread else 0


def survived(
    environment: Environment, frozen: State | None, rocm: str = "", constraints: str = ""
) -> Survival:
    """Compare what is installed with what was written down.

    Without a record it still says whether torch is a ROCm build. ``rocm`` is the ROCm that is here,
    ``constraints`` the path of a constraints file, to be named in commands in place of torch.
    """
    now = state_of(environment, "", rocm)
    if frozen is None:
        return _without_state(now.torch)
    changed = tuple(_changes(frozen, now))
    family = tuple(each for each in changed if is_of_torch(each.name))
    of_torch = tuple(_torch_damage(frozen, now))
    damage = tuple(dict.fromkeys((*of_torch, *_family_damage(family))))
    names = dict.fromkeys(each.name for each in family)
    names |= {"torch": None} if of_torch else {}
    return Survival(
        now.torch,
        frozen,
        damage,
        () if damage else tuple(_unread(frozen, now)),
        tuple(_suspects(environment, frozen, changed, names)) if damage else (),
        tuple(way_back(Steps(environment), frozen, names)) if damage else (),
        tuple(each for each in changed if not is_of_torch(each.name)),
        tuple(_contradictions(environment, frozen, constraints)) if damage else (),
        _elsewhere(frozen, environment),
        "torch" not in names,
    )


def _contradictions(
    environment: Environment, frozen: State, constraints: str
) -> Iterator[Contradiction]:
    keep = replace(kept_state(frozen), constraints=constraints)
    return contradictions(environment, frozen, Steps(environment), keep)


def _elsewhere(frozen: State, environment: Environment) -> str:
    """Compare folders: python and python3.11 of one folder are one interpreter."""
    folders = map(os.path.dirname, (frozen.executable, environment.executable))
    return "" if len(set(folders)) == 1 else frozen.executable


def _without_state(torch: TorchBuild | None) -> Survival:
    if torch is None:
        return Survival(None, None, ("torch is not installed",))
    if torch.problem:
        return Survival(torch, None, (torch.problem,))
    unread = ("nothing was recorded to compare with; use rocmlint stack freeze before an install",)
    if torch.kind == "unknown":
        return Survival(torch, None, (), (f"{torch}", *unread))
    if torch.kind != "HIP":
        return Survival(torch, None, (f"{torch}",))
    return Survival(torch, None, (), unread)


def _changes(frozen: State, now: State) -> Iterator[ChangedPackage]:
    before = {each.name: each for each in frozen.distributions}
    after = {each.name: each for each in now.distributions}
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        versions = (old.version if old else None, new.version if new else None)
        if versions[0] != versions[1]:
            yield ChangedPackage(name, *versions)
        elif old and new and old.record and new.record and old.record != new.record:
            yield ChangedPackage(name, *versions, "the same version with other files")


def _torch_damage(frozen: State, now: State) -> Iterator[str]:
    before, after = frozen.torch, now.torch
    if before is None:
        return
    if after is None:
        yield f"torch is gone: it was {before.version}"
        return
    if after.problem and after.problem != before.problem:
        yield after.problem
    if before.kind != after.kind:
        yield f"torch was {_kind(before)} and is now {_kind(after)}"
    for name, old, new in (
        ("HIP", before.hip, after.hip),
        ("CUDA", before.cuda, after.cuda),
        ("commit", before.git, after.git),
    ):
        if old != new and before.kind == after.kind:
            yield f"torch's {name} was {old or 'none'} and is now {new or 'none'}"


def _kind(torch: TorchBuild) -> str:
    return str(torch).partition(", ")[2]


def _family_damage(family: tuple[ChangedPackage, ...]) -> Iterator[str]:
    for each in family:
        if each.before is None:
            yield f"{each.name} {each.now} is new"
        elif each.now is None:
            yield f"{each.name} is gone: it was {each.before}"
        elif each.note:
            yield f"{each.name} {each.now} is {each.note}"
        else:
            yield f"{each.name} was {each.before} and is now {each.now}"


def _unread(frozen: State, now: State) -> Iterator[str]:
    before, after = frozen.get("torch"), now.get("torch")
    if frozen.torch is None:
        yield f"torch was not installed when the state was recorded ({frozen.made})"
    elif before is None or after is None or not before.record or not after.record:
        yield (
            "torch has no RECORD: its version.py is unchanged, but its other files "
            "cannot be compared"
        )


def _suspects(
    environment: Environment,
    frozen: State,
    changed: tuple[ChangedPackage, ...],
    replaced: Collection[str],
) -> Iterator[str]:
    """Name the packages that demand the new torch; else what came with it."""
    torch, before = environment.get("torch"), frozen.get("torch")
    if torch is None or before is None:
        return
    named = False
    for package in environment.distributions:
        demand = _demands_other(package, before, torch, environment)
        if demand:
            named = True
            moved = any(each.name == package.name for each in changed)
            since = "has been installed or changed since, and " if moved else ""
            yield f"{package} {since}requires {demand}, which {before.version} does not meet"
    new = _newest(environment, replaced)
    if new is None:  # what belonged to torch is gone, which no file tells the time of
        return
    when = _when(new.changed)
    by = f" by {new.installer}" if new.installer else ""
    if when:
        yield f"{new} was installed{by} at {when}"
    beside = [] if named else _beside(environment, new, changed)
    if beside:
        yield f"installed within ten minutes of it: {few(beside, _SHOWN)}"


def _demands_other(
    package: Distribution, before: Frozen, torch: Distribution, environment: Environment
) -> str:
    """Return the requirement that the old torch does not meet and the new one does."""
    old, new = version_of(before.version), torch.parsed
    for each in package.requires:
        if canonicalize_name(each.name) != "torch" or old is None or new is None:
            continue
        if not holds(each.marker, {**environment.markers, "extra": ""}):
            continue
        if is_met(each.specifier, new) and not is_met(each.specifier, old):
            return f"torch{each.specifier}"
    return ""


def _newest(environment: Environment, replaced: Collection[str]) -> Distribution | None:
    """Return what was replaced: torch, or else the last of what is built with it."""
    there = [each for each in environment.distributions if each.name in replaced]
    return max(there, key=lambda each: (each.name == "torch", each.changed or 0), default=None)


def _beside(
    environment: Environment, new: Distribution, changed: tuple[ChangedPackage, ...]
) -> list[str]:
    names = {each.name for each in changed if not is_of_torch(each.name)}
    return [
        str(each)
        for each in environment.distributions
        if each.name in names
        and each.changed is not None
        and new.changed is not None
        and abs(each.changed - new.changed) < _TOGETHER
    ]


def _when(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M} UTC"
