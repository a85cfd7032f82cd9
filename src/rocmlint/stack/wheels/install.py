"""Where torch's wheels for a ROCm version are, and the command that installs them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from packaging.version import Version

from rocmlint.errors import RocmlintError
from rocmlint.published import drivers, requirements, rocm_wheels
from rocmlint.stack.versions import VersionError, read_rocm, read_torch_version
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocmlint.published.amd_wheels import System

Source = Literal["pytorch", "amd", "radeon"]
"""Whose wheels: PyTorch's own index, AMD's indexes, or the files on repo.radeon.com."""
INSTALLERS = ("pip", "uv")
COMPANIONS = ("torchvision", "torchaudio")
"""Packages that are released with torch, and lie in the same index."""
_TORCH = re.compile(r"torch(?:\[.*\])?")
_FOR_CMD = re.compile(r"[^\w.:/\\=+-]")
"""Characters that make an argument need quotes, which are double ones there."""
UNPINNED = "no version is pinned: an installer keeps an installed torch, so uninstall it first"
FIRST_OF_AMD = Version("7.9")
"""The first ROCm of TheRock; 7.9 to 7.13 were previews of 7.14."""
AMD_HINT = "; AMD has its own wheels for ROCm 7.11 and later: --source amd"
"""The end of messages on 7.9 and later."""


class NoWheelsError(RocmlintError):
    """No wheels meet the request; the message names those that exist."""


@dataclass(frozen=True)
class Wanted:
    """The packages to install, and the machine; what is empty or None may be anything."""

    rocm: str
    torch: str | None = None
    companions: tuple[str, ...] = ()
    """Of ``torchvision`` and ``torchaudio``."""
    nightly: bool = False
    gpus: tuple[str, ...] = ()
    """Their targets without settings: "gfx942"."""
    every: bool = True
    """Whether wheels must have code for all of the GPUs, or for one of them."""
    system: System = "linux"
    python: str = ""
    """Major and minor: wheels for another Python are not taken."""


@dataclass(frozen=True)
class Wheels:
    """The package index that holds torch's wheels for a ROCm version."""

    rocm: str
    """The version in the URL: that asked for, or another release of the same minor version.

    Empty for AMD's nightly builds, whose index has those of the newest only.
    """
    url: str
    nightly: bool = False
    notes: tuple[str, ...] = ()
    """Notes for a person, a line each."""
    source: Source = "pytorch"
    system: System = "linux"
    extras: str = ""
    """Extras of torch and torchvision with the code for GPUs: "device-gfx942,device-gfx950"."""
    packages: tuple[tuple[str, str], ...] = ()
    """torch and its companions there, where the table of the index says; PyTorch's does not."""
    is_known: bool = True
    """Whether the tables have it; a URL that a person gave need not be in them."""


@dataclass(frozen=True)
class Installation:
    """A command that installs torch, and what it installs."""

    wheels: Wheels
    packages: tuple[tuple[str, str], ...]
    """Names and exact versions; no versions for nightly builds, which have new ones every day."""
    words: tuple[str, ...]
    """The command without quotes, its program first."""
    notes: tuple[str, ...] = ()

    @property
    def build(self) -> str:
        """The version of torch with the label of its build; empty where none is pinned."""
        pins = (each.partition("==") for each in self.words)
        return next((version for name, _, version in pins if _TORCH.fullmatch(name)), "")

    @property
    def command(self) -> str:
        """Return the command as it is typed into a shell: on Windows cmd or PowerShell."""
        if self.wheels.system == "linux":
            return shlex.join(self.words)
        return " ".join(f'"{each}"' if _FOR_CMD.search(each) else each for each in self.words)


def index_url(rocm: str, *, nightly: bool = False) -> Wheels:
    """Return the index that holds torch's wheels for a ROCm version such as ``7.1`` or ``6.2.3``.

    Raises RocmlintError for what is not a version, and NoWheelsError for a version without wheels.
    """
    asked = read_rocm(rocm)
    offered = _offered(nightly=nightly)
    chosen = _of_same_minor(asked, offered)
    if chosen is None:
        raise NoWheelsError(_no_wheels(asked, offered, nightly=nightly))
    notes = () if chosen == asked else (_of_another(asked, chosen),)
    return Wheels(str(chosen), rocm_wheels.index_url(str(chosen), nightly), nightly, notes)


