"""Conflicts in blocks of text: one for each pair of packages, conflicts first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.stack.verdicts import ORDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.stack.verdicts import Verdict

_PIP = "pip install "


@dataclass(frozen=True)
class VerdictBlock:
    """Verdicts that are shown together."""

    verdicts: tuple[Verdict, ...]

    @property
    def judgement(self) -> str:
        """The judgement of all of them."""
        return self.verdicts[0].judgement

    def lines(self, beside: str) -> Iterator[str]:
        """Yield the lines to print, with an empty one at the end.

        ``beside`` is how a command ends that leaves torch alone.
        """
        if _is_missing(self.verdicts[0]):
            return _lacking(self.verdicts, beside)
        return _in_full(self.verdicts)


def blocks(verdicts: Iterable[Verdict]) -> list[VerdictBlock]:
    """Gather what does not fit: by pair, and by package what it requires and nobody installed."""
    found: dict[tuple[str, ...], list[Verdict]] = {}
    for each in verdicts:
        if each.judgement != "fits":
            key = (each.judgement, package_of(each) if _is_missing(each) else each.package)
            found.setdefault((*key, "" if _is_missing(each) else f"on {each.on}"), []).append(each)
    made = [VerdictBlock(tuple(each)) for each in found.values()]
    return sorted(made, key=lambda each: _order(each.verdicts[0]))


def package_of(verdict: Verdict) -> str:
    """Return the package and its version, as people write them."""
    return f"{verdict.package} {verdict.version}".rstrip()


def _order(verdict: Verdict) -> tuple[int, bool]:
    return ORDER.index(verdict.judgement), _is_missing(verdict)


def _is_missing(verdict: Verdict) -> bool:
    return verdict.judgement == "conflict" and verdict.grade == "declared" and not verdict.found


def _lacking(verdicts: Sequence[Verdict], beside: str) -> Iterator[str]:
    """Yield in one piece what a package requires and nobody installed."""
    yield f"conflict: {package_of(verdicts[0])} and a missing package"
    yield f"  {'declared:':<12}it requires {', '.join(each.requirement for each in verdicts)}"
    simple = [_installed_by(each.action, beside) for each in verdicts]
    together = " ".join(filter(None, simple))
    actions = [f"{_PIP}{together}{beside}"] if together else []
    actions += [each.action for each, one in zip(verdicts, simple, strict=True) if not one]
    yield from (f"  {'do:':<12}{action}" for action in dict.fromkeys(actions))
    yield ""


def _installed_by(action: str, beside: str) -> str:
    """Return the one package that an action installs; empty where more is to be said of it."""
    if not action.startswith(_PIP) or not action.endswith(beside):
        return ""
    package = action.removeprefix(_PIP).removesuffix(beside)
    return "" if " " in package else package


def _in_full(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield all that is known of one pair: who says so, why, and once each what to do."""
    first = verdicts[0]
    found = "" if first.found == first.on else first.found or ""  # a GPU is both
    other = f" and {first.on} {found}".rstrip() if first.on else ""
    yield f"{first.judgement}: {package_of(first)}{other}"
    for each in verdicts:
        yield f"  {each.grade + ':':<12}{each.reason}"
    for action in dict.fromkeys(each.action for each in verdicts if each.action):
        yield f"  {'do:':<12}{action}"
    yield ""
