"""The ROCm torch that is there when a command runs: which versions it may have, and who says so."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from rocmlint.project import platforms
from rocmlint.project.inclusions import parts_of
from rocmlint.published import pytorch_index, rocm_wheels
from rocmlint.published import requirements as published
from rocmlint.rule import compile_lazily, installs_of, once_per_file
from rocmlint.text.written import minor_release, requirement_of

from .._pins.demands import newest_rocm_torch
from .platform import IMAGE, documents_around, named

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    from rocmlint.rule import Command, File, Install, Word

_IN_TAG = compile_lazily(r"pytorch[_-](?:release[_-])?(\d+\.\d+(?:\.\d+)?)")
_WHEEL = compile_lazily(r"(?:^|/)(torch|torchvision|torchaudio)-(\d+\.\d+(?:\.\d+)?)[.+%-]")
_WITH_TORCH = compile_lazily(r"pytorch|torch|vllm|sglang|megatron|primus|verl|training")
_IMPORTS = compile_lazily(r"(?m)^(?:import|from)[ \t]+torch(?![\w-])")
OTHER_PLACE = compile_lazily(r"-m\s+venv\b|\bvirtualenv\b|\buv\s+venv\b|\bconda\s+create\b")
"""What makes an environment that has nothing of the image's."""

FOR_ONE_COMMAND = frozenset({"uv run"})
"""The tools, as installs name them, that leave what is installed as it is."""


class RocmTorch(NamedTuple):
    """A torch that is installed already.

    ``versions`` are those that it may have, () where any; ``packages`` what came with it.
    ``where`` says which one it is: of line 3, of the image.
    """

    where: str
    versions: tuple[Version, ...] = ()
    packages: frozenset[str] = frozenset(pytorch_index.FAMILY)
    from_wheel: bool = False
    renames_triton: bool = False
    """Its Triton has another name (pytorch-triton-rocm), as that of PyTorch's own wheels."""
    in_image: bool = False
    """It came with the image, whose Triton need not be the one that this release pins."""

    def meets(self, specifier: SpecifierSet) -> bool | None:
        """Return whether it is in a specifier; None where that depends on its version."""
        answers = {specifier.contains(each, prereleases=True) for each in self.versions}
        return answers.pop() if len(answers) == 1 else None

    @property
    def minor(self) -> str:
        """Its minor release, "" where there may be several."""
        minors = {minor_release(each) for each in self.versions}
        return minors.pop() if len(minors) == 1 else ""

    @property
    def described(self) -> str:
        """What it is, as far as that is known."""
        version = self.versions[0].public if len(self.versions) == 1 else self.minor
        return f"ROCm torch{version and f' {version}'} ({self.where})"


def is_from_rocm(install: Install) -> bool:
    """Return whether a command takes torch from an index for ROCm."""
    urls = (each.known_url for each in install.indexes)
    is_by_uv = install.torch_backend.startswith("rocm")
    return is_by_uv or any(url and pytorch_index.is_rocm(url) for url in urls)


def torch_around_command(command: Command, comes_later: bool, file: File) -> RocmTorch | None:
    """Return the ROCm torch that is there before the file installs one, ``comes_later``."""
    image = None if command.image is None else _of_image(command.image, "the image")
    there = image or _declared(file)
    if there is None and not comes_later and command.step.image is None:
        there = _imported(command, file) or torch_around(True, file)
    return there


def _imported(command: Command, file: File) -> RocmTorch | None:
    """Return the torch that the file has imported above a command, whatever happens."""
    end = _end_of_import(file)
    if end is None or end > file.offset_of(command.span.line):
        return None
    return RocmTorch("that the file imports")


@once_per_file
def _end_of_import(file: File) -> int | None:
    first = _IMPORTS.search(file.text)
    return None if first is None else first.end()


def installed_by(install: Install, where: str) -> RocmTorch | None:
    """Return the ROCm torch that a command installs; ``where`` is how messages name its place."""
    wheels = {
        match[1]: match[2]
        for word in install.locations
        if (match := _WHEEL.search(word.text)) and "rocm" in word.text
    }
    if "torch" in wheels:
        return RocmTorch(where, (Version(wheels["torch"]),), frozenset(wheels), from_wheel=True)
    names, urls = install.names, [each.known_url for each in install.indexes]
    torch = next(iter(install.required("torch")), None)
    is_local = torch is not None and "+rocm" in str(torch.specifier)
    # In a file for ROCm, an index that only the run knows is one for ROCm.
    if "torch" not in names or not (is_local or None in urls or is_from_rocm(install)):
        return None
    packages = names.intersection(pytorch_index.FAMILY)
    versions = _versions(torch, install) if torch is not None else ()
    is_pytorch = any(url and pytorch_index.pytorch_index(url) for url in urls)
    return RocmTorch(where, versions, packages, from_wheel=True, renames_triton=is_pytorch)


