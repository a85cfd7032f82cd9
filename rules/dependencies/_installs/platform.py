"""Whether a command installs for ROCm: the nearest that says so decides, and says how."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.formats import format_of

if TYPE_CHECKING:
    from rocmlint.rule import Command, File

BY_PROJECT = "that is what the project's files are for"
"""The weakest evidence: the file itself says nothing."""


def rocm_evidence(command: Command, file: File) -> str:
    """Say what shows that a command installs for ROCm; empty where nothing does.

    First the image that it runs in, then its file, the name of that, the image that the file is
    copied to, and at last the project. Where one of them is for something else, or for several
    platforms, those behind it are not asked.
    """
    from rocmlint.project import platforms  # noqa: PLC0415 - few files install anything

    if file.settings.rocm is False:
        return ""
    image = command.image
    if image is not None and (found := platforms.of_image(image)):
        return f"the image is `{image.text}`" if found == "rocm" else ""
    found = platforms.of_text(file.text)
    if found == "rocm":
        return f"the file names `{platforms.named(file.text)}`"
    by_name = platforms.of_name(_place(file))
    if found or by_name:
        return "the file's name says so" if by_name == "rocm" and found != "other" else ""
    if file.settings.rocm:
        return "the configuration says so"
    if _format(file.path) in {"dockerfile", "workflow"}:
        return ""
    build = _build_with(file)
    if build:
        return build if build != "other" else ""
    return BY_PROJECT if file.project.is_rocm else ""


def _format(path: str) -> str:
    found = format_of(path)
    return "" if found is None else found.name


def _place(file: File) -> str:
    """Give the path below the root of the repository: what lies above says nothing."""
    return os.path.relpath(os.path.abspath(file.path), file.project.folders[-1])


def _build_with(file: File) -> str:
    """Say whether the file goes into an image of ROCm by the Dockerfiles around that name it."""
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
