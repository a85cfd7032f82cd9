"""AMD's own wheels of an interpreter: which GPUs they have code for, and whether they fit together.

A multi-arch release has host code in rocm-sdk-libraries and torch, and the code for a GPU in
rocm-sdk-device-gfx1151 and amd-torch-device-gfx1151; one for a family of GPUs has all of it in
rocm-sdk-libraries-gfx110X-all and torch (docs/packaging/python_packaging.md of ROCm/TheRock).
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published import amd_wheels
from rocmlint.stack.installed.rocm_reading import first_version
from rocmlint.stack.verdicts import Verdict
from rocmlint.stack.wheels.amd_parts import (
    CORE,
    DEVICE,
    FAMILY,
    HOST,
    SDK,
    family_url,
    index_for,
    install,
    install_from,
    is_build_of_amd,
    is_of_amd,
    rocm_of,
)
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.requirements import Requirement

    from rocmlint.gpus.devices import Devices
    from rocmlint.stack.installed.distributions import Distribution, Environment

_WITH_DEVICES = ("torch", "torchvision")
_POST = re.compile(r"\.post\d+")
_NO_CODE, _NO_DEVICE_CODE = "hipErrorNoBinaryForGpu", "hipErrorInvalidImage"
"""How kernels fail: of a file with code for other GPUs, and of host code (ROCm/TheRock#7839)."""

_TORCH_FIRST = "install the other torch first, then run this again: it may come with another ROCm"


@dataclass(frozen=True)
class _Code:
    """Packages with code for GPUs: host code without any, or a package whose name says for which.

    ``needs`` is the requirement with the extra that installs the code.
    """

    package: Distribution
    names: tuple[str, ...]
    is_host: bool
    needs: str

    def runs_on(self, gpu: str) -> bool:
        return any(gpu in _targets(each) for each in self.names)


def amd_packages(
    environment: Environment, devices: Devices, *, replaces_torch: bool = False
) -> Iterator[Verdict]:
    """Judge AMD's wheels: against the GPUs, and against each other where no metadata does.

    ``replaces_torch`` says that another torch is advised, which installs a ROCm: then the code for
    a GPU is not required in the installed versions.
    """
    yield from _versions(environment)
    found = list(_found(environment))
    for code in found:
        beside = [each for each in found if each is not code and not (each.is_host or code.is_host)]
        for each in _for_devices(code, environment, devices.architectures, beside):
            waits = replaces_torch and "pip install" in each.action
            yield replace(each, action=_TORCH_FIRST) if waits else each


def _targets(name: str) -> tuple[str, ...]:
    """Return the GPUs that a package is for by its name; one that is newer than the data itself.

    torch's packages are for whole generations, too: amd-torch-device-gfx11.
    """
    known = tuple(each.gfx for each in amd_wheels.devices())
    generation = tuple(each for each in known if each[:-2] == name)
    return amd_wheels.members(name) or generation or (name,)


def _found(environment: Environment) -> Iterator[_Code]:
    of: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for each in environment.distributions:
        device = DEVICE.fullmatch(each.name)
        if device:
            of[device[1]] += (device[2],)
    for each in environment.distributions:
        family = FAMILY.fullmatch(each.name)
        if family:
            yield _Code(each, (family[1], *of["rocm-sdk"]), is_host=False, needs="rocm[libraries]")
    host = environment.get(HOST)
    if host:
        yield _Code(host, of["rocm-sdk"], is_host=True, needs="rocm[libraries,{}]")
    for name in _WITH_DEVICES:
        package, names = environment.get(name), of[f"amd-{name}"]
        if (
            package
            and is_build_of_amd(package.version)
            and (names or any(map(_is_for_device, package.requires)))
        ):
            yield _Code(package, names, is_host=True, needs=f"{name}[{{}}]")


def _is_for_device(requirement: Requirement) -> bool:
    return DEVICE.fullmatch(canonicalize_name(requirement.name)) is not None


def _for_devices(
    code: _Code, environment: Environment, gpus: Iterable[str], beside: Iterable[_Code]
) -> Iterator[Verdict]:
    """Yield a verdict for each GPU; what has code for none is wrong without a GPU, too.

    ``beside`` are the libraries of other families, one of which may have the code that this lacks.
    """
    gpus = tuple(dict.fromkeys(gpus))
    missed = [gpu for gpu in gpus if not code.runs_on(gpu)]
    for gpu in gpus:
        if gpu not in missed:
            yield _verdict(code.package, gpu)
    if code.is_host and not code.names:
        about = gpus[0] if gpus else "GPU"
        yield replace(
            _verdict(code.package, about),
            found=None,
            judgement="conflict",
            reason="it has host code only, and no matching package with code for a GPU is "
            f"installed: kernels fail with {_NO_DEVICE_CODE}",
            action=_cure(code, environment, gpus),
        )
        return
    if not missed:
        return
    is_one_of_many = len(missed) < len(gpus)  # an integrated one beside the one that is meant
    effect = f"kernels fail with {_NO_DEVICE_CODE if code.is_host else _NO_CODE}"
    has = " ".join(dict.fromkeys(gfx for name in code.names for gfx in _targets(name)))
    other = next((each for each in beside if all(map(each.runs_on, missed))), None)
    if other is not None:
        yield replace(
            _verdict(code.package, " ".join(missed)),
            judgement="note",
            reason=f"it has code for {has}, not for {' or '.join(missed)}; {other.package} has "
            "that",
            action=f"pip uninstall -y {code.package.name}" * (not is_one_of_many),
        )
        return
    yield replace(
        _verdict(code.package, " ".join(missed)),
        judgement="note" if is_one_of_many else "conflict",
        reason=f"it has code for {has}, not for {' or '.join(missed)}: {effect}",
        action=_for_one_of_many(code, environment, missed)
        if is_one_of_many
        else _cure(code, environment, missed),
    )


def _verdict(package: Distribution, gpu: str) -> Verdict:
    requirement = f"code for {gpu}" if gpu.startswith("gfx") else "code for a GPU"
    return Verdict(
        package.name, package.version, gpu, gpu, requirement, "built", "fits", source=package.place
    )


def _versions(environment: Environment) -> Iterator[Verdict]:
    """Compare what is published together where no metadata that always counts asks for it."""
    required = {
        each.name
        for one in environment.distributions
        for each in one.requires
        if "extra" not in str(each.marker)
    }
    for each in environment.distributions:
        yield from _left_behind(each, environment)
        other = _of_one_release(each, environment)
        is_part = is_of_amd(each.name) and each is not other and each.name != "rocm"
        if is_part and other and not _is_same_version(each, other) and each.name not in required:
            yield Verdict(
                each.name,
                each.version,
                other.name,
                other.version,
                f"{other.name}=={each.version}",
                "built",
                "conflict",
                reason=f"both must be from the same release, but {other} is installed",
                action=_as(other, each),
                source=each.place,
            )


def _left_behind(part: Distribution, environment: Environment) -> Iterator[Verdict]:
    """Yield a note on code for a GPU of AMD's torch, where another one for ROCm has replaced it.

    What else is advised may go back to AMD's torch, which needs it.
    """
    device = DEVICE.fullmatch(part.name)
    host = environment.get(device[1].removeprefix("amd-")) if device else None
    if host and "+rocm" in host.version and not is_build_of_amd(host.version):
        yield Verdict(
            part.name,
            part.version,
            host.name,
            host.version,
            f"{host.name}=={part.version}",
            "built",
            "note",
            reason=f"it is code of AMD's {host.name}, but {host} is a build of PyTorch's",
            action=f"if {host} stays: pip uninstall -y {part.name}",
            source=part.place,
        )


def _as(other: Distribution, part: Distribution) -> str:
    """Return how a part is installed in the version of another, or done without.

    Families have their own indexes, and without the core there is nothing.
    """
    if FAMILY.fullmatch(part.name) or not first_version(rocm_of(other.version)):
        right = f"install {part.name} {other.version} from the index of {other.name}"
    else:
        right = install(other.version, f"{part.name}=={other.version}")
    return right if part.name == CORE else f"{right}, or uninstall it"


def _of_one_release(part: Distribution, environment: Environment) -> Distribution | None:
    """Return what a part shares its version with: for code of torch's that is torch.

    None for a torch that is not AMD's: the comparison with ROCm reports what has replaced that.
    """
    device = DEVICE.fullmatch(part.name)
    of = device[1].removeprefix("amd-") if device else ""
    if of not in _WITH_DEVICES:
        return _middle(environment)
    host = environment.get(of)
    return host if host and is_build_of_amd(host.version) else None


def _middle(environment: Environment) -> Distribution | None:
    """Return the package that has the release of the SDK: its core, unless only that differs."""
    core, rocm = environment.get(CORE), environment.get("rocm")
    if core is None or rocm is None or _is_same_version(core, rocm):
        return core
    parts = (each for each in environment.distributions if SDK.fullmatch(each.name))
    return rocm if any(_is_same_version(each, rocm) for each in parts if each is not core) else core


def _is_same_version(one: Distribution, other: Distribution) -> bool:
    """Compare versions, which may be written in more than one way (+devrocm7.12.0.dev0-849eec4).

    A post release is the same build, packed again.
    """
    first, second = (version_of(_POST.sub("", str(each.parsed))) for each in (one, other))
    return one.version == other.version or (first is not None and first == second)


def _release(code: _Code, core: Distribution | None) -> str:
    """Return the release that code belongs to: that of the core, or the one in its own version."""
    return rocm_of(core.version if core else code.package.version)


def _cure(code: _Code, environment: Environment, gpus: Iterable[str]) -> str:
    """Return the command that installs the code for GPUs, in the versions that are installed.

    An index for a family has that of the first one only.
    """
    gpus = tuple(gpus)
    torch, core = environment.get("torch"), environment.get(CORE)
    rocm = _release(code, core)
    if not first_version(rocm):
        return f"{code.package} is a build of your own: build the code for this GPU with it"
    index = index_for(rocm) if code.is_host else amd_wheels.index("family")
    had = [gpu for gpu in gpus if gpu in index.devices]
    if gpus and not had:
        return _newer(gpus[0], index)
    if code.is_host:
        extras = amd_wheels.extras(had or ("gfx...",))
        version = rocm if code.package.name == HOST else code.package.version
        return install_from(index.url, f"{code.needs.format(extras)}=={version}")
    parts = [f"{code.needs}=={code.package.version}", f"torch=={torch.version}" if torch else ""]
    url = family_url(rocm)
    families = [each.name for each in environment.distributions if FAMILY.fullmatch(each.name)]
    removed = [*families, "rocm", *(["torch"] if torch else [])]
    new = install_from(url.format(family=amd_wheels.family_of(had[0])), *filter(None, parts))
    return f"pip uninstall -y {' '.join(removed)}, then {new}"


def _for_one_of_many(code: _Code, environment: Environment, gpus: Iterable[str]) -> str:
    """Return what to do about GPUs without code; extras add to what is there."""
    hide = "hide this GPU from the job with HIP_VISIBLE_DEVICES"
    rocm = _release(code, environment.get(CORE))
    if not code.is_host or not first_version(rocm):
        return hide
    has_code = [gpu for gpu in gpus if gpu in index_for(rocm).devices]
    return f"{hide}, or add its code: {_cure(code, environment, has_code)}" if has_code else hide


def _newer(gpu: str, index: amd_wheels.Index) -> str:
    """Return where the code for a GPU is that an index does not have."""
    others = [each for each in amd_wheels.indexes() if each.kind == "extra" and gpu in each.devices]
    if not others:
        return f"AMD has no wheels for {gpu}"
    new = install_from(others[0].url, f"torch[{amd_wheels.extras([gpu])}]")
    of = "AMD's indexes for a family" if index.kind == "family" else index.url
    return f"there is no code for {gpu} in {of}; in a new environment: {new}"
