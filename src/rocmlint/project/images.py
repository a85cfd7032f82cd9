"""Which images a project starts from, and what these hold: a Python, and packages by their name."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from rocmlint.disk.questions import question
from rocmlint.formats import Role, format_of
from rocmlint.formats.installs.install import installs_of
from rocmlint.lazy import compile_lazily
from rocmlint.project.inclusions import parts_of
from rocmlint.project.platforms import of_image_name
from rocmlint.published import requirements as published
from rocmlint.published.pytorch_index import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.disk.disk import DiskView
    from rocmlint.formats.model import Parts
    from rocmlint.project.platforms import Platform

_BESIDE = ("docker", "dockerfiles", ".devcontainer", "scripts", "docs")
_README = compile_lazily(r"(?:readme|install\w*)(?:\.(?:md|rst|txt))?", re.IGNORECASE)
_TELLING = Role.STARTS_PROJECT | Role.SCRIPT

_MINOR = compile_lazily(r"(?<![a-z])py(?:thon)?[-_:]?3\.?(\d{1,2})(?![\d+])")
_NEWEST = compile_lazily(r"(?:latest(?:[-_].*)?)?")
_PYTORCH = compile_lazily(r"(?<![a-z])pytorch(?![a-z])")
_HUGGING_FACE = compile_lazily(
    r"(?<![a-z])(?:huggingface|pytorch-training|text-generation-inference|tgi)(?![a-z])"
)
_BY_HUGGING_FACE = frozenset(
    {"accelerate", "datasets", "diffusers", "huggingface-hub", "peft", "tokenizers", "transformers"}
)
_INSIDE = compile_lazily(r"(?:site|dist)-packages/([A-Za-z_]\w*)")
"""Packages among those of an image."""

_START = compile_lazily(
    r"\b(?:docker|podman)[ \t]+(?:container[ \t]+)?(run|create|pull)\b([^\n|;&`]*)"
)
_BUILT = compile_lazily(
    r"\b(?:docker|podman|buildx)[ \t]+build\b[^\n]*?[ \t](?:-t|--tag)[ =]([\w./:@-]+)"
)
"""Images that the project builds itself."""
_IMAGE = compile_lazily(r"[A-Za-z\d][\w./:@-]*")
_JOINT = compile_lazily(r"\\\n")
_COMMENT = compile_lazily(r"^[ \t]*#.*$", re.MULTILINE)
_WORD = compile_lazily(r"(?:\"[^\"]*\"|'[^']*'|[^\s\"'])+")
_SET = compile_lazily(
    r"^[ \t]*(?:export[ \t]+|local[ \t]+)?(\w+)=[\"']?([^\s\"';]+)[\"']?[ \t]*$", re.MULTILINE
)
_VARIABLE = compile_lazily(r"\$(\w+)|\$\{(\w+)(?::?-([^{}]*))?\}")
_ALONE = frozenset(
    {
        "--detach", "--init", "--interactive", "--no-healthcheck", "--oom-kill-disable",
        "--privileged", "--publish-all", "--quiet", "--read-only", "--rm", "--tty",
        "-d", "-i", "-P", "-q", "-t",
    }
)  # fmt: skip
"""Options of `docker run` that take no value."""
_SERVER = compile_lazily(r"-openai|(?<![a-z])(?:text-generation-inference|tgi)(?![a-z])")
"""Images that start a server, which runs no code of the project."""
_SERVES = compile_lazily(r"serve|.*(?:launch_server|api_server|text-generation-launcher).*")


def images_in(folder: str, view: DiskView) -> tuple[str, ...]:
    """Return the images that the files of a folder, and of those for images in it, start from.

    They are the base images of Dockerfiles, the images of Compose files, and those that scripts
    and READMEs run or pull. An image that only serves a model does not count.
    """
    starts = _starts_in(folder, view)
    return tuple(dict.fromkeys(image for each in starts for image in each.images))


def python_of(image: str) -> str | None:
    """Return the Python that an image names: 3.9 for ``rocm/vllm:rocm6.2_py3.9``."""
    match = _MINOR.search(image.lower())
    return None if match is None else f"3.{match[1]}"


def is_held(package: str, folders: Sequence[str], view: DiskView) -> bool:
    """Return whether the images that a project starts from hold a package.

    They do by their names, or by that of a package that requires it. Those of the nearest folder
    with any count: all of them must, as with another one pip installs the package itself. Where
    some are for ROCm, only these; those for other GPUs never do.
    """
    for folder in folders:
        places = [each for each in _starts_in(folder, view) if each.platform != "other"]
        if places:
            of_rocm = [each for each in places if each.platform == "rocm"]
            return all(each.holds(package) for each in of_rocm or places)
    return False


class _Start(NamedTuple):
    """What one Dockerfile or command starts from, and the packages that it finds there."""

    images: tuple[str, ...]
    found: tuple[str, ...] = ()

    @property
    def platform(self) -> Platform:
        """What the last of the images, which the others are built for, is for."""
        return of_image_name(self.images[-1])

    def holds(self, package: str) -> bool:
        """Return whether a package is there before anything is installed."""
        if any(package == name or _requires(name, package) for name in self.found):
            return True
        return any(_is_in(package, image) for image in self.images)


@question
def _starts_in(folder: str, view: DiskView) -> tuple[_Start, ...]:
    """Return what the files of a folder, and of those for images in it, start from."""
    found = (_starts(name, view.read(path)) for path, name in _telling(folder, view))
    return tuple(each for some in found for each in some)


def _starts(name: str, text: str) -> tuple[_Start, ...]:
    images = _images(name, text)
    if images and Role.INSTRUCTIONS in _roles(name):
        return (_Start(images, _edited(text)),)
    return tuple(_Start((each,)) for each in images)


@lru_cache(maxsize=1024)
def _is_in(package: str, image: str) -> bool:
    image = image.lower()
    tag = image.rpartition("/")[2].partition(":")[2]
    if package in FAMILY and _PYTORCH.search(image) and not _NEWEST.fullmatch(tag):
        return True
    if package in _BY_HUGGING_FACE and _HUGGING_FACE.search(image):
        return True
    if package not in FAMILY and _names(package, image):
        return True
    return any(_names(each, image) and _requires(each, package) for each in published.packages())


def _names(package: str, image: str) -> bool:
    return package in image and bool(re.search(rf"(?<![a-z]){re.escape(package)}(?![a-z])", image))


def _requires(by: str, package: str) -> bool:
    return by not in FAMILY and bool(published.asked_of(package, by, str(SpecifierSet())))


def _telling(folder: str, view: DiskView) -> tuple[tuple[str, str], ...]:
    """Return the paths and names of the files that may say what a project is started in."""
    names = view.names_in(folder)
    return tuple(
        (os.path.join(inner, name), name)
        for inner in (folder, *(os.path.join(folder, each) for each in _BESIDE if each in names))
        for name in view.names_in(inner)
        if _README.fullmatch(name) or _roles(name) & _TELLING
    )


def _roles(name: str) -> Role:
    """Return what the format of a file is."""
    found = format_of(name) or format_of(f"{name[:1].upper()}{name[1:]}")  # dockerfile
    return Role(0) if found is None else found.roles


@lru_cache(maxsize=512)
def _images(name: str, text: str) -> tuple[str, ...]:
    if Role.INSTRUCTIONS in _roles(name):
        return tuple(each.text for each in parts_of("Dockerfile", text).images if each.known)
    if Role.STARTS_PROJECT in _roles(name):
        return tuple(_not_serving(parts_of(name, text)))
    if "docker" not in text and "podman" not in text:
        return ()
    return tuple(_started(_JOINT.sub(" ", _COMMENT.sub("", text))))


def _not_serving(parts: Parts) -> Iterator[str]:
    for image in parts.images:
        own = [each for each in parts.commands if each.image == image]
        words = [[word.text for word in each.words] for each in own]
        if image.known and not any(_is_server(image.text, each) for each in words or [[]]):
            yield image.text


def _started(text: str) -> Iterator[str]:
    """Yield the images that commands of docker start; what variables are set to is put in."""
    values: dict[str, str] = {match[1]: match[2] for match in _SET.finditer(text)}
    built = {_untagged(name) for name in _BUILT.findall(text)}
    for verb, rest in _START.findall(text):
        words = [_filled(each, values).strip("\"'") for each in _WORD.findall(rest)]
        at = next(_behind_options(words), len(words))
        given = [] if verb == "pull" else words[at + 1 :]
        is_own = any(each.startswith("--entrypoint") for each in words[:at])
        if at < len(words) and _IMAGE.fullmatch(words[at]) and _untagged(words[at]) not in built:
            if is_own or not _is_server(words[at], given):
                yield words[at]


def _untagged(image: str) -> str:
    return image.partition("@")[0].rpartition(":")[0] if ":" in image.rpartition("/")[2] else image


def _filled(word: str, values: dict[str, str]) -> str:
    """Put in the values of variables, whose own may be defaults."""
    for _ in range(3):
        word = _VARIABLE.sub(lambda match: _value(match, values), word)
    return word


def _value(match: re.Match[str], values: dict[str, str]) -> str:
    name = match[1] or match[2]
    value = values.get(name)
    if value is None or f"{{{name}" in value:  # IMAGE=${IMAGE:-rocm/vllm}
        default = match[3] or (_VARIABLE.search(value or "") or [None] * 4)[3]
        return default or match[0]
    return value


def _behind_options(words: Sequence[str]) -> Iterator[int]:
    """Yield the places of the words that are neither options nor their values."""
    at = 0
    while at < len(words):
        word = words[at]
        if not word.startswith("-"):
            yield at
            at += 1
        else:
            is_whole = word.startswith("--") and "=" in word
            is_joined = len(word) > 2 and not word.startswith("--")  # -it, -v/data:/data
            at += 1 if is_whole or is_joined or word in _ALONE else 2


def _is_server(image: str, words: Sequence[str]) -> bool:
    """Return whether an image serves a model with what it is given, and runs nothing else."""
    if words and words[0].startswith("-"):
        return True
    return bool(_SERVER.search(image)) or any(_SERVES.fullmatch(each) for each in words)


@lru_cache(maxsize=256)
def _edited(text: str) -> tuple[str, ...]:
    """Return the packages whose files a Dockerfile touches without having installed them."""
    found = {canonicalize_name(name) for name in _INSIDE.findall(_COMMENT.sub("", text))}
    if not found:
        return ()
    commands = parts_of("Dockerfile", text).commands
    own = {each.name for _, install in installs_of(commands) for each in install.requirements}
    return tuple(sorted(found - own))