def install_command(  # noqa: PLR0913 - each is a flag of its own, and all but the first have defaults
    rocm: str,
    *,
    torch: str | None = None,
    companions: Sequence[str] = (),
    nightly: bool = False,
    installer: str = "pip",
    python: str | None = None,
) -> Installation:
    """Return the command that installs torch for a ROCm version.

    ``torch`` is a release or a minor version, in place of the newest that the ROCm version has;
    ``companions`` are of ``torchvision`` and ``torchaudio``, and get the version that belongs to
    torch's. Every version is pinned with the label of its build (``+rocm7.1``): pip takes an
    installed ``torch 2.10.0+cu128`` for ``torch==2.10.0``, and would leave it there. ``python`` is
    the interpreter to install into, in place of the one that ``pip`` belongs to.

    Raises RocmlintError for what is not a version, and NoWheelsError where there are no wheels.
    """
    wheels = index_url(rocm, nightly=nightly)
    start = program(installer, python)
    names = ("torch", *companions)
    if not nightly:
        release = torch_release(wheels.rocm, torch)
        others = [(each, companion(each, release, wheels.rocm)) for each in companions]
        packages = (("torch", release), *others)
        words = (*start, *pinned(packages, wheels.rocm), "--index-url", wheels.url)
        return Installation(wheels, packages, words, (*wheels.notes, *unproven(release)))
    if torch is not None:
        message = "--torch names a release, but --nightly installs none: omit one of them"
        raise RocmlintError(message)
    words = (*start, "--pre", *names, "--index-url", wheels.url)
    notes = (*wheels.notes, UNPINNED)
    return Installation(wheels, tuple((each, "") for each in names), words, notes)


def pinned(packages: Iterable[tuple[str, str]], rocm: str, extras: str = "") -> list[str]:
    """Return requirements that only the builds for a ROCm version meet."""
    return [
        f"{with_extras(name, extras)}=={labelled(name, version, rocm)}"
        for name, version in packages
    ]


def with_extras(package: str, extras: str) -> str:
    """Return a package with the extras for GPUs; torchaudio has no code for them."""
    return f"{package}[{extras}]" if extras and package != "torchaudio" else package


def labelled(name: str, version: str, rocm: str) -> str:
    """Return the version of the build for a ROCm version: ``2.10.0+rocm7.1``.

    torchaudio was published without the label until torch 2.0 (pytorch.org's own commands).
    """
    has_label = name != "torchaudio" or Version(version) >= Version("2")
    return f"{version}+rocm{rocm}" if has_label else version


def torch_release(rocm: str, torch: str | None = None, python: str = "") -> str:
    """Return the release of torch to install for a ROCm version of the table.

    Where no torch is named, it is the newest that has wheels for ``python``, if any has. Raises
    RocmlintError for what is not a version of torch, and NoWheelsError.
    """
    minors = _torch_for(rocm)
    asked = Version(_newest_for(minors, python)) if torch is None else _released(torch)
    if asked.local not in {None, f"rocm{rocm}"}:
        message = f"torch {torch} is not a build for ROCm {rocm}; write {asked.public}"
        raise RocmlintError(message)
    minor = minor_release(asked)
    if minor not in minors:
        raise NoWheelsError(_no_torch(minor, rocm))
    known = [each for each in _releases("torch") if each.release[:2] == asked.release[:2]]
    if len(asked.release) == 2:
        return str(known[-1] if known else Version(f"{minor}.0"))
    if known and Version(asked.public) not in known:
        message = f"there is no torch {asked.public} (newest row {requirements.AS_OF})"
        raise NoWheelsError(f"{message}; releases of {minor}: {enumerated(map(str, known))}")
    return asked.public


def companion(name: str, torch: str, rocm: str) -> str:
    """Return the release of torchvision or torchaudio that belongs to a release of torch.

    METADATA says it: torchvision 0.25.0 requires torch==2.10.0. torchaudio 2.11.0 names no torch:
    it is the last one, made for torch 2.11 and all later ones (pytorch/audio#4212), and has wheels
    for the ROCm versions of torch 2.11. Raises NoWheelsError.
    """
    bound, free = _releases_for(name, Version(torch))
    if bound:
        return str(bound[0])  # a later one, torchvision 0.29.2, need not be built for this ROCm
    if not free:
        message = f"no release of {name} is known for torch {torch}"
        message += f" (newest row {requirements.AS_OF})"
        raise NoWheelsError(f"{message}; install torch without it")
    built_for = rocm_wheels.rocm_for(str(free[-1]))
    if rocm not in built_for:
        message = (
            f"{name} has no wheels for ROCm {rocm}: its last release, {free[-1]}, has them for"
        )
        raise NoWheelsError(f"{message} {enumerated(built_for)}; install torch without it")
    return str(free[-1])


def released_with(name: str, torch: str) -> str:
    """Return the release of torchvision or torchaudio that belongs to a torch, for whatever ROCm.

    As :func:`companion` chooses it; empty where none is known.
    """
    bound, free = _releases_for(name, Version(torch))
    return str(next(iter((*bound, *reversed(free))), ""))


def newest_row() -> str:
    """Return how far the table of wheels goes, as messages say it."""
    return f"newest row {rocm_wheels.as_of()}"


def unproven(torch: str) -> tuple[str, ...]:
    """Return notes on wheels that were seen in the build matrix of a release candidate only."""
    row = rocm_wheels.row(torch)
    if row is None or row.status == "release":
        return ()
    return (f"torch {row.torch}'s ROCm versions are those of its {row.status} ({row.date})",)


