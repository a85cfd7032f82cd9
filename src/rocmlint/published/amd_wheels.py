"""AMD's own wheels: which torch is in which of its indexes, for which GPUs, systems and Pythons.

Look-ups in shipped data, never the network. The data come from AMD's indexes and documentation, a
source for each row, made by ``tools/build_amd_wheels.py``. AMD publishes wheels beside those of
PyTorch: from ROCm 7.14 on in one index for all GPUs, where a GPU is an extra
(``torch[device-gfx1151]``), before that in one index for each family of GPUs, and for ROCm 7.2 as
files on repo.radeon.com.

``rocm`` is AMD's SDK as a package: ``rocm[libraries,devel,device-gfx1151]`` installs the libraries
(rocm-sdk-libraries), the compiler's headers (rocm-sdk-devel) and the code for a GPU
(rocm-sdk-device-gfx1151) beside rocm-sdk-core. torch requires what it needs of it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import tables

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["extra", "family", "files"]
"""How an index is asked for a GPU: by an extra, by the family in its URL, or not at all."""
System = Literal["linux", "windows"]

NAME = "amd_wheels.json"


@dataclass(frozen=True)
class Source:
    """A public page that says something, and its date (for an index: the day it was read)."""

    url: str
    date: str


@dataclass(frozen=True)
class Index:
    """One of AMD's package indexes."""

    name: str
    kind: Kind
    url: str
    """With ``{family}`` or ``{rocm}`` in it where there is one for each."""
    devices: tuple[str, ...]
    """The GPUs that it has code for; () where that is not known."""
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Build:
    """A release of torch that AMD built for a release of ROCm, on one system."""

    rocm: str
    """All of its numbers: "7.14.0", as in the label."""
    index: Index
    torch: str
    torchvision: str
    torchaudio: str
    others: tuple[str, ...]
    """What must be named beside it, as requirements; the other indexes find it by themselves."""
    system: System
    python: tuple[str, ...]
    listed: tuple[str, ...]
    """The GPUs that AMD's page has a command for; () where it does not tell them apart."""
    sources: tuple[Source, ...]

    @property
    def date(self) -> str:
        """The date of the newest source."""
        return max(each.date for each in self.sources)

    @property
    def devices(self) -> tuple[str, ...]:
        """The GPUs that it can be installed for; () where that is not known."""
        if self.index.kind == "family":
            return self.listed
        if self.system == "linux":
            return self.index.devices
        return tuple(each for each in self.index.devices if _is_for_windows(each))

    def version(self, package: str) -> str:
        """Return the version of torch, torchvision or torchaudio with its label; "" for none."""
        found: str = getattr(self, package)
        return found if not found or "+" in found else f"{found}+rocm{self.rocm}"


@dataclass(frozen=True)
class Device:
    """A GPU: its target, the names of the families it belongs to, and what it is sold as."""

    gfx: str
    families: tuple[str, ...]
    """As in package names (rocm-sdk-libraries-gfx94X-dcgpu); the first is that of the index."""
    products: str
    windows: bool
    """Whether AMD builds for it on Windows."""


@dataclass(frozen=True)
class Elsewhere:
    """Where the ROCm build of another package is."""

    package: str
    rocm: tuple[str, ...]
    """To major.minor: the versions of ROCm that it is for."""
    python: tuple[str, ...]
    """() where it is not known."""
    commands: tuple[str, ...]
    note: str
    sources: tuple[Source, ...]

    def commands_for(self, gpu: str) -> tuple[str, ...]:
        """Return the commands for a GPU, such as "gfx1151"."""
        family = family_of(gpu)
        return tuple(each.format(gpu=gpu, family=family) for each in self.commands)


def as_of() -> str:
    """Return the date of the newest build."""
    return str(_data()["as_of"])


@cache
def builds() -> tuple[Build, ...]:
    """Return all builds, by ROCm and torch, ascending."""
    return tuple(
        Build(
            each["rocm"],
            index(each["index"]),
            each["torch"],
            each["torchvision"],
            each["torchaudio"],
            tuple(each.get("others", "").split()),
            each["system"],
            tuple(each["python"].split()),
            tuple(each["listed"].split()),
            _sources(each),
        )
        for each in _data()["builds"]
    )


@cache
def indexes() -> tuple[Index, ...]:
    """Return all indexes, that of the newest releases first."""
    return tuple(
        Index(
            each["name"],
            each["kind"],
            each["url"],
            tuple(each.get("devices", "").split()),
            _sources(each),
        )
        for each in _data()["indexes"]
    )


