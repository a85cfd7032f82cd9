"""Why a release is the newest that is compatible with a torch, and why a package has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rocmlint.published import requirements as published
from rocmlint.published.fitting import TORCH, for_python, shown, up_to_date, why_not
from rocmlint.stack.resolution.uv import UvRefusal
from rocmlint.stack.wheels.install import COMPANIONS, released_with
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from rocmlint.stack.resolution.resolvers import Shipped, Uv


@dataclass(frozen=True)
class ReleaseExplanation:
    """The question and the releases that were chosen, to explain them."""

    by: Shipped | Uv
    goals: Mapping[str, Requirement]
    chosen: Mapping[str, Version]

    def following(self, names: Sequence[str]) -> dict[str, Version]:
        """Return for each package the newer release that is worth an explanation.

        That is the newest one that takes this torch by itself, else the one after the chosen one:
        from there on torch is too old.
        """
        after = {name: self._after(name) for name in names if name != TORCH}
        last = [self.goals[name] for name, version in after.items() if version is None]
        # Where the shipped data end, the index may go on.
        newest = self.by.newest(last)
        return {name: version for name, version in after.items() if version is not None} | {
            name: version for name, version in newest.items() if version > self.chosen[name]
        }

    def of_newer(self, name: str, version: Version) -> str:
        """Return why a release newer than the chosen one was not chosen. Empty: nothing is."""
        reason = self._why_not(name, version)
        if reason:
            return reason
        exact = self._exactly(name, version)
        alone = self.by.solve([exact])
        if isinstance(alone, UvRefusal):
            return self._brings_other(name, version) or self._refused(name, version, alone)
        others = [goal for other, goal in self.goals.items() if other not in {name, TORCH}]
        if not others:
            return ""
        against = [
            each.name for each in others if isinstance(self.by.solve([exact, each]), UvRefusal)
        ]
        which = " or ".join(against) or f"{', '.join(each.name for each in others)} all together"
        return f"{name} {version} is compatible with torch, but not with {which}"

    def of_none(self, name: str, refusal: UvRefusal) -> str:
        """Return why no release fits: by the newest one that is about such a torch."""
        if name == TORCH:
            other = self.goals[name].specifier
            return f"this is about torch {self.chosen[TORCH]}, not torch{other}"
        release = self._that_matters(name)
        reason = self._why_not(name, release, alone=True) if release else ""
        if not reason and release is not None:
            reason = self._brings_other(name, release)
        if reason:
            return reason
        if not self.by.newest([self.goals[name]]):
            bounds = self.goals[name].specifier
            none = f"no release for Python {self.by.python} satisfies {bounds}"
            return none if bounds else refusal.reason
        if release is None:
            torch = f"torch {self.chosen[TORCH]}"
            return f"its requirements are not compatible with {torch}: {refusal.reason}"
        exact = self.by.solve([self._exactly(name, release)])
        return self._refused(name, release, exact if isinstance(exact, UvRefusal) else refusal)

    def conflicts(self) -> tuple[str, ...]:
        """Return the conflicts between libraries that only fit torch, each for itself."""
        reasons = (self._why_not(name, version) for name, version in self.chosen.items())
        return tuple(dict.fromkeys(filter(None, reasons)))

    def shown_name(self, name: str) -> str:
        """Return a package with the extras that count."""
        extras = ",".join(sorted(self.goals[name].extras))
        return f"{name}[{extras}]" if extras else name

    def _after(self, name: str) -> Version | None:
        newer = [
            each
            for each in published.releases(name)
            if each > self.chosen[name]
            and self.goals[name].specifier.contains(each)
            and not published.is_yanked(name, each)
        ]
        takes = [each for each in newer if self._runs(name, each) and self._takes(name, each)]
        return takes[-1] if takes else next(iter(newer), None)

    def _that_matters(self, name: str) -> Version | None:
        """Return the newest release that takes this torch, or else one of its minor version.

        Else the newest that runs on this Python, or the newest at all.
        """
        goal, torch = self.goals[name], self.chosen[TORCH]
        extras = frozenset(goal.extras)
        meant = [
            each
            for each in up_to_date(name, torch, goal.specifier, extras, self.by.python)
            if self._runs(name, each)
        ]
        near = [
            each
            for each in published.releases(TORCH)
            if minor_release(each) == minor_release(torch)
        ]
        for wanted in ([torch], near):
            for each in meant:
                if any(self._takes(name, each, one) for one in wanted):
                    return each
        return next(iter(meant), published.newest(name, goal.specifier))

    def _runs(self, name: str, version: Version) -> bool:
        asks = published.requires_python(name, version)
        return asks is not None and for_python(asks, self.by.python)

    def _takes(self, name: str, version: Version, torch: Version | None = None) -> bool:
        """Return whether a release takes a torch, as its own metadata say, or the table."""
        torch = torch or self.chosen[TORCH]
        belongs = self._belongs(name, torch)
        if belongs:
            return str(version) == belongs
        asked = self._asked_of_torch(name, version)
        return asked is None or asked.contains(torch, prereleases=True)

    def _belongs(self, name: str, torch: Version) -> str:
        """Return the torchvision or torchaudio that belongs to a release of torch; or nothing."""
        is_one = name in COMPANIONS and not torch.is_prerelease
        return released_with(name, str(torch)) if is_one else ""

    def _asked_of_torch(self, name: str, version: Version) -> SpecifierSet | None:
        try:
            extras = self.goals[name].extras
            return published.torch_requirement(name, version, extras, self.by.python)
        except KeyError:
            return None

    def _why_not(self, name: str, version: Version, *, alone: bool = False) -> str:
        """Return the conflicts of a release with torch, or with another package of the question.

        Their own requirements often allow another release, and explain nothing. Of a release that
        only the index knows, nothing is known here.
        """
        reason = ""
        if version in published.releases(name):
            extras = {each: frozenset(goal.extras) for each, goal in self.goals.items()}
            asked = {TORCH} if alone else {TORCH, *self.goals}
            beside = {each: chosen for each, chosen in self.chosen.items() if each in asked}
            reason = why_not(name, version, beside, extras, self.by.python)
        belongs = self._belongs(name, self.chosen[TORCH])
        if not reason and belongs not in {"", str(version)}:
            reason = f"{name} {belongs} belongs to torch {self.chosen[TORCH]}"
        return reason

    def _brings_other(self, name: str, version: Version) -> str:
        """Return which release that another one pins does not take the torch."""
        torch, python = self.chosen[TORCH], self.by.python
        required = published.requirements(name, version) or ()
        for each in published.applicable(required, self.goals[name].extras, python):
            pinned = published.pin(each.specifier)
            if pinned is None or canonicalize_name(each.name) == TORCH:
                continue
            try:
                asked = published.torch_requirement(each.name, pinned, each.extras, python)
            except KeyError:
                continue
            if asked is not None and not asked.contains(torch, prereleases=True):
                by = f"{name} {version} requires {each.name}=={pinned}"
                return f"{by}, which requires torch{shown(asked)}"
        return ""

    def _refused(self, name: str, version: Version, refusal: UvRefusal) -> str:
        """Return why a release that takes the torch by itself cannot be installed."""
        said = f"{name} {version} accepts torch {self.chosen[TORCH]}, but"
        if self.by.source == "uv":
            return f"{said} cannot be installed: {refusal.reason}"
        return f"{said} the packages that it requires have no release that does"

    def _exactly(self, name: str, version: Version) -> Requirement:
        return Requirement(f"{self.shown_name(name)}=={version}")
