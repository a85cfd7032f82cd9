"""What conda installs of PyTorch: a build for CUDA or the CPU, as its channels have no other.

conda-forge's PyTorch has no variant for ROCm (pytorch-cpu-feedstock, issues 198 and 229, as of
2026-06), and the channel ``pytorch`` never had one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .cases import Harm

if TYPE_CHECKING:
    from rocmlint.rule import Command, Declared, File, Install

    from .cases import Case

_FAMILY = frozenset({"pytorch", "pytorch-gpu", "torchvision", "torchaudio"})
_CHANNELS = frozenset({"pytorch", "conda-forge", "defaults", "anaconda", "main"})
"""Those that are known to have no build for ROCm."""
_MEANT = ("cpu", "cuda", "rocm", "hip")
"""A build or a package that says so is meant to be what it is."""
CUDA_OF_CONDA = ("pytorch-cuda",)
"""What chooses the build of PyTorch for CUDA; no other package needs it."""


def is_cuda_of_conda(declared: Declared, file: File) -> bool:
    """Return whether an environment file of conda asks for CUDA in a project that is for ROCm.

    That the configuration says, or the name of the file; a file that is for CUDA by its name is
    the other half of a project for both.
    """
    from rocmlint.project import platforms  # noqa: PLC0415 - few files ask

    if declared.name not in CUDA_OF_CONDA or not file.path.endswith((".yml", ".yaml")):
        return False
    by_name = platforms.of_name(file.place)
    if file.settings.rocm is False or by_name in {"other", "mixed"}:
        return False
    return bool(file.settings.rocm) or by_name == "rocm"


def harm(case: Case) -> Harm | None:
    """Return that conda installs PyTorch, and where; None where it does not."""
    asked = case.install.requirements
    place = next((each.word for each in asked if each.name in _FAMILY), None)
    if place is None or _may_be_for_rocm(case.command, case.install):
        return None
    message = "conda installs PyTorch for CUDA or the CPU: its channels have no build for ROCm"
    if case.torch is not None:
        message = f"conda puts PyTorch for CUDA or the CPU over the {case.torch.described}"
    advice = (
        f"Install torch with pip: `rocmlint stack install-command` prints the command. "
        f"This is for ROCm: {case.evidence}."
    )
    return Harm(case, "conda", place, message, advice)


def _may_be_for_rocm(command: Command, install: Install) -> bool:
    """Return whether a word says what a package is built for, or a channel may have that build."""
    words = [each.text.lower() for each in command.words[1:]]
    if any(part in word for word in words for part in _MEANT):
        return True
    channels = [each.word.text.rpartition("::")[0] for each in install.requirements]
    for word, following in pairwise([*words, ""]):
        option, _, value = word.partition("=")
        channels.append((value or following) if option in {"-c", "--channel"} else "")
    return any(each.rpartition("/")[2] not in _CHANNELS for each in channels if each)
