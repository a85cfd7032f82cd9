"""Whether a command installs for ROCm: the nearest that says so decides, and says how."""

from __future__ import annotations

import os
import posixpath
import re
from typing import TYPE_CHECKING

from rocmlint.disk.questions import question
from rocmlint.formats import Role, has_role, headings_above
from rocmlint.formats.model import Word
from rocmlint.paths import relative
from rocmlint.project import platforms
from rocmlint.published.pytorch_index import is_other, is_rocm
from rocmlint.rule import Span, compile_lazily, once_per_file

from .requested import asked_by
from .words import CUDA_OF_CONDA

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.disk.disk import DiskView
    from rocmlint.rule import Command, Declared, File, Index, Install

_SEPARATOR = compile_lazily(r"[-_.:/]")
_OF_TRAINING = frozenset({"transformer-engine", "transformer-engine-torch", "flash-attn"})
_TRAINING = compile_lazily(r"megatron|primus|pytorch-training")
IMAGE = compile_lazily(r"(?<![\w./-])(?:docker\.io/)?(rocm/[\w.-]+(?::[\w.-]+)?)(?![\w./-])")
_OF_CPUS = compile_lazily(r"zentorch|zendnn|ryzen-?ai|(?<![a-z])(?:cpu|npu|xdna|epyc)(?![a-z])")
"""What else AMD builds images for."""
_DOCUMENTS = compile_lazily(
    r"(?i:readme\b.*|(?:.*\.)?(?:docker|container)file(?:\..*)?|(?:docker-)?compose\b.*\.ya?ml)\Z"
)
_OF_NVIDIA = compile_lazily(r"\b(?:nvidia|cuda)\b", re.IGNORECASE)
BY_PROJECT = "that is what the project's files are for"
"""The weakest evidence: the file itself says nothing."""


def rocm_evidence(command: Command, install: Install, file: File) -> str:
    """Return what shows that a command installs for ROCm; empty where nothing does.

    First the image that it runs in, then the names of the lists that it installs, its file, the
    name of that, the documents that name it, the indexes of the lists, and at last the project.
    Where one of them is for something else, or for several platforms, those behind it are not
    asked.
    """
    if file.settings.rocm is False:
        return ""
    image = command.image
    if has_role(file.path, Role.NVIDIA_ONLY):
        return ""
    if image is not None and _OF_CPUS.search(image.text.lower()):
        return ""
    if image is not None and (found := platforms.of_image(image)):
        return f"the image is `{image.text}`" if found == "rocm" else ""
    by_list = {platforms.of_name(posixpath.basename(each.text)) for each in install.files} - {""}
    if by_list and not has_role(file.path, Role.ON_RUNNERS):
        return _installs(install) if by_list == {"rocm"} else ""
    found = platforms.of_text(file.text)
    if found == "rocm":
        return f"the file names `{platforms.named(file.text)}`"
    by_name = platforms.of_name(_place(file))
    if found or by_name:
        return "the file's path says so" if by_name == "rocm" and found != "other" else ""
    if file.settings.rocm:
        return "the configuration says so"
    if has_role(file.path, Role.OWN_IMAGE):
        return ""
    by_document = _said_by_document(file)
    if by_document is not None:
        return by_document
    if install.files and _are_for_rocm(asked_by(command, install, file).indexes):
        return f"{_installs(install)}, with an index for ROCm"
    return BY_PROJECT if file.project.is_rocm else ""


def _installs(install: Install) -> str:
    return f"it installs `{install.files[0].text}`"


def _are_for_rocm(indexes: Sequence[Index]) -> bool:
    urls = [each.url for each in indexes]
    return any(map(is_rocm, urls)) and not any(map(is_other, urls))


def is_below_nvidia(command: Command, file: File) -> bool:
    """Return whether a command of a document is in a section for the GPUs of NVIDIA.

    The innermost heading that names GPUs decides; one that names those of AMD as well does not
    exclude them.
    """
    for heading in headings_above(file.path, file.text, command.span.line):
        if platforms.of_name(heading) in {"rocm", "mixed"}:
            return False
        if _OF_NVIDIA.search(heading):
            return True
    return False


def named(image: str) -> Word:
    """Return the name of an image as a word that stands in no file."""
    return Word(image, Span(1, 1, 1, 1))


def _place(file: File) -> str:
    """Return the path below the root of the repository: what lies above says nothing."""
    return relative(os.path.abspath(file.path), file.project.folders[-1])


@once_per_file
def documents_around(file: File) -> dict[str, str]:
    """Return the READMEs, Dockerfiles and compose files around a file, with their texts."""
    folders = dict.fromkeys((file.project.folders[0], file.project.folders[-1]))
    return {each: file.read(each) for folder in folders for each in _documents_in(folder, file)}


@question
def _documents_in(folder: str, view: DiskView) -> tuple[str, ...]:
    names = filter(_DOCUMENTS.match, view.names_in(folder))
    return tuple(os.path.join(folder, each) for each in names)


def _said_by_document(file: File) -> str | None:
    """Return what the documents say that name a file: which image is for ROCm; "" if for others."""
    name = os.path.basename(file.path)
    folders = dict.fromkeys((file.project.folders[0], file.project.folders[-1]))
    found = {each[0]: each[1] for folder in folders for each in _naming(name, folder, file)}
    if not found:
        return None
    return found.get("rocm", "") if len(found) == 1 else ""


@question
def _naming(name: str, folder: str, view: DiskView) -> tuple[tuple[str, str], ...]:
    """Return for which GPUs the documents of a folder are that name a file, and how they say so."""
    texts = {path: view.read(path) for path in _documents_in(folder, view)}
    return tuple(
        (platform, f"{os.path.basename(path)} names `{platforms.named(text)}`")
        for path, text in texts.items()
        if name in text and (platform := platforms.of_text(text))
    )


def packages_of_image(command: Command) -> Iterator[str]:
    """Yield what an image has: the words of its name, and for training more."""
    image = command.image
    if image is not None:
        yield from _SEPARATOR.split(image.text.lower())
        if _TRAINING.search(image.text.lower()):
            yield from _OF_TRAINING


def is_cuda_of_conda(declared: Declared, file: File) -> bool:
    """Return whether an environment file of conda asks for CUDA in a project that is for ROCm.

    That the configuration says, or the name of the file; a file that is for CUDA by its name is
    the other half of a project for both.
    """
    if declared.name not in CUDA_OF_CONDA or not file.path.endswith((".yml", ".yaml")):
        return False
    by_name = platforms.of_name(file.place)
    if file.settings.rocm is False or by_name in {"other", "mixed"}:
        return False
    return bool(file.settings.rocm) or by_name == "rocm"


def is_in_setup(file: File) -> bool:
    """Return whether a file is a setup.py, which is built for all platforms."""
    return "setup" in file.kinds and file.path.endswith(".py")
