"""Whether a command installs for ROCm: the nearest that says so decides, and says how."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from rocmlint.rule import Command, File, Word

_BUILD_FILE = compile_lazily(r"(^|/)(?:Dockerfile|Containerfile)[^/]*\Z|\.[Dd]ockerfile\Z")
_WORKFLOW = compile_lazily(r"\.ya?ml\Z")
_FROM = compile_lazily(
    r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)(?:[ \t]+AS[ \t]+(\S+))?", re.IGNORECASE | re.MULTILINE
)

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
    image = image_of(command, file)
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
    if _BUILD_FILE.search(file.path) or _WORKFLOW.search(file.path):
        return ""
    build = _build_with(file)
    if build:
        return build if build != "other" else ""
    return BY_PROJECT if file.project.is_rocm else ""


def image_of(command: Command, file: File) -> Word | None:
    """Give the image that a command runs in, as far as it is known.

    A stage of a Dockerfile may build on another: what counts is the image of the first.
    """
    images = {each.span.line: each for each in file.parts.images}
    if not _BUILD_FILE.search(file.path):
        before = [each for line, each in images.items() if line <= command.span.line]
        return before[-1] if before and before[-1].known else None
    stages: dict[str, Word | None] = {}
    found: Word | None = None
    for match in _FROM.finditer(file.text):
        line = file.line_of(match.start(1))
        if line > command.span.line:
            break
        found = images.get(line) or stages.get(match[1].lower())
        stages[(match[2] or "").lower()] = found
    return found if found is not None and found.known else None


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
            if not _BUILD_FILE.search(each):
                continue
            path = os.path.join(folder, each)
            text = file.read(path)
            images = parts_of(path, text).images
            if name in text and images:
                is_rocm = platforms.of_image(images[-1]) == "rocm"
                return f"{each} builds on `{images[-1].text}`" if is_rocm else "other"
    return ""
