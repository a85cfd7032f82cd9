"""Whether a command installs for ROCm: the nearest that says so decides, and says how."""

from __future__ import annotations

import os
import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats import format_of, is_notebook
from rocmlint.formats.model import Word
from rocmlint.paths import relative
from rocmlint.published.pytorch_index import is_other, is_rocm
from rocmlint.rule import Span, compile_lazily, once_per_file

from .requested import asked_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.rule import Command, File, Index, Install

_BLOCK = compile_lazily(r"(?s)^[ \t]*(?:```|~~~)[^\n]*\n(.*?)^[ \t]*(?:```|~~~)", re.MULTILINE)
_RUN = compile_lazily(r"\b(?:docker|podman)\s+(?:container\s+)?(?:run|create)\b")
IMAGE = compile_lazily(r"(?<![\w./-])(?:docker\.io/)?(rocm/[\w.-]+(?::[\w.-]+)?)(?![\w./-])")
_OF_CPUS = compile_lazily(r"zentorch|zendnn|ryzen-?ai|(?<![a-z])(?:cpu|npu|xdna|epyc)(?![a-z])")
"""What else AMD builds images for."""
_OTHER_GPUS = compile_lazily(r"--gpus\b|nvcr\.io|nvidia|cuda")
_NEVER_ROCM = "cog"
"""The format of a program that builds images for the GPUs of NVIDIA, and for none."""
_OTHER_IN_PROSE = compile_lazily(
    r"\bNVIDIA\b|\bCUDA\b|\bColab\b|\b(?:L4|T4|V100|A10G?|A100|H[12]00|RTX)\b"
)
"""The GPUs, and the place, of which a text says that a notebook was made for them."""
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
    name of that, the image that the file is copied to, the indexes of the lists, and at last the
    project. Where one of them is for something else, or for several platforms, those behind it
    are not asked.
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
        return _said_by_name(file) if by_name == "rocm" and found != "other" else ""
    if file.settings.rocm:
        return "the configuration says so"
    if _format(file.path) in _WITH_IMAGES:
        return ""
    started = started_in(file)
    if started is not None:
        return f"{started.document} starts `{started.image.text}` for it"
    build = _build_with(file)
    if build:
        return build if build != "other" else ""
    if install.files and _are_for_rocm(asked_by(command, install, file).indexes):
        return f"{_installs(install)}, with an index for ROCm"
    return BY_PROJECT if file.project.is_rocm else ""


def _installs(install: Install) -> str:
    return f"it installs `{install.files[0].text}`"


def _are_for_rocm(indexes: Sequence[Index]) -> bool:
    urls = [each.url for each in indexes]
    return any(map(is_rocm, urls)) and not any(map(is_other, urls))


def _said_by_name(file: File) -> str:
    """Return that the path is for ROCm; a notebook in such a directory may tell of another GPU."""
    from rocmlint.project import platforms  # noqa: PLC0415

    if platforms.of_name(os.path.basename(file.path)):
        return "the file's name says so"
    tells = is_notebook(file.path) and any(map(_OTHER_IN_PROSE.search, file.parts.prose))
    return "" if tells else "the name of its directory says so"


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


class Started(NamedTuple):
    """An image that people are told to start a file in, and the document that tells them."""

    document: str
    image: Word


def image_at(command: Command, file: File) -> Word | None:
    """Return the image that a command runs in: of its step, else the one that a document starts."""
    if command.image is not None or command.step.image is not None:
        return command.image
    started = started_in(file)
    return None if started is None else started.image


@once_per_file
def started_in(file: File) -> Started | None:
    """Return the image for ROCm that a README starts before it runs a script, or a notebook itself.

    Only where it is certain: a code block starts the image and then the script, or the notebook
    starts it and no other for Jupyter.
    """
    if is_notebook(file.path):
        blocks = [block for text in file.parts.prose for block in _BLOCK.findall(text)]
        found = set(_ran(blocks)) if any("jupyter" in each for each in blocks) else set()
        return (
            Started("the notebook", named(*found)) if len(found) == 1 and "" not in found else None
        )
    folder, name = os.path.split(os.path.abspath(file.path))
    if not name.endswith((".sh", ".bash")):
        return None
    for document in file.names_in(folder):
        if document.lower().startswith("readme"):
            blocks = _BLOCK.findall(file.read(os.path.join(folder, document)))
            found = set(_ran(block for block in blocks if name in block)) - {""}
            if len(found) == 1:
                return Started(document, named(*found))
    return None


def _ran(blocks: Iterable[str]) -> Iterator[str]:
    """Yield the images for ROCm that blocks of code start, and "" for one for other GPUs."""
    for block in blocks:
        if _RUN.search(block):
            yield from IMAGE.findall(block)
            yield from [""] * bool(_OTHER_GPUS.search(block))


def named(image: str) -> Word:
    """Return the name of an image as a word that stands in no file."""
    return Word(image, Span(1, 1, 1, 1))


def _format(path: str) -> str:
    found = format_of(path)
    return "" if found is None else found.name


def _place(file: File) -> str:
    """Return the path below the root of the repository: what lies above says nothing."""
    return relative(os.path.abspath(file.path), file.project.folders[-1])


def _build_with(file: File) -> str:
    """Return whether the file goes into an image of ROCm by the Dockerfiles around that name it."""
    from rocmlint.project import platforms  # noqa: PLC0415
    from rocmlint.project.inclusions import parts_of  # noqa: PLC0415

    name = os.path.basename(file.path)
    for folder in dict.fromkeys((file.project.folders[0], file.project.folders[-1])):
        for each in file.names_in(folder):
            if _format(each) != "dockerfile":
                continue
            path = os.path.join(folder, each)
            text = file.read(path)
            images = parts_of(path, text).images
            if name in text and images:
                is_rocm = platforms.of_image(images[-1]) == "rocm"
                return f"{each} builds on `{images[-1].text}`" if is_rocm else "other"
    return ""