def _versions(torch: Requirement, install: Install) -> tuple[Version, ...]:
    """Return the versions that pip may take from the index: a pin, or the newest minor release."""
    pinned = published.pin(torch.specifier)
    if pinned is not None:
        return (pinned,)
    index = next(
        (found for each in install.indexes if (found := pytorch_index.pytorch_index(each.url))),
        None,
    )
    if index is None or index.kind:
        return ()
    minors = rocm_wheels.torch_for(index.version)
    of_index = [
        each
        for each in published.releases("torch")
        if minor_release(each) in minors and torch.specifier.contains(each)
    ]
    newest = of_index[-1:]
    return tuple(each for each in of_index if each.release[:2] == newest[0].release[:2])


def _of_image(image: Word, described: str) -> RocmTorch | None:
    """Return the torch that an image has by its name."""
    if platforms.of_image(image) != "rocm" or not _WITH_TORCH.search(image.text):
        return None
    match = _IN_TAG.search(image.text)
    versions = (Version(match[1]),) if match else ()
    return RocmTorch(f"of {described}", versions, in_image=True)


@once_per_file
def torch_around(is_named: bool, file: File) -> RocmTorch | None:
    """Return the torch of an image for ROCm that a README, Dockerfile or compose file names.

    If it ``is_named``, only where one of them names the file too; then also what they install. None
    for a file that makes an environment of its own.
    """
    texts = documents_around(file)
    runs_here = any(os.path.basename(file.path) in text for text in texts.values())
    if OTHER_PLACE.search(file.text) or (is_named and not runs_here):
        return None
    for path, text in texts.items():
        name = os.path.basename(path)
        commands = installs_of(parts_of(path, text).commands) if is_named else ()
        found = [
            *(_of_image(named(each), f"the image in {name}") for each in IMAGE.findall(text)),
            *(installed_by(install, f"of {name}") for _, install in commands),
        ]
        torch = next(filter(None, reversed(found)), None)
        if torch is not None:
            return torch
    return None


@once_per_file
def _declared(file: File) -> RocmTorch | None:
    """Return the build for ROCm that the project pins."""
    for each in file.project.requirements("torch"):
        if each.declared.group or each.declared.constraint:
            continue
        requirement = requirement_of(each.declared.text)
        pinned = None if requirement is None else published.pin(requirement.specifier)
        if pinned is not None and "rocm" in (pinned.local or ""):
            return RocmTorch("that the project pins", (pinned,))
    return None


def keeps(requirement: Requirement, torch: RocmTorch) -> bool | None:
    """Return whether what came with a torch meets a requirement of torch or of its family.

    None where that depends on its version and the requirement is narrow: the newest torch for ROCm
    does not meet it, or it is a pin.
    """
    answers = {_meets(requirement, each) for each in torch.versions}
    if len(answers) == 1:
        return answers.pop()
    newest = newest_rocm_torch()
    is_pinned = published.pin(requirement.specifier) is not None
    return None if is_pinned or newest is None or not _meets(requirement, newest) else True


def _meets(requirement: Requirement, torch: Version) -> bool:
    """Return whether a torch meets a requirement, or the torchvision or torchaudio of that torch.

    A build of its own version (0.24.0+rocm6.4) counts as its release.
    """
    name, specifier = requirement.name.lower(), requirement.specifier
    if name == "torch":
        return specifier.contains(torch, prereleases=True)
    allowed = (each for each in published.releases(name) if specifier.contains(each))
    return any(_goes_with(name, each, torch) for each in allowed)


def _goes_with(name: str, release: Version, torch: Version) -> bool:
    """Return whether a release is for a torch, or for a patch release of the same minor one.

    AMD has torchvision 0.24.0 for torch 2.9.1, which PyTorch has for 2.9.0.
    """
    try:
        required = published.torch_requirement(name, release)
    except KeyError:
        return False
    if required is None or required.contains(torch.public, prereleases=True):
        return True
    pinned = published.pin(required)
    return pinned is not None and pinned.release[:2] == torch.release[:2]
