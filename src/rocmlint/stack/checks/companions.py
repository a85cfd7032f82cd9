"""Whether torchvision and torchaudio are of the installed torch, whoever built them.

The wheels of PyPI pin their torch; those of AMD and of others need not, and fail all the same:
``operator torchvision::nms does not exist``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.stack.advice.remedy import remedy
from rocmlint.stack.advice.torch_command import Surroundings, surroundings_of
from rocmlint.stack.verdicts import Verdict
from rocmlint.stack.wheels.install import COMPANIONS, released_with
from rocmlint.text.written import minor_release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.stack.installed.distributions import Distribution, Environment


def companions(environment: Environment, here: Surroundings | None = None) -> Iterator[Verdict]:
    """Judge those whose own metadata pin no torch, by what the release on PyPI pins.

    ``here`` is what another build would be chosen for.
    """
    cure = partial(remedy, here=here or surroundings_of(environment))
    torch = environment.get("torch")
    for package in filter(None, map(environment.get, COMPANIONS)):
        wanted = _torch_of(package)
        if torch is None or torch.parsed is None or wanted is None or _pins_torch(package):
            continue
        is_its = minor_release(torch.parsed) == minor_release(wanted)
        release = released_with(package.name, torch.parsed.public)
        minor = minor_release(Version(release)) if release else ""
        needs = Requirement(f"{package.name}=={minor}.*" if minor else package.name)
        yield Verdict(
            package.name,
            package.version,
            torch.name,
            torch.version,
            f"torch {minor_release(wanted)}",
            "built",
            "fits" if is_its else "conflict",
            reason=""
            if is_its
            else f"this release is for torch {minor_release(wanted)}: its "
            "operators cannot be used with another one",
            action="" if is_its else cure(torch, needs, package, "", environment.python),
            source=package.place,
        )


def _torch_of(package: Distribution) -> Version | None:
    """Return the torch that the release of this number requires on PyPI; None if unknown."""
    version = package.parsed
    if version is None or version.is_prerelease:
        return None
    try:
        asked = requirements.torch_requirement(package.name, Version(version.public))
    except KeyError:
        return None
    return None if asked is None else requirements.pin(asked)


def _pins_torch(package: Distribution) -> bool:
    """Return whether its own metadata name one torch, so that they are compared with it."""
    torch = (each for each in package.requires if canonicalize_name(each.name) == "torch")
    return any(requirements.pin(each.specifier) is not None for each in torch)
