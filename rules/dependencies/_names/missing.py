"""One record of what a file asks of a package in vain: which versions lack it, and since when."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.text.written import minor_release

from .overlays import is_own
from .published_names import has_successor, replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import libcst as cst
    from packaging.version import Version

    from rocmlint.project.installed_names import InstalledNames
    from rocmlint.project.versions import Candidate
    from rocmlint.published.names import History
    from rocmlint.published.replacements import Replacement
    from rocmlint.rule import Severity, Source

LONGEST_MESSAGE = 100
_LONG = 20
"""Releases without a name after which no project of today needs an older one by chance."""
_FOR_ALL = re.compile(
    r"(?:\A|/)(?:requirements\.(?:txt|in)|environment\.ya?ml|pyproject\.toml|setup\.(?:py|cfg)"
    r"|Pipfile)\Z"
)
"""The lists that are installed for every purpose; the name of another one says for which."""


@dataclass(frozen=True)
class Missing:
    """A name, an attribute or a keyword that the versions a file may run with lack.

    It is made once for each file. Excuses, advice, fixes and messages only read it.

    Args:
        dotted: the name, or the class or callable of which the attribute or keyword is.
        name: how it is called without its owner.
        history: in which versions it is there; None where that is not known.
        candidates: the versions that may run and lack it, the one that is judged first.
        certain: whether no version that has it may be installed.
        having: a version that is not known to lack it, which another list of the project allows.
        is_disputed: whether nobody knows which of the two lists counts.
    """

    dotted: str
    name: str
    history: History | None
    candidates: tuple[Candidate, ...]
    certain: bool
    having: Candidate | None = None
    is_disputed: bool = False

    @property
    def package(self) -> str:
        """The package, as it is imported."""
        return self.dotted.partition(".")[0]

    @property
    def version(self) -> Version:
        """The version that is judged."""
        return self.candidates[0].version

    @property
    def is_declared(self) -> bool:
        """Whether the project asks for the package, if only through another one."""
        return all(each.declared for each in self.candidates)

    @property
    def severity(self) -> Severity:
        """An error where no version that has it can be installed; prose asks for none surely."""
        in_prose = all(each.in_readme for each in self.candidates)
        return "error" if self.certain and not in_prose else "warning"

    @property
    def runs_with(self) -> str:
        """Which version counts and why: "transformers 5.23.0 is pinned in requirements.txt."."""
        other = self.having
        but = f", while {other.listed} allows {other.version}" if other is not None else ""
        return f"{self.package} {self.version} is {self.candidates[0].said}{but}."

    @cached_property
    def gone(self) -> str:
        """The release since which it is gone, "" where none had it before."""
        found = self.history.gone_since(self.version) if self.history is not None else None
        return "" if found is None else minor_release(found)

    @cached_property
    def comes(self) -> str:
        """The release that it comes with, after the judged one; "" where none is known."""
        found = self.history.there_after(self.version) if self.history is not None else None
        return "" if found is None else minor_release(found)

    @property
    def since(self) -> str:
        """Since when it is gone, or from when it exists."""
        if self.history is None:
            return "it is not there"
        if self.gone:
            return f"gone since {self.gone}"
        if self.comes:
            return f"it comes with {self.package} {self.comes}"
        return f"no version since {minor_release(self.history.versions[0])} has it"

    @cached_property
    def requirement(self) -> str:
        """The requirement that would bring it back, "" where none is known.

        Nor is one given that the project's own lower bound rules out.
        """
        if self.gone:
            return "" if self.begins_at(self.gone) else f"{self.package}<{self.gone}"
        return f"{self.package}>={self.comes}" if self.comes else ""

    @property
    def last_with(self) -> str:
        """The last release with it: "transformers 4.53 is the last with it"."""
        if self.history is None:
            return "no known release has it"
        versions = self.history.versions
        having = [each for each in versions if self.history.at(each)]
        had = [each for each in having if each < self.version]
        if had:
            return f"{self.package} {minor_release(had[-1])} is the last with it"
        if having and having[-1] == versions[-1]:
            return f"it comes with {self.package} {minor_release(having[0])}"
        if having:
            return f"only {self.package} {_releases(having[0], having[-1])} it"
        return f"no release since {minor_release(versions[0])} has it"

    def begins_at(self, release: str) -> bool:
        """Return whether the requirement's lower bound allows nothing before a release."""
        from packaging.version import Version  # noqa: PLC0415 - few files need it

        lowest = self.candidates[0].lowest
        return lowest not in {None, self.version} and lowest >= Version(release)

    def is_there_throughout(self, other: History | None) -> bool:
        """Return whether the oldest versions that may be installed have something else."""
        lowest = [each.lowest for each in self.candidates]
        return other is not None and all(
            each is not None and other.at(each) is True for each in lowest
        )

    @cached_property
    def replacement(self) -> Replacement | None:
        """What took the place of a name, as far as is known."""
        return replaced(self.dotted, self.version)

    @cached_property
    def successor(self) -> Replacement | None:
        """The name that took its place, if that is there in all versions that count."""
        found = self.replacement
        if found is None or not found.new:
            return None
        is_there = (has_successor(self.dotted, found.new, each.version) for each in self.candidates)
        return found if all(is_there) else None


