"""Why requirements that exclude each other by PyPI's metadata may go together all the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY, is_pypi
from rocmlint.rule import compile_lazily, occurs

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


def ignores_requirements(conflict: Conflict, file: File) -> bool:
    """Commands with `--no-deps`, and packages whose required versions uv overrides.

    Written for Liquid4All/leap-finetune, pyproject.toml.
    """
    from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

    command = conflict.owner.command
    if command is not None:
        install = install_of(command)
        return install is not None and install.no_dependencies
    names = {conflict.owner.name, conflict.other.name}
    return "override-dependencies" in file.text and any(
        each.constraint and each.name in names for each in file.parts.declared
    )


def is_other_build(conflict: Conflict, file: File) -> bool:
    """Builds with a label of their own, of a day (`--pre`), or from an index that is not PyPI's.

    What a vendor's builds require, or builds of a day, nobody keeps: `repo.radeon.com` has
    torchvision 0.24.0 for torch 2.9.1. Indexes of PyTorch's releases have what PyPI has.
    """
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging

    from .installed_together import indexes_with  # noqa: PLC0415

    command, owner = conflict.owner.command, conflict.owner
    words = () if command is None else command.words
    if any(each.text == "--pre" for each in words):
        return True
    if command is None and occurs(_PRERELEASES, file):
        return True
    if not conflict.demanded:
        return False  # two versions of one package exclude each other, whoever built them
    pinned = pin(owner.requirement.specifier)
    if pinned is not None and pinned.local is not None:
        is_own = owner.name not in FAMILY or conflict.other.name == "triton"
        if is_own or not _OF_PYTORCH.match(pinned.local):
            return True
    if owner.name in _PURE or _is_for_another_torch(conflict):
        return False
    if command is not None and occurs(_CONFIGURED, file):
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
    """Lists that `pip freeze` wrote and nothing installs, or that hold what pip cannot install.

    That is `torch==2.7.0+rocm6.3` or a build of a day without an index, and what conda built.
    Other packages of such a list exclude each other all the same.
    """
    from rocmlint.project.records import is_machine_record  # noqa: PLC0415 - few pins conflict
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - loads packaging

    if conflict.owner.command is not None:
        return False
    if is_machine_record(os.path.abspath(file.path), file.project.folders[-1], file):
        return True
    if file.parts.indexes or occurs(_OF_CONDA, file):
        return not file.parts.indexes
    pinned = (pin(each.requirement.specifier) for each in (conflict.owner, conflict.other))
    is_build = any(each is not None and (each.local or each.is_devrelease) for each in pinned)
    return is_build and not _is_for_another_torch(conflict)


def has_own_triton(conflict: Conflict, file: File) -> bool:
    """Triton beside a torch from an index for ROCm or the CPU: its wheels do not require `triton`.

    pip takes `2.7.0+rocm6.2.4` for `torch==2.7.0` where it finds both, as a label sorts higher.

    Written for unslothai/unsloth, studio/backend/requirements/engines/vllm-linux-rocm723.txt.
    """
    if conflict.owner.name not in FAMILY or conflict.other.name != "triton":
        return False
    from rocmlint.project import platforms  # noqa: PLC0415 - few pins conflict

    from .installed_together import indexes_with  # noqa: PLC0415

    if platforms.of_name(file.place) == "rocm" or platforms.of_text(file.text) == "rocm":
        return True
    urls = indexes_with(conflict.owner.command, file)
    return any(url is None or _OF_OTHER_TRITON.search(url) for url in urls)