def index(name: str) -> Index:
    """Return an index by its name. Raises LookupError."""
    for each in indexes():
        if each.name == name:
            return each
    message = f"no index of AMD is called {name!r}"
    raise LookupError(message)


@cache
def devices() -> tuple[Device, ...]:
    """Return the GPUs that AMD builds ROCm for, by their number."""
    return tuple(
        Device(each["gfx"], tuple(each["families"].split()), each["products"], each["windows"])
        for each in _data()["devices"]
    )


def device(gfx: str) -> Device | None:
    """Return a GPU by its target, also with settings (gfx942:xnack-); None if AMD has none such."""
    target = gfx.partition(":")[0]
    return next((each for each in devices() if each.gfx == target), None)


def family_of(gfx: str) -> str:
    """Return the family that AMD's index for a GPU is named by: gfx110X-all; "" if unknown."""
    found = device(gfx)
    return found.families[0] if found else ""


def members(family: str) -> tuple[str, ...]:
    """Return the GPUs of a family, however it is written (gfx94x-dcgpu), or of a target itself.

    As packages are named: rocm-sdk-libraries-gfx110X-all has code for four GPUs,
    rocm-sdk-device-gfx1151 for one. () for a name that is not known.
    """
    wanted = canonicalize_name(family)
    return tuple(
        each.gfx
        for each in devices()
        if wanted in {each.gfx, *map(canonicalize_name, each.families)}
    )


def extras(gpus: Iterable[str]) -> str:
    """Return the extras of torch, torchvision and rocm for GPUs: "device-gfx942,device-gfx950"."""
    targets = dict.fromkeys(each.partition(":")[0] for each in gpus)
    return ",".join(f"device-{each}" for each in targets)


def rocm_versions() -> tuple[str, ...]:
    """Return the releases of ROCm that AMD has a torch for, ascending."""
    return tuple(sorted({each.rocm for each in builds()}, key=Version))


def elsewhere(package: str, rocm: str = "") -> tuple[Elsewhere, ...]:
    """Return where the ROCm builds of a package are, the newest ROCm first; () if unknown.

    ``rocm`` is a version such as "7.2.1": then only what is for its major.minor.
    """
    wanted, minor = canonicalize_name(package), ".".join(rocm.split(".")[:2])
    return tuple(
        each
        for each in _elsewhere()
        if canonicalize_name(each.package) == wanted and (not rocm or minor in each.rocm)
    )


@cache
def _elsewhere() -> tuple[Elsewhere, ...]:
    return tuple(
        Elsewhere(
            each["package"],
            tuple(each["rocm"].split()),
            tuple(each["python"].split()),
            tuple(each["commands"]),
            each.get("note", ""),
            _sources(each),
        )
        for each in _data()["elsewhere"]
    )


def _is_for_windows(gfx: str) -> bool:
    found = device(gfx)
    return found is not None and found.windows


def _sources(row: dict[str, Any]) -> tuple[Source, ...]:
    return tuple(Source(**_data()["sources"][each]) for each in row["sources"])


@cache
def _data() -> dict[str, Any]:
    return tables.read(NAME, read_data, lambda found: str(found["as_of"]), _check)


def read_data(content: bytes) -> dict[str, Any]:
    """Read the file. Raises ValueError."""
    found: dict[str, Any] = json.loads(content)
    return found


def data() -> dict[str, Any]:
    """Return the table as its file has it."""
    return _data()


def _check(found: dict[str, Any], _: dict[str, Any]) -> None:
    """Check a fetched table. Raises ValueError, TypeError or LookupError where it is not one."""
    names = {each["name"] for each in found["indexes"]}
    for each in found["builds"]:
        Version(each["rocm"]), Version(each["torch"])
        texts = [each[name] for name in ("torchvision", "torchaudio", "python", "listed")]
        if not all(isinstance(text, str) for text in texts) or each["index"] not in names:
            message = f"not a build: torch {each['torch']}"
            raise ValueError(message)
        for companion in filter(None, (each["torchvision"], each["torchaudio"])):
            Version(companion)
    rows = [*found["builds"], *found["indexes"], *found["elsewhere"]]
    dates = [found["sources"][name]["date"] for row in rows for name in row["sources"]]
    urls = [each["url"] for each in (*found["indexes"], *found["sources"].values())]
    gpus = [text for each in found["devices"] for text in (each["gfx"], each["families"])]
    gpus += [each.get("devices", "") for each in found["indexes"]]
    for url in urls:
        url.format(family="", rocm="")
    if not all(isinstance(text, str) for text in (*dates, *urls, *gpus)):
        message = "not a text"
        raise TypeError(message)