def _released(torch: str) -> Version:
    version = read_torch_version(torch)
    if version.is_prerelease:
        message = f"torch {torch} is not a release; use one such as 2.10, or --nightly"
        raise VersionError(message)
    return version


def program(installer: str, python: str | None) -> tuple[str, ...]:
    """Return how a command begins: with an installer, and the interpreter to install into."""
    if installer == "uv":
        return ("uv", "pip", "install", *(("--python", python) if python else ()))
    return (*((python, "-m") if python else ()), "pip", "install")


def _offered(*, nightly: bool) -> list[Version]:
    """Return the ROCm versions that have wheels of a kind, ascending."""
    offered = []
    for each in rocm_wheels.rocm_versions():
        try:
            rocm_wheels.index_url(each, nightly)
        except LookupError:
            continue
        offered.append(Version(each))
    return offered


def _of_same_minor(asked: Version, offered: Iterable[Version]) -> Version | None:
    """Choose for 6.2.3, where there are 6.2 and 6.2.4, the newest that is not above it.

    A wheel includes ROCm's libraries and needs the driver only, and of two the older ones are as
    old as what the driver came with. Below all of a minor version (5.4 of 5.4 and 5.4.2) the
    lowest.
    """
    same = [each for each in offered if each.release[:2] == asked.release[:2]]
    below = [each for each in same if each <= asked]
    return below[-1] if below else next(iter(same), None)


def _torch_for(rocm: str) -> tuple[str, ...]:
    """Return the minor versions of torch that have wheels other than nightly builds."""
    rows = rocm_wheels.rows()
    return tuple(each.torch for each in rows if rocm in each.rocm and each.status != "nightly")


def _newest_for(minors: Sequence[str], python: str) -> str:
    return next((each for each in reversed(minors) if is_for(each, python)), minors[-1])


def is_for(torch: str, python: str) -> bool:
    """Return whether a torch of PyTorch's has wheels for a Python, as far as one knows."""
    tags = rocm_wheels.python_tags(torch)
    return not python or not tags or f"cp{python.replace('.', '')}" in tags


def _releases(name: str) -> list[Version]:
    """Return the releases that an index gives to who asks for any, ascending."""
    releases = requirements.releases(name)
    return [each for each in releases if not each.local and not requirements.is_yanked(name, each)]


def _releases_for(name: str, torch: Version) -> tuple[list[Version], list[Version]]:
    """Return the releases of a package that require this torch, and those that require none."""
    bound, free = [], []
    for release in _releases(name):
        required = requirements.requirements(name, release)
        specifiers = [each.specifier for each in required or () if each.name == "torch"]
        if specifiers and all(each.contains(torch) for each in specifiers):
            bound.append(release)
        elif required is not None and not specifiers and release <= torch:
            free.append(release)
    return bound, free


def _of_another(asked: Version, chosen: Version) -> str:
    minor = minor_release(asked)
    runs = "whether the driver can run them is unknown"
    if minor in drivers.rocm_versions():
        runs = f"AMD lists the same drivers for all of {minor} ({drivers.as_of()})"
    newer = "the newer " if chosen > asked else ""
    brought = f"these are the wheels for {newer}{chosen}, which include ROCm's libraries; {runs}"
    return f"ROCm {asked} has no wheels of its own: {brought}"


def _no_wheels(asked: Version, offered: Sequence[Version], *, nightly: bool) -> str:
    kind = "nightly wheels" if nightly else "wheels"
    message = f"torch has no {kind} for ROCm {asked} ({newest_row()})"
    if asked > offered[-1]:
        message = f"no {kind} of torch for ROCm {asked} are known ({newest_row()})"
    below = [each for each in offered if each < asked]
    nearest = below[-1] if below else offered[0]
    flag = " --nightly" if nightly else ""
    message += f"; the nearest version with wheels is {nearest}: --rocm {nearest}{flag}"
    other = _of_same_minor(asked, _offered(nightly=not nightly))
    if other is not None:
        kind, flag = ("releases", "") if nightly else ("nightly ones", " --nightly")
        message += f"; {other} has {kind}: rocmlint stack index-url --rocm {other}{flag}"
    return message if asked < FIRST_OF_AMD else message + AMD_HINT


def _no_torch(minor: str, rocm: str) -> str:
    message = f"torch {minor} has no wheels for ROCm {rocm}"
    elsewhere = [each for each in rocm_wheels.rocm_for(minor) if minor in _torch_for(each)]
    row = rocm_wheels.row(minor)
    if elsewhere:
        message += f"; it has wheels for ROCm {enumerated(elsewhere)}"
    elif row is not None:
        message = f"only nightly builds of torch {minor} are known, for ROCm {enumerated(row.rocm)}"
        message += f" ({newest_row()})"
    else:
        message += f", or for any other version ({newest_row()})"
    return f"{message}; ROCm {rocm} has torch {enumerated(_torch_for(rocm))}"


def enumerated(words: Iterable[str]) -> str:
    """Return words as a sentence has them: "6.3, 6.4 and 7.0"; "nothing" for none."""
    *most, last = list(words) or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last
