"""What conda installs of PyTorch: a build for CUDA or the CPU, as its channels have no other.

conda-forge's PyTorch has no variant for ROCm (pytorch-cpu-feedstock, issues 198 and 229, as of
2026-06), and the channel ``pytorch`` never had one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cases import Harm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.rule import Command, Declared, File, Install, Word

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
    if place is None:
        return None
    message = "conda installs PyTorch for CUDA or the CPU: its channels have no build for ROCm"
    if case.torch is not None:
        message = f"conda puts PyTorch for CUDA or the CPU over the {case.torch.described}"
    advice = (
        f"Install torch with pip: `rocmlint stack install-command` prints the command. "
        f"This is for ROCm: {case.evidence}."
    )
    return Harm(case, "conda", place, message, advice)


def names_build(command: Command) -> bool:
    """Return whether a word says what a package is built for."""
    return any(part in word.text.lower() for word in command.words[1:] for part in _MEANT)


def has_other_channel(command: Command, install: Install) -> bool:
    """Return whether a channel is asked that may have a build for ROCm."""
    channels = [*_channels(command.words), *_prefixes(install)]
    return any(each.rpartition("/")[2] not in _CHANNELS for each in channels)


def _channels(words: Sequence[Word]) -> Iterator[str]:
    for word, following in zip(words, (*words[1:], None), strict=True):
        if word.text in {"-c", "--channel"} and following is not None:
            yield following.text
        elif word.text.startswith("--channel="):
            yield word.text.partition("=")[2]


def _prefixes(install: Install) -> Iterator[str]:
    """Yield the channels that stand before packages: ``conda-forge::pytorch``."""
    for each in install.requirements:
        channel, colons, _ = each.word.text.rpartition("::")
        if colons:
            yield channel
