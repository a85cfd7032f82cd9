"""Whether a command installs for ROCm: the nearest that says so decides, and says how."""

from __future__ import annotations

import os
import posixpath
import re
from typing import TYPE_CHECKING

from rocmlint.disk.questions import question
from rocmlint.formats import format_of
from rocmlint.formats.model import Word
from rocmlint.paths import relative
from rocmlint.published.pytorch_index import is_other, is_rocm
from rocmlint.rule import Span, compile_lazily, once_per_file

from .requested import asked_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.disk.disk import DiskView
    from rocmlint.rule import Command, File, Index, Install

IMAGE = compile_lazily(r"(?<![\w./-])(?:docker\.io/)?(rocm/[\w.-]+(?::[\w.-]+)?)(?![\w./-])")
_OF_CPUS = compile_lazily(r"zentorch|zendnn|ryzen-?ai|(?<![a-z])(?:cpu|npu|xdna|epyc)(?![a-z])")
"""What else AMD builds images for."""
_DOCUMENTS = compile_lazily(
    r"(?i:readme\b.*|(?:.*\.)?(?:docker|container)file(?:\..*)?|(?:docker-)?compose\b.*\.ya?ml)\Z"
)
_NEVER_ROCM = "cog"
"""The format of a program that builds images for the GPUs of NVIDIA, and for none."""
_OF_NVIDIA = compile_lazily(r"\b(?:nvidia|cuda)\b", re.IGNORECASE)
_WITH_IMAGES = frozenset({"dockerfile", "workflow", "apptainer"})
"""Formats that name the image that their commands run in."""
_ON_RUNNERS = "workflow"
"""The format whose jobs may install a list for ROCm where no GPU is, to run the tests."""
BY_PROJECT = "that is what the project's files are for"
"""The weakest evidence: the file itself says nothing."""


def rocm_evidence(command: Command, install: Install, file: File) -> str:
    """Return what shows that a command installs for ROCm; empty where nothing does.

    First the image that it runs in, then the names of the lists that it installs, its file, the
    name of that, the documents that name it, the indexes of the lists, and at last the project.
    Where one of them is for something else, or for several platforms, those behind it are not
    asked.
    """
    from rocmlint.project import platforms  # noqa: PLC0415 - few files install anything

    if file.settings.rocm is False:
        return ""
    image = command.image
    if _format(file.path) == _NEVER_ROCM:
        return ""
    if image is not None and _OF_CPUS.search(image.text.lower()):
        return ""
    if image is not None and (found := platforms.of_image(image)):
        return f"the image is `{image.text}`" if found == "rocm" else ""
    by_list = {platforms.of_name(posixpath.basename(each.text)) for each in install.files} - {""}
    if by_list and _format(file.path) != _ON_RUNNERS:
        return _installs(install) if by_list == {"rocm"} else ""
    found = platforms.of_text(file.text)
    if found == "rocm":
        return f"the file names `{platforms.named(file.text)}`"
    by_name = platforms.of_name(_place(file))
    if found or by_name:
        return "the file's path says so" if by_name == "rocm" and found != "other" else ""
    if file.settings.rocm:
        return "the configuration says so"
    if _format(file.path) in _WITH_IMAGES:
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
    from rocmlint.formats import headings_above  # noqa: PLC0415 - only of documents
    from rocmlint.project import platforms  # noqa: PLC0415

    for heading in headings_above(file.path, file.text, command.span.line):
        if platforms.of_name(heading) in {"rocm", "mixed"}:
            return False
        if _OF_NVIDIA.search(heading):
            return True
    return False


def named(image: str) -> Word:
    """Return the name of an image as a word that stands in no file."""
    return Word(image, Span(1, 1, 1, 1))


def _format(path: str) -> str:
    found = format_of(path)
    return "" if found is None else found.name


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
    from rocmlint.project import platforms  # noqa: PLC0415

    name = os.path.basename(file.path)
    texts = {path: text for path, text in documents_around(file).items() if name in text}
    found = {platforms.of_text(text): path for path, text in texts.items()}
    found.pop("", None)
    if not found:
        return None
    path = found.get("rocm")
    if path is None or len(found) > 1:
        return ""
    return f"{os.path.basename(path)} names `{platforms.named(texts[path])}`"