@dataclass(frozen=True)
class MissingUse:
    """A node that uses what is missing."""

    node: cst.CSTNode
    missing: Missing

    @property
    def dotted(self) -> str:
        """The name that is missing, or the class or callable of what is."""
        return self.missing.dotted

    @property
    def name(self) -> str:
        """How what is missing is called without its owner."""
        return self.missing.name


def missing(
    dotted: str,
    name: str,
    history: History | None,
    source: Source,
    installed: Callable[[InstalledNames], bool | None],
) -> Missing | None:
    """Judge something of a package; None unless each version that may be installed lacks it.

    ``installed`` says whether what an environment holds has it; None if that is not known.
    """
    candidates = source.versions(dotted.partition(".")[0].replace("_", "-"))
    answers = [None if history is None else history.at(each.version) for each in candidates]
    if source.settings.environment is not None and answers != [True]:
        from rocmlint.project.environment import site_folders  # noqa: PLC0415 - few runs have one
        from rocmlint.project.installed_names import InstalledNames  # noqa: PLC0415

        folders = site_folders(source.settings.environment)
        answers.append(installed(InstalledNames(folders, source)))
        answers = [each for each in answers if each is not None]
    elif history is not None and False in answers and {*answers} != {False}:
        return _of_two_lists(dotted, name, history, candidates, source)
    if not candidates or not answers or any(each is not False for each in answers):
        return None
    certain = all(each.certain or _never_allows(each, history) for each in candidates)
    return unless_elsewhere(Missing(dotted, name, history, candidates, certain), source)


def _of_two_lists(
    dotted: str, name: str, history: History, candidates: tuple[Candidate, ...], source: Source
) -> Missing | None:
    """Judge what the version of one list lacks, and that of another has, or may have.

    What no release has had for long is missing where only lists for one purpose still allow it.
    """
    lacking = tuple(each for each in candidates if history.at(each.version) is False)
    having = tuple(each for each in candidates if each not in lacking)
    lists = ({each.listed for each in lacking}, {each.listed for each in having})
    if "" in lists[0] | lists[1] or lists[0] & lists[1]:
        return None
    if len({os.path.dirname(each) for each in lists[0] | lists[1]}) > 1:
        return None  # that of the folder above goes on where the one below names no version
    found = Missing(dotted, name, history, lacking, certain=False, having=having[0])
    latest = history.versions[-_LONG:]
    is_gone = len(latest) == _LONG and not any(history.at(each) for each in latest)
    are_for_all = [all(map(_FOR_ALL.search, each)) for each in lists]
    if is_gone and are_for_all[0] and not any(map(_FOR_ALL.search, lists[1])):
        return unless_elsewhere(found, source)
    return replace(found, is_disputed=True)


def unless_elsewhere(found: Missing, source: Source) -> Missing | None:
    """Return what is missing; None where nobody knows which release of the package runs.

    pip keeps the one that an image of the project holds, and a project may be that package itself.
    """
    if is_own(found.package, source):
        return None
    is_kept = not found.certain and source.project.is_in_image(found.package.replace("_", "-"))
    return None if is_kept else found


def _never_allows(candidate: Candidate, history: History | None) -> bool:
    """Return whether all versions that an open requirement allows lack something."""
    lowest, allowed = candidate.lowest, candidate.allowed
    if history is None or lowest is None or history.at(lowest) is not False:
        return False
    return history.is_missing_in(lambda each: allowed is None or allowed.contains(each))


def first_fitting(*texts: str) -> str:
    """Return the first text that is short enough for a message, else the last one, as it is."""
    return next((each for each in texts if len(each) <= LONGEST_MESSAGE), texts[-1])


def enumerated(names: Sequence[str], joint: str) -> str:
    """Write names as ``a``, ``b`` or ``c``."""
    listed = [f"`{each}`" for each in names]
    return f" {joint} ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


def _releases(first: Version, last: Version) -> str:
    if first == last:
        return f"{minor_release(first)} has"
    return f"{minor_release(first)} to {minor_release(last)} have"
