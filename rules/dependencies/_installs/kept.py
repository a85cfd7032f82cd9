"""Whether pip keeps the torch, torchvision or torchaudio that is there, or takes PyPI's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.version import Version

    from .rocm_torch import RocmTorch


def keeps(requirement: Requirement, torch: RocmTorch) -> bool | None:
    """Return whether what came with a torch meets a requirement of torch or of its family.

    None where that depends on its version and the requirement is narrow: the newest torch for ROCm
    does not meet it, or it is a pin.
    """
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging

    from .._pins.demands import newest_rocm_torch  # noqa: PLC0415

    answers = {_meets(requirement, each) for each in torch.versions}
    if len(answers) == 1:
        return answers.pop()
    newest = newest_rocm_torch()
    is_pinned = published.pin(requirement.specifier) is not None
    return None if is_pinned or newest is None or not _meets(requirement, newest) else True


def _meets(requirement: Requirement, torch: Version) -> bool:
    """Return whether a torch meets a requirement, or the torchvision or torchaudio of that torch.

    A build of its own version (0.24.0+rocm6.4) stands for its release.
    """
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging

    name, specifier = requirement.name.lower(), requirement.specifier
    if name == "torch":
        return specifier.contains(torch, prereleases=True)
    allowed = (each for each in published.releases(name) if specifier.contains(each))
    return any(_goes_with(name, each, torch) for each in allowed)


def _goes_with(name: str, release: Version, torch: Version) -> bool:
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging

    try:
        required = published.torch_requirement(name, release)
    except KeyError:
        return False
    return required is None or required.contains(torch.public, prereleases=True)
