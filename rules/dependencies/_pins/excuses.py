"""Why requirements that exclude each other by PyPI's metadata may go together all the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY, is_pypi
from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from rocmlint.rule import File

    from .conflicts import Conflict

_PRERELEASES = compile_lazily(r"(?m)^\s*--pre\b")
_OF_CONDA = compile_lazily(r"@ file://\S*(?:/croot/|/feedstock_root/|/work/|/tmp/build/)")
"""Requirements that `pip freeze` writes for what conda built: folders of its build machines."""
_OF_PYTORCH = compile_lazily(r"(?:cpu|cu\d+|rocm\d+(?:\.\d+)+)$")
"""The labels of the builds at download.pytorch.org, which require what PyPI's releases do."""
_OF_OTHER_TRITON = compile_lazily(r"rocm|gfx\d|amd\.com|radeon\.com|/(?:cpu|xpu)(?:/|\Z)")
"""Indexes whose torch requires no package that is named triton."""
_PURE = frozenset(
    {"transformers", "diffusers", "accelerate", "peft", "trl", "huggingface-hub", "tokenizers"}
)
"""Packages without a build for some GPU: nobody builds them anew."""
_RELEASES_OF_PYTORCH = compile_lazily(
    r"https?://download(?:-r2)?\.pytorch\.org/whl(?:/(?:cpu|cu\d+|rocm\d+(?:\.\d+)*|xpu|torch))?"
    r"(?:/(?:torch\w*|torch_stable\.html|stable\.html)?)?\Z"
)
_CONFIGURED = compile_lazily(r"\bpip3? config\b|\bpip\.conf\b|\buv\.toml\b")


def takes_no_dependencies(conflict: Conflict, file: File) -> bool:
    """Commands with `--no-deps`."""
    from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

    del file
    command = conflict.owner.command
    install = None if command is None else install_of(command)
    return install is not None and install.no_dependencies


def takes_prereleases(conflict: Conflict, file: File) -> bool:
    """Commands and lists with `--pre`: nobody keeps the metadata of nightly builds."""
    command = conflict.owner.command
    if command is None:
        return _PRERELEASES.search(file.text) is not None
    return any(each.text == "--pre" for each in command.words)


def is_own_build(conflict: Conflict, file: File) -> bool:
    """Builds with a label of their own, `vllm==0.30.0+rocm723`: what they require is not known.

    `torch==2.12.0+git6bbd260` was built by somebody, with what he had; the wheels of torch for ROCm
    require their own Triton, under another name.
    """
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging

    del file
    owner, pinned = conflict.owner.name, pin(conflict.owner.requirement.specifier)
    if not conflict.demanded or pinned is None or pinned.local is None:
        return False
    is_for_triton = conflict.other.name == "triton"
    return owner not in FAMILY or is_for_triton or not _OF_PYTORCH.match(pinned.local)


def is_from_elsewhere(conflict: Conflict, file: File) -> bool:
    """Compiled packages from a source that is neither PyPI nor an index of PyTorch's releases.

    What a vendor's builds require, or builds of a day, nobody keeps: `repo.radeon.com` has
    torchvision 0.24.0 for torch 2.9.1.
    """
    if not conflict.demanded or conflict.owner.name in _PURE or _is_for_another_torch(conflict):
        return False  # two versions of one package exclude each other, whoever built them
    from .together import indexes_with  # noqa: PLC0415

    command = conflict.owner.command
    if command is not None and _CONFIGURED.search(file.text):
        return True
    return not all(map(_has_what_pypi_has, indexes_with(command, file)))


def _is_for_another_torch(conflict: Conflict) -> bool:
    """Return whether torchvision or torchaudio is for another minor release of torch.

    Whoever builds it builds the same release for the same torch, but perhaps for another patch.
    """
    if conflict.owner.name not in {"torchvision", "torchaudio"} or conflict.other.name != "torch":
        return False
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415 - loads packaging

    from rocmlint.published.requirements import pin  # noqa: PLC0415

    asked, torch = pin(SpecifierSet(conflict.demanded)), pin(conflict.other.requirement.specifier)
    if asked is None or torch is None or torch.is_prerelease:
        return False
    return asked.release[:2] != torch.release[:2]


def _has_what_pypi_has(url: str | None) -> bool:
    """Return whether the packages of an index require what those of PyPI do."""
    if url is None:
        return False
    return bool(_RELEASES_OF_PYTORCH.match(url)) or is_pypi(url)


def is_record(conflict: Conflict, file: File) -> bool:
    """`torch==2.7.0+rocm6.3` or a build of a day without an index, and what conda built.

    pip cannot install these as they stand: they say what an environment held, as `pip freeze` does.
    Other packages of the list exclude each other all the same.
    """
    if conflict.owner.command is not None or file.parts.indexes:
        return False
    if _OF_CONDA.search(file.text):
        return True
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging

    pinned = (pin(each.requirement.specifier) for each in (conflict.owner, conflict.other))
    is_build = any(each is not None and (each.local or each.is_devrelease) for each in pinned)
    return is_build and not _is_for_another_torch(conflict)


def is_of_machine(conflict: Conflict, file: File) -> bool:
    """Lists that `pip freeze` wrote, beside other requirements, and that nothing installs.

    No README, script, image, workflow or program of the project names such a list.
    """
    if conflict.owner.command is not None:
        return False
    from rocmlint.project.records import is_machine_record  # noqa: PLC0415 - few pins conflict

    return is_machine_record(os.path.abspath(file.path), file.project.folders[-1], file)


def has_own_triton(conflict: Conflict, file: File) -> bool:
    """Triton beside a torch from an index for ROCm or the CPU: its wheels do not require `triton`.

    pip takes `2.7.0+rocm6.2.4` for `torch==2.7.0` where it finds both, as a label sorts higher.
    """
    if conflict.owner.name not in FAMILY or conflict.other.name != "triton":
        return False
    from rocmlint.project import platforms  # noqa: PLC0415 - few pins conflict

    from .together import indexes_with  # noqa: PLC0415

    if platforms.of_name(file.place) == "rocm" or platforms.of_text(file.text) == "rocm":
        return True
    urls = indexes_with(conflict.owner.command, file)
    return any(url is None or _OF_OTHER_TRITON.search(url) for url in urls)


def is_overridden(conflict: Conflict, file: File) -> bool:
    """Packages whose required versions uv is told to override."""
    if conflict.owner.command is not None or "override-dependencies" not in file.text:
        return False
    names = {conflict.owner.name, conflict.other.name}
    return any(each.constraint and each.name in names for each in file.parts.declared)
