"""The newest releases of libraries that fit a torch, and why the next ones do not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import requirements as published
from rocmlint.published.closure import closure, ways_to_cuda
from rocmlint.published.fitting import TORCH, why_not
from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA, is_for_cuda
from rocmlint.stack.installed.distributions import TORCH_FAMILY
from rocmlint.stack.resolution.answer import Compatible, FittingLibrary
from rocmlint.stack.resolution.asked import bounded, chosen_patch, read_packages, read_torch
from rocmlint.stack.resolution.explanation import ReleaseExplanation
from rocmlint.stack.resolution.resolvers import Shipped, Uv
from rocmlint.stack.resolution.uv import ResolverError, UvRefusal
from rocmlint.stack.versions import VersionError, read_python_version, read_torch_version
from rocmlint.stack.wheels.amd_install import companions_of
from rocmlint.stack.wheels.install import COMPANIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from packaging.requirements import Requirement

__all__ = ["LIBRARIES", "Compatible", "FittingLibrary", "compatible"]

LIBRARIES = ("transformers", "diffusers", "accelerate", "huggingface-hub", "peft")
"""Packages to check if none are named."""


def compatible(  # noqa: PLR0913 - all but the first are named, and have defaults
    torch: str,
    packages: Iterable[str] = LIBRARIES,
    *,
    python: str = "3.11",
    there: Collection[str] = (),
    ask_uv: bool = True,
    timeout: float = 120,
) -> Compatible:
    """Find the newest releases of packages that fit a torch, together, on Linux.

    ``torch`` is a release (``2.4.1``, ``2.4.1+rocm6.1``), all releases of a minor version
    (``2.4``), or a nightly build; ``packages`` are names, with extras or versions as pip takes
    them; an extra ``torch`` counts without being named, since only it says what transformers and
    diffusers need. ``python`` is major.minor; ``there`` are packages that are installed with torch,
    which are not installed again. uv answers where it is installed and reaches an index, within
    ``timeout`` seconds for each question, else the metadata that are shipped.

    Raises VersionError, also where there is no such torch or it is not for this Python, and
    SearchError where the shipped metadata of so many packages take too long.
    """
    python = read_python_version(python)
    asked = read_packages(packages)
    read, notes = read_torch(torch)
    release = chosen_patch(read, [each for each in asked.values() if each is not None], python)
    if ask_uv and not release.fixed:
        try:
            return _as_built(_answer(asked, Uv(release, python, timeout), there), torch)
        except ResolverError as error:
            notes = (*notes, f"uv was not used: {error}")
    answer = _as_built(_answer(asked, Shipped(release, python), there), torch)
    unseen = f"Python {python} was checked against Requires-Python only; uv also checks the wheels"
    return replace(answer, notes=(*notes, *answer.notes, unseen))


def _answer(
    asked: Mapping[str, Requirement | None], by: Shipped | Uv, there: Collection[str]
) -> Compatible:
    """Ask for all together; where that has no answer, leave out what fits no torch like this."""
    wanted = {each.name: each for each in asked.values() if each is not None}
    goals = [bounded(each, by.torch) for each in wanted.values()]
    found, refused, together = by.solve(goals), {}, True
    if isinstance(found, UvRefusal):
        torch = by.solve(())
        if isinstance(torch, UvRefusal):
            raise VersionError(_no_torch(by, torch))
        alone = {each.name: by.solve([each]) for each in goals}
        refused = {name: each for name, each in alone.items() if isinstance(each, UvRefusal)}
        found = by.solve([each for each in goals if each.name not in refused])
        if isinstance(found, UvRefusal):
            fitting = {
                name: each[name] for name, each in alone.items() if not isinstance(each, UvRefusal)
            }
            together, found = False, {**fitting, TORCH: torch[TORCH]}
    explain = ReleaseExplanation(by, wanted, found)
    answers = {
        **_fitting(explain, [each.name for each in goals if each.name not in refused], there),
        **{name: _refused(explain, name, each) for name, each in refused.items()},
    }
    return Compatible(
        str(found[TORCH]),
        by.python,
        tuple(answers.get(name) or _no_name(name) for name in asked),
        by.source,
        by.as_of,
        () if together else explain.conflicts(),
        together,
    )


def _as_built(answer: Compatible, torch: str) -> Compatible:
    """Give torchvision and torchaudio the releases that AMD has for its own build of torch."""
    theirs = companions_of(str(read_torch_version(torch)))
    libraries = (
        replace(each, version=theirs.get(each.name, each.version)) if each.version else each
        for each in answer.libraries
    )
    return replace(answer, libraries=tuple(libraries))


def _no_name(text: str) -> FittingLibrary:
    return FittingLibrary(text, "unknown", None, None, f"{text!r} is not a valid package name")


def _fitting(
    explain: ReleaseExplanation, names: Sequence[str], there: Collection[str]
) -> dict[str, FittingLibrary]:
    """Describe what fits."""
    after = explain.following(names)
    found = {}
    for name in names:
        chosen, newer = explain.chosen[name], after.get(name)
        reason = explain.of_newer(name, newer) if newer is not None else ""
        if newer is not None and not reason:
            chosen, newer = newer, None
        library = FittingLibrary(
            explain.shown_name(name),
            "fits",
            str(chosen),
            str(newer) if newer else None,
            reason,
        )
        found[name] = library if name in TORCH_FAMILY else _brings(library, explain, there)
    return {each.name: each for each in _as_the_index_has_it(found.values(), explain, there)}


def _as_the_index_has_it(
    libraries: Collection[FittingLibrary], explain: ReleaseExplanation, there: Collection[str]
) -> Iterator[FittingLibrary]:
    """Add what comes with packages whose metadata are not shipped, or not those of all they need.

    All are asked for at once first, as it is rare.
    """
    plain = [each for each in libraries if not each.brings and each.name not in TORCH_FAMILY]
    plain = plain if _foreign(explain, [each.pin for each in plain], there) else []
    for each in libraries:
        foreign = _foreign(explain, [each.pin], there) if each in plain else ()
        yield replace(each, brings=tuple(f"{each.pin} -> {one}" for one in foreign) or each.brings)


def _foreign(
    explain: ReleaseExplanation, pins: Sequence[str], there: Collection[str]
) -> tuple[str, ...]:
    """Return what of that which comes with releases is not for a ROCm build of torch."""
    own = {pin.partition("==")[0].partition("[")[0] for pin in pins}
    found = explain.by.brought(pins, there) if pins else {}
    return tuple(
        f"{name}=={version}"
        for name, version in found.items()
        if name not in own and (name == "triton" or is_for_cuda(name, version))
    )


def _brings(
    library: FittingLibrary, explain: ReleaseExplanation, there: Collection[str]
) -> FittingLibrary:
    """Add the ways from a release to another torch, and to code for CUDA."""
    name, python = library.name, explain.by.python
    version, extras = Version(library.version or "0"), explain.goals[name].extras
    comes = closure(name, version, extras, python, there=there)
    beside = closure(name, version, extras, python, there={*there, *COMPANIONS})
    ways = (
        () if name in BUILT_FOR_CUDA else ways_to_cuda(beside, explain.chosen[TORCH], ("triton",))
    )
    return replace(
        library,
        brings=tuple(" -> ".join(each) for each in ways),
        companions=tuple(each.name for each in comes if each.name in COMPANIONS),
    )


def _refused(explain: ReleaseExplanation, name: str, refusal: UvRefusal) -> FittingLibrary:
    """Describe a library of which no release fits."""
    if refusal.unknown is not None:
        return FittingLibrary(explain.shown_name(name), "unknown", None, None, refusal.reason)
    reason = explain.of_none(name, refusal)
    return FittingLibrary(explain.shown_name(name), "none fits", None, None, reason)


def _no_torch(by: Shipped | Uv, refusal: UvRefusal) -> str:
    """Return why there is no torch to choose."""
    asked = by.torch.requirement
    version = published.newest(TORCH, asked.specifier)
    if version is None and by.source != "uv":
        return f"{asked} is unknown (newest row {by.as_of}); uv knows newer releases"
    reason = version and why_not(TORCH, version, {}, {}, by.python)
    return f"{asked} cannot be installed: {reason or refusal.reason}"
