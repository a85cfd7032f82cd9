"""The ``rocmlint stack install-command`` that installs torch and its companions, and works.

It is chosen by the functions that the verb itself uses, so what is advised is never refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import amd_wheels, requirements, rocm_wheels
from rocmlint.stack.installed.distributions import minor_of
from rocmlint.stack.verdicts import is_met
from rocmlint.stack.versions import labelled_rocm
from rocmlint.stack.wheels.amd_parts import CORE, DEVICE, FAMILY, is_nightly, rocm_of
from rocmlint.stack.wheels.install import COMPANIONS, Wanted, enumerated
from rocmlint.stack.wheels.wheel_sources import COMMAND, attempted
from rocmlint.text.written import minor_release, version_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.requirements import Requirement

    from rocmlint.stack.installed.distributions import Distribution, Environment
    from rocmlint.stack.wheels.install import Installation, Source

_ONE_INDEX = "install torch and its companions from one index"
"""The advice if no wheels are known."""
_PLACE = "gfx..."
"""The placeholder for a GPU that is not known."""


@dataclass(frozen=True)
class Surroundings:
    """The packages around a torch, and the ROCm and the GPUs that are here, for which it is chosen.

    What is empty is not known.
    """

    packages: tuple[Distribution, ...] = ()
    python: str = ""
    rocm: str = ""
    gpus: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """Of the companions of torch, what has to be there, too."""

    def get(self, name: str) -> Distribution | None:
        """Return a package by its normalized name."""
        return next((each for each in self.packages if each.name == name), None)

    @property
    def companions(self) -> tuple[str, ...]:
        """The companions of torch that are installed, or have to be."""
        return tuple(each for each in COMPANIONS if self.get(each) or each in self.required)


NOWHERE = Surroundings()


def surroundings_of(
    environment: Environment, rocm: str = "", gpus: tuple[str, ...] = ()
) -> Surroundings:
    """Return an environment and its machine, as a torch is chosen for them."""
    return Surroundings(environment.distributions, minor_of(environment.python), rocm, gpus)


@dataclass(frozen=True)
class _Choice:
    """A torch to look for: a release or a minor version of a ROCm; empty is the newest.

    ``label`` is that of the very build, where one is required.
    """

    torch: str
    rocm: str
    label: str = ""


def one_index(
    here: Surroundings, missing: Requirement | None = None, by: Distribution | None = None
) -> str:
    """Return how torch and its companions come from one index, as builds of one release.

    It is the release that most of what is installed takes, and for the ROCm here. ``missing`` is
    what is required ``by`` a package and nobody installed, or another release of it.
    """
    asked = [each.name for each in by.requires if "extra" not in str(each.marker)] if by else []
    asked += [missing.name] if missing else []
    here = replace(here, required=tuple(each for each in COMPANIONS if each in asked))
    return (
        _nightly(here)
        or _first(here, _choices(here), None if missing and missing.name == "torch" else missing)
        or _for_no_rocm(here)
        or _from_its_place(here, missing)
        or _ONE_INDEX
    )


def _from_its_place(here: Surroundings, missing: Requirement | None) -> str:
    """Return how a companion comes to a ROCm build of torch that is in no known index.

    Another torch would be one for another ROCm, or of somebody else.
    """
    torch = here.get("torch")
    rocm = labelled_rocm(torch.version) if torch else ""
    if torch is None or not rocm or missing is None or missing.name not in COMPANIONS:
        return ""
    pins = (each.version for each in missing.specifier if each.operator == "==")
    release = next((f" {each.removesuffix('.*')}" for each in pins), "")
    what = f"the {missing.name}{release} for ROCm {rocm}"
    return f"install {what} with --no-deps, from where torch {torch.version} came: torch stays"


def for_rocm(here: Surroundings) -> str:
    """Return the command for the ROCm here, and the torch that is installed if that has one."""
    return _first(here, _of_rocms(here, (here.rocm,)))


def for_gpus(here: Surroundings, gpus: Iterable[str]) -> str:
    """Return the command for a build with code for all of some GPUs; empty for none."""
    wanted = Wanted("", companions=here.companions, gpus=tuple(gpus), python=here.python)
    flags = "".join(f" --gpu {each}" for each in wanted.gpus)
    for each in (wanted, replace(wanted, companions=())):
        if attempted(each) is not None:
            return f"{COMMAND}{flags}{_companion_flags(each.companions)}"
    return ""


def for_each(here: Surroundings, pairs: Iterable[tuple[str, str]]) -> str:
    """Return the command for the first pair of torch and ROCm that serves here; empty for none."""
    return _first(here, (_Choice(torch, rocm) for torch, rocm in pairs))


def meeting(here: Surroundings, requirement: Requirement, present: Version) -> str:
    """Return the command for the newest released torch that a requirement allows; empty for none.

    Best is one for the ROCm of the present torch or the newest before it, as the driver that is
    here was chosen for that; else the newest torch for the oldest of its ROCm versions.
    """
    equal = (each.version for each in requirement.specifier if each.operator == "==")
    pins = [each for each in equal if version_of(each)]  # and not 2.10.*
    choices = (
        _Choice(torch, rocm)
        for minor, rocm in _pairs(labelled_rocm(str(present)) or here.rocm)
        for torch in _allowed(minor, requirement, pins)
    )
    return _first(here, choices, requirement)


def _allowed(minor: str, requirement: Requirement, pins: Iterable[str]) -> list[str]:
    """Return the releases of a minor torch that are allowed, the newest first; or what is pinned.

    The newest that is known is named by the minor version.
    """
    pins = [*pins]
    if pins:
        return pins[:1] if any(minor_release(Version(each)) == minor for each in pins) else []
    published = {each for each in requirements.releases("torch") if not each.local}
    published -= {each for each in published if requirements.is_yanked("torch", each)}
    published |= {Version(Version(each.torch).public) for each in amd_wheels.builds()}
    known = sorted(
        each for each in published if minor_release(each) == minor and not each.is_prerelease
    )
    found = [each for each in reversed(known) if requirement.specifier.contains(each)]
    return [minor if each == known[-1] else str(each) for each in found]


def _pairs(rocm: str) -> list[tuple[str, str]]:
    """Return each minor torch with each ROCm of its wheels: for a ROCm, then older, then newer."""
    rows = [each for each in rocm_wheels.rows() if each.status == "release"]
    found = {(each.torch, one) for each in rows for one in each.rocm}
    builds = (each for each in amd_wheels.builds() if each.index.kind != "files")
    found |= {(minor_release(Version(each.torch)), each.rocm) for each in builds}
    by_torch = sorted(found, key=lambda each: Version(each[1]))
    by_torch.sort(key=lambda each: Version(each[0]), reverse=True)
    here = version_of(rocm)
    if here is None:
        return by_torch
    older = [each for each in by_torch if Version(each[1]) <= here]
    older.sort(key=lambda each: Version(each[1]), reverse=True)
    return [*older, *(each for each in by_torch if Version(each[1]) > here)]


def _choices(here: Surroundings) -> Iterator[_Choice]:
    """Yield what to look for: the builds that are required, then the releases, then any."""
    torch = here.get("torch")
    rocms = [labelled_rocm(torch.version) if torch else "", here.rocm]
    rocms = [each for each in dict.fromkeys(rocms) if each]
    if not rocms:
        rocms = [labelled_rocm(each.version) for each in map(here.get, here.companions) if each]
        rocms = [each for each in dict.fromkeys(rocms) if each] or [""]
    yield from _of_rocms(here, rocms)
    if torch and labelled_rocm(torch.version):
        return  # it was chosen for that ROCm
    yield from (_Choice("", rocm) for one in rocms if one for _, rocm in _pairs(one))


def _of_rocms(here: Surroundings, rocms: Iterable[str]) -> Iterator[_Choice]:
    rocms, releases = tuple(rocms), _releases(here)
    for each in releases:
        label = each.local or ""
        rocm = labelled_rocm(str(each))
        if rocm and any(_release(rocm)[:2] == _release(one)[:2] for one in rocms):
            yield _Choice(each.public, rocm, label)
        yield from (_Choice(each.public, one) for one in rocms)
    yield from (_Choice(minor_release(each), one) for each in releases for one in rocms)
    yield from (_Choice("", one) for one in rocms)


def _release(rocm: str) -> tuple[int, ...]:
    version = version_of(rocm)
    return version.release if version else ()


def _releases(here: Surroundings) -> list[Version]:
    """Return the releases of torch that packages pin, and the installed one.

    Those first that most packages take; of equals the installed one.
    """
    torch = here.get("torch")
    found = [torch.parsed] if torch and torch.parsed else []
    asked = [each for one in here.packages for each in one.requires if each.name == "torch"]
    asked = [each for each in asked if "extra" not in str(each.marker)]
    pins = (pin for each in asked for pin in each.specifier if pin.operator == "==")
    found += [version for each in pins if (version := version_of(each.version))]
    devices = (each for each in here.packages if _is_device_of_torch(each))
    found += [each.parsed for each in devices if each.parsed]

    def taken(version: Version) -> int:
        public = Version(version.public)
        return sum(
            is_met(each.specifier, version) or is_met(each.specifier, public) for each in asked
        )

    known = [each for each in dict.fromkeys(found) if not each.is_prerelease]
    return sorted(known, key=taken, reverse=True)


def _is_device_of_torch(package: Distribution) -> bool:
    match = DEVICE.fullmatch(package.name)
    return match is not None and match[1] == "amd-torch"


def _first(
    here: Surroundings, choices: Iterable[_Choice], missing: Requirement | None = None
) -> str:
    """Return the command for the first choice that there is, and that installs what is missing."""
    for each in dict.fromkeys(choices):
        command = _command(here, each, missing)
        if command or command is None:
            return command or ""
    return ""


def _command(here: Surroundings, choice: _Choice, missing: Requirement | None) -> str | None:
    """Return the command for a choice; torchaudio, which ended with 2.11, is left out if need be.

    What is left out and takes another torch only is removed first. None where all of it is there:
    it does not install what is missing, and neither would another torch.
    """
    for left in ("", "torchaudio"):
        if left and (here.get(left) is None or left in here.required):
            continue
        named = tuple(each for each in here.companions if each != left)
        for made, flags in _sources(here, choice, named):
            if missing and not _meets(made, missing):
                continue
            if missing and not _changes(here, made):
                return None
            first = f"pip uninstall -y {left}, then " if _refuses(here.get(left), made) else ""
            return f"{first}{COMMAND}{_flags(choice)}{_companion_flags(named)}{flags}"
    return ""


def _sources(
    here: Surroundings, choice: _Choice, companions: tuple[str, ...]
) -> Iterator[tuple[Installation, str]]:
    """Yield what the verb installs for a choice; the source is named where it has to be."""
    wanted = Wanted(
        choice.rocm,
        choice.torch or None,
        companions,
        gpus=here.gpus,
        every=False,
        python=here.python,
    )
    machines = [(wanted, "")]
    if not here.gpus:
        gpus, gpu_name = _a_gpu(here, choice.rocm)
        machines.append((replace(wanted, gpus=gpus), f" --gpu {gpu_name}"))
    by_source: tuple[Source | None, ...] = (None, "amd", "radeon") if choice.label else (None,)
    end = f"=={choice.torch}+{choice.label}"
    for source in by_source:
        for asked, flag in machines:
            made = attempted(asked, source)
            if made and (not choice.label or any(each.endswith(end) for each in made.words)):
                yield made, f"{flag}{f' --source {source}' if source else ''}"


def _meets(made: Installation, missing: Requirement) -> bool:
    """Return whether the torch, or a companion, is the one that is required."""
    version = made.build if missing.name == "torch" else dict(made.packages).get(missing.name, "")
    found = version_of(version)
    return found is None or is_met(missing.specifier, found)


def _changes(here: Surroundings, made: Installation) -> bool:
    """Return whether an installer finds anything to do: another build, or what torch lacks."""
    pins = (each.partition("==") for each in made.words if "==" in each)
    for name, _, version in pins:
        package = here.get(name.partition("[")[0])
        if package is None or package.version != version:
            return True
    torch = here.get("torch")
    asked = torch.requires if torch else ()
    return any(here.get(each.name) is None for each in asked if "extra" not in str(each.marker))


def _a_gpu(here: Surroundings, rocm: str) -> tuple[tuple[str, ...], str]:
    """Return a GPU that AMD's wheels for a ROCm serve, and how it is named in the command.

    An index for a family needs one. The libraries of a family are for its GPUs; without
    any there is a place for one.
    """
    builds = [each for each in amd_wheels.builds() if each.rocm == rocm]
    served = [gpu for each in builds if each.index.kind == "family" for gpu in each.devices]
    families = (match for each in here.packages if (match := FAMILY.fullmatch(each.name)))
    of = (gpu for each in families for gpu in amd_wheels.members(each[1]))
    known = next((each for each in of if each in served), "")
    return (known,) if known else tuple(served[:1]), known or _PLACE


def _refuses(package: Distribution | None, made: Installation) -> bool:
    asked = [each.specifier for each in package.requires if each.name == "torch"] if package else []
    torch = Version(dict(made.packages)["torch"])
    return not all(is_met(each, torch) for each in asked)


def _nightly(here: Surroundings) -> str:
    """Return the command for a nightly build, where the installed one is such; empty otherwise.

    It pins no version, so what is there is removed first.
    """
    torch, core = here.get("torch"), here.get(CORE)
    of = torch if torch and labelled_rocm(torch.version) else core
    if of is None:
        return ""
    rocm = labelled_rocm(of.version)
    if is_nightly(rocm_of(of.version)):
        return _amd_nightly(here)
    if ".dev" not in of.version or not of.version.endswith(f"+rocm{rocm}"):
        return ""
    wanted = Wanted(rocm, None, here.companions, nightly=True, gpus=here.gpus, every=False)
    if attempted(wanted) is None:
        return ""
    return f"{_removed(here)}{COMMAND} --rocm {rocm} --nightly{_companion_flags(here.companions)}"


def _for_no_rocm(here: Surroundings) -> str:
    """Return what is left for GPUs that no release has code for; empty for others."""
    if not here.gpus or attempted(Wanted("", gpus=here.gpus, every=False)):
        return ""
    return _amd_nightly(here) or (
        f"no wheel of torch that is known has code for {enumerated(here.gpus)}: it has to be "
        "compiled"
    )


def _amd_nightly(here: Surroundings) -> str:
    """Return the command for AMD's nightly builds; empty where they do not serve the GPUs."""
    wanted = Wanted("", None, here.companions, nightly=True, gpus=here.gpus, every=False)
    if attempted(wanted, "amd") is None:
        return ""
    return f"{_removed(here)}{COMMAND} --nightly --source amd{_companion_flags(here.companions)}"


def _removed(here: Surroundings) -> str:
    """Return how torch is removed before a build without a version, which would not replace it."""
    there = " ".join(each for each in ("torch", *here.companions) if here.get(each))
    return f"pip uninstall -y {there}, then " if there else ""


def _flags(choice: _Choice) -> str:
    named = (("rocm", choice.rocm), ("torch", choice.torch))
    return "".join(f" --{name} {value}" for name, value in named if value)


def _companion_flags(companions: Iterable[str]) -> str:
    return "".join(f" --{each}" for each in companions)
