"""Whether something is missing in every version that a file may run with, and how to say so."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.paths import relative
from rocmlint.published.replacements import GONE_BEFORE

from .overlays import is_own
from .published_names import history

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import libcst as cst
    from packaging.version import Version

    from rocmlint.project.installed_names import InstalledNames
    from rocmlint.project.versions import Candidate
    from rocmlint.published.names import History
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
class MissingName:
    """Missing: in which version, and whether in every version that may be installed.

    ``dotted`` is the name that is missing, or the class or callable of what is.
    """

    dotted: str
    candidate: Candidate
    candidates: tuple[Candidate, ...]
    certain: bool
    having: Candidate | None = None
    """A version that is not known to lack it, which another list of the project allows."""
    is_disputed: bool = False
    """Whether nobody knows which of the two lists counts."""

    @property
    def is_declared(self) -> bool:
        """Whether the project asks for the package, if only through another one."""
        return all(each.declared for each in self.candidates)

    def is_reported(self, *, declared: bool) -> bool:
        """Return whether a rule about packages that are ``declared``, or are not, reports it."""
        return self.is_declared is declared and not self.is_disputed

    @property
    def severity(self) -> Severity:
        """An error where no version that has it can be installed; prose asks for none surely."""
        in_prose = all(each.in_readme for each in self.candidates)
        return "error" if self.certain and not in_prose else "warning"


@dataclass(frozen=True)
class MissingUse:
    """A node that uses what is missing; ``name`` is how that is called without its owner."""

    node: cst.CSTNode
    name: str
    judgement: MissingName

    @property
    def dotted(self) -> str:
        """The name that is missing, or the class or callable of what is."""
        return self.judgement.dotted

    @property
    def history(self) -> History | None:
        """In which versions it is there; None where that is not known."""
        return history(self.dotted)


def missing(
    dotted: str,
    has: Callable[[Version], bool | None],
    source: Source,
    installed: Callable[[InstalledNames], bool | None],
) -> MissingName | None:
    """Judge something of a package; None unless each version that may be installed lacks it.

    ``has`` says whether a version has it, ``installed`` whether what an environment holds
    has it; both give None if that is not known.
    """
    package = dotted.partition(".")[0]
    candidates = source.versions(package.replace("_", "-"))
    answers = [has(each.version) for each in candidates]
    if source.settings.environment is not None and answers != [True]:
        from rocmlint.project.environment import site_folders  # noqa: PLC0415 - few runs have one
        from rocmlint.project.installed_names import InstalledNames  # noqa: PLC0415

        folders = site_folders(source.settings.environment)
        answers.append(installed(InstalledNames(folders, source)))
        answers = [each for each in answers if each is not None]
    elif False in answers and {*answers} != {False}:
        return _of_two_lists(dotted, has, candidates, source)
    if not candidates or not answers or any(each is not False for each in answers):
        return None
    first = candidates[0]
    certain = all(each.certain or _never_allowed(each, package, has) for each in candidates)
    return unless_elsewhere(MissingName(dotted, first, candidates, certain), source)


def _of_two_lists(
    dotted: str,
    has: Callable[[Version], bool | None],
    candidates: tuple[Candidate, ...],
    source: Source,
) -> MissingName | None:
    """Judge what the version of one list lacks, and that of another has, or may have.

    What no release has had for long is missing where only lists for one purpose still allow it.
    """
    from rocmlint.published.names import names_of  # noqa: PLC0415 - few files need it

    lacking = tuple(each for each in candidates if has(each.version) is False)
    having = tuple(each for each in candidates if each not in lacking)
    lists = ({each.listed for each in lacking}, {each.listed for each in having})
    if "" in lists[0] | lists[1] or lists[0] & lists[1]:
        return None
    if len({os.path.dirname(each) for each in lists[0] | lists[1]}) > 1:
        return None  # that of the folder above goes on where the one below names no version
    known = names_of(dotted.partition(".")[0])
    latest = () if known is None else known.versions[-_LONG:]
    is_gone = len(latest) == _LONG and not any(has(each) for each in latest)
    are_for_all = [all(map(_FOR_ALL.search, each)) for each in lists]
    if is_gone and are_for_all[0] and not any(map(_FOR_ALL.search, lists[1])):
        found = MissingName(dotted, lacking[0], lacking, False, having[0])
        return unless_elsewhere(found, source)
    return MissingName(dotted, lacking[0], lacking, False, having[0], is_disputed=True)


def unless_elsewhere(judgement: MissingName, source: Source) -> MissingName | None:
    """Return a judgement; None where nobody knows which release of the package runs.

    pip keeps the one that an image of the project holds, and a project may be that package itself.
    """
    package = judgement.dotted.partition(".")[0]
    if is_own(package, source):
        return None
    is_kept = not judgement.certain and source.project.is_in_image(package.replace("_", "-"))
    return None if is_kept else judgement


def _never_allowed(
    candidate: Candidate, package: str, has: Callable[[Version], bool | None]
) -> bool:
    """Return whether all versions that an open requirement allows lack it."""
    from rocmlint.published.names import names_of  # noqa: PLC0415 - few files need it

    lowest, known = candidate.lowest, names_of(package)
    if known is None or lowest is None or has(lowest) is not False:
        return False
    allowed = candidate.allowed
    return all(
        has(each) is False for each in known.versions if allowed is None or allowed.contains(each)
    )


def runs_with(judgement: MissingName, package: str) -> str:
    """Return which version counts and why: "transformers 5.23.0 is pinned in requirements.txt."."""
    other, version = judgement.having, judgement.candidate.version
    but = f", while {other.listed} allows {other.version}" if other is not None else ""
    return f"{package} {version} is {judgement.candidate.said}{but}."


def once_disputed(found: MissingUse, source: Source) -> str:
    """Return what is the same for all that two lists disagree on, whatever rule reports it."""
    package, both = (
        found.dotted.partition(".")[0],
        (found.judgement.candidate, found.judgement.having),
    )
    lists = " ".join(sorted(each.listed for each in both if each is not None))
    root = relative(source.project.folders[-1], source.settings.root)
    return f"disputed {package} {lists} {root}"


def disputed(found: MissingUse) -> tuple[str, str]:
    """Return the message and the help about what two lists of the project disagree on."""
    judgement, package = found.judgement, found.dotted.partition(".")[0]
    one, other = judgement.candidate, judgement.having
    if other is None:
        raise ValueError(found)
    lists = f"{one.listed} and {other.listed}"
    told = (
        f"{package} {one.version} ({one.listed}) does not have it, {other.version} "
        f"({other.listed}) may. Require the same in both, or judge by one environment: `--python`."
    )
    return f"`{found.name}` is not judged: {lists} disagree on {package}", told


def first_fitting(*texts: str) -> str:
    """Return the first text that is short enough for a message, else the last one, as it is."""
    return next((each for each in texts if len(each) <= LONGEST_MESSAGE), texts[-1])


def enumerated(names: Sequence[str], joint: str) -> str:
    """Write names as ``a``, ``b`` or ``c``."""
    listed = [f"`{each}`" for each in names]
    return f" {joint} ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


def since(dotted: str, history: History | None, version: Version) -> str:
    """Return since when something is gone, or from when it exists."""
    package = dotted.partition(".")[0]
    if dotted in GONE_BEFORE:
        return f"gone since {GONE_BEFORE[dotted]}"
    if history is None:
        return "it is not there"
    gone = history.gone_since(version)
    if gone is not None:
        return f"gone since {minor(gone)}"
    there = history.there_after(version)
    if there is not None:
        return f"it comes with {package} {minor(there)}"
    first = history.versions[0]
    return f"no version since {minor(first)} has it"


def requirement(dotted: str, history: History | None, judgement: MissingName) -> str:
    """Return the requirement that would bring it back, "" where none is known.

    Nor is one given that the project's own lower bound rules out.
    """
    package, version = dotted.partition(".")[0], judgement.candidate.version
    gone = history.gone_since(version) if history is not None else None
    before = minor(gone) if gone is not None else GONE_BEFORE.get(dotted, "")
    if before:
        return "" if begins_at(before, judgement) else f"{package}<{before}"
    there = history.there_after(version) if history is not None else None
    return f"{package}>={minor(there)}" if there is not None else ""


def common_bound(bounds: Sequence[str]) -> str:
    """Return the requirement that several say together, "" where they do not agree."""
    if all("<" in each for each in bounds):
        return min(bounds, key=_release)
    return max(bounds, key=_release) if all(">=" in each for each in bounds) else ""


def _release(bound: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", bound.rpartition("<")[2].rpartition("=")[2])]


def last_with(dotted: str, history: History | None, judgement: MissingName) -> str:
    """Return the last release with something: "transformers 4.53 is the last with it"."""
    package, version = dotted.partition(".")[0], judgement.candidate.version
    if history is None:
        return "no known release has it"
    had = [each for each in history.versions if each < version and history.at(each)]
    if had:
        return f"{package} {minor(had[-1])} is the last with it"
    later = [each for each in history.versions if each >= version and history.at(each)]
    if later and later[-1] == history.versions[-1]:
        return f"it comes with {package} {minor(later[0])}"
    if later:
        return f"only {package} {_releases(later[0], later[-1])} it"
    return f"no release since {minor(history.versions[0])} has it"


def _releases(first: Version, last: Version) -> str:
    return f"{minor(first)} has" if first == last else f"{minor(first)} to {minor(last)} have"


def begins_at(release: str, judgement: MissingName) -> bool:
    """Return whether the requirement has a lower bound that allows nothing before a release."""
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    lowest = judgement.candidate.lowest
    return lowest not in {None, judgement.candidate.version} and lowest >= Version(release)


def minor(version: Version) -> str:
    """Return the minor release: patch releases are not told apart."""
    return ".".join(map(str, (*version.release, 0)[:2]))
