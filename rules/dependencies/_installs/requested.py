"""What a command asks for: its own words, and the requirements in the files that they name."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import compile_lazily

from .rocm_torch import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packaging.requirements import Requirement

    from rocmlint.rule import Command, File, Index, Install, Word

_HERE = compile_lazily(r"dirname|BASH_SOURCE|SCRIPT|ROOT|REPO|PROJECT|WORKSPACE|pwd", re.IGNORECASE)
_COPIES = compile_lazily(
    r"^[ \t]*(?:COPY|ADD)[ \t][^\n]*|--mount=type=bind\S*", re.IGNORECASE | re.MULTILINE
)
_BESIDE = compile_lazily(r"\$\{?(\w+)\}?/([\w./-]+)\Z")
_FOLDER_OF_SCRIPT = r"(?:dirname|BASH_SOURCE)[^\n]*\)(?:/\.\.)*[\"']?[ \t]*$"
_STRIPS = compile_lazily(r"us(?:e|ing)_existing_torch\.py\Z")
_EDITORS = frozenset({"sed", "perl", "ed", "patch", "yq"})
_FROM = compile_lazily(r"^[ \t]*FROM[ \t]", re.IGNORECASE | re.MULTILINE)
_INSTRUCTION = compile_lazily(r"^[ \t]*(?:RUN|CMD|ENTRYPOINT)\b", re.IGNORECASE | re.MULTILINE)
_STEP = compile_lazily(r"^[ \t-]*(?:run|script|before_script|bash|command)[ \t]*:", re.MULTILINE)
_WORKDIR = compile_lazily(r"^[ \t]*WORKDIR[ \t]+(\S+)", re.IGNORECASE | re.MULTILINE)
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


class Asked(NamedTuple):
    """A requirement that a command asks for; ``where`` if a file that it names has it."""

    word: Word
    requirement: Requirement
    where: str = ""


class Everything(NamedTuple):
    """All that a command asks for, the indexes of its files, and the files that are not here."""

    asked: tuple[Asked, ...]
    indexes: tuple[Index, ...] = ()
    missing: tuple[Word, ...] = ()


def asked_by(command: Command, install: Install, file: File) -> Everything:
    """Read what a command asks for."""
    found = [
        Asked(each.word, each.requirement) for each in install.requirements if each.requirement
    ]
    indexes: list[Index] = []
    missing: list[Word] = []
    strips = _strips_torch(command, file)
    for word in install.files:
        path = _find(_from_here(word, file), command, file)
        if path is None or _is_edited(word, command, file):
            missing.append(word)
            continue
        listed, named = _listed(path, file)
        found += [
            Asked(word, each, where)
            for each, where in listed
            if not (strips and each.name.lower() in FAMILY)
        ]
        indexes += named
    for word in install.locations:
        found += [Asked(word, each, where) for each, where in _of_project(word, command, file)]
    return Everything(tuple(found), tuple(indexes), tuple(missing))


def _requirement(text: str) -> list[Requirement]:
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415

    try:
        return [Requirement(text)]
    except InvalidRequirement:
        return []


def _from_here(word: Word, file: File) -> str:
    """Give the path of a file, without a variable for the folder of the script before it."""
    match = _BESIDE.match(word.text) if not word.known else None
    if match is None:
        return word.text
    is_here = re.search(rf"\b{match[1]}=[^\n]*{_FOLDER_OF_SCRIPT}", file.text, re.MULTILINE)
    return match[2] if is_here else word.text


def _before(command: Command, file: File) -> Iterator[list[str]]:
    for each in file.parts.commands:
        if each.span >= command.span:
            return
        yield [word.text for word in each.words]


def _strips_torch(command: Command, file: File) -> bool:
    """Say whether vLLM's script ran before that takes torch out of all requirements."""
    return any(_STRIPS.search(word) for words in _before(command, file) for word in words[:3])


def _is_edited(word: Word, command: Command, file: File) -> bool:
    """Say whether a command before changes a file of requirements, such as ``sed -i``."""
    name = os.path.basename(word.text)
    return any(
        words[0] in _EDITORS and any(os.path.basename(each) == name for each in words[1:])
        for words in _before(command, file)
    )


def _find(name: str, command: Command, file: File) -> str | None:
    """Find a file that a command names; None where it cannot be told which one that is."""
    if "://" in name or "$" in name:
        return None
    folders = _folders(command, file)
    names = _sources(name, file) if file.parts.images else [name]
    paths = (os.path.normpath(os.path.join(folder, each)) for folder in folders for each in names)
    return next((path for path in paths if file.exists(path) and os.path.isfile(path)), None)


def _folders(command: Command, file: File) -> Sequence[str]:
    """Give the folders that a command may run in, by what was said of it before."""
    folders: Sequence[str] = file.project.folders
    if _is_in_clone(command, file):
        return []
    first = _shell_begins(command, file)
    for each in file.parts.commands:
        if each.span >= command.span:
            break
        if each.words[0].text not in {"cd", "pushd", "popd"} or each.span.line < first:
            continue
        target = each.words[1].text if len(each.words) > 1 else ""
        is_back = each.words[0].text == "popd" or target in {"-", "..", ""}
        if is_back or (not each.words[-1].known and _HERE.search(target)):
            folders = file.project.folders
        else:
            inner = (os.path.join(folder, target) for folder in file.project.folders)
            folders = [folder for folder in inner if each.words[-1].known and file.exists(folder)]
    return folders


def _shell_begins(command: Command, file: File) -> int:
    """Give the line of the instruction or the step of a command: each has a shell of its own."""
    starts = _STEP if file.path.endswith((".yml", ".yaml")) else _INSTRUCTION
    is_divided = starts is _STEP or bool(_FROM.search(file.text))
    lines = [file.line_of(each.start()) for each in starts.finditer(file.text)]
    before = [line for line in lines if line <= command.span.line]
    return before[-1] if before and is_divided else 1


def _is_in_clone(command: Command, file: File) -> bool:
    """Say whether the nearest WORKDIR above is the folder of a repository that was cloned."""
    place = file.offset_of(command.span.line)
    above = [each[1] for each in _WORKDIR.finditer(file.text, 0, place)]
    name = os.path.basename(above[-1].rstrip("/")) if above else ""
    cloned = rf"git clone[^\n]*/{re.escape(name)}(?:\.git)?\b"
    return bool(name) and re.search(cloned, file.text[:place]) is not None


def _sources(name: str, file: File) -> list[str]:
    """Give where a file of the image may come from, by what the Dockerfile copies into it."""
    found: list[str] = []
    for line in _COPIES.findall(file.text):
        words = [each.strip("[]\",'") for each in line.split() if not each.startswith("--")][1:]
        if "--from" in line or len(words) < 2:
            continue
        target = words[-1].rstrip("/.")
        for source in words[:-1]:
            if os.path.basename(source) == os.path.basename(name):
                found.append(source.lstrip("/"))
            elif source in {".", "./"}:
                found.append(name.removeprefix(target).lstrip("/"))
            elif target and name.startswith(f"{target}/"):
                inside = name.removeprefix(f"{target}/")
                found.append(os.path.join(source.lstrip("/"), inside))
    if re.search(r"--mount=type=bind(?![^\s]*from=)", file.text):
        found.append(name)
    return found


def _listed(path: str, file: File) -> tuple[list[tuple[Requirement, str]], list[Index]]:
    """Read a file of requirements and those that it includes."""
    from rocmlint.project.inclusions import Listed, parts_of, with_inclusions  # noqa: PLC0415

    found: list[tuple[Requirement, str]] = []
    indexes: list[Index] = []
    is_list = path.endswith((".txt", ".in"))
    own = Listed(path, parts_of("requirements.txt" if is_list else path, file.read(path)))
    for inner, parts, constraint in with_inclusions([own], file.read):
        indexes += parts.indexes
        for each in parts.declared:
            if not (constraint or each.constraint or each.group):
                where = f"{os.path.basename(inner)}:{each.span.line}"
                found += [(requirement, where) for requirement in _requirement(each.text)]
    return found, indexes


def _of_project(word: Word, command: Command, file: File) -> Iterator[tuple[Requirement, str]]:
    """Read what the project requires that a command installs from its folder."""
    from rocmlint.project.inclusions import parts_of  # noqa: PLC0415

    match = re.fullmatch(r"\.?/?(?:\[([\w\s,.-]*)\])?", word.text)
    if match is None or not word.known:
        return
    extras = {each.strip() for each in (match[1] or "").split(",")} | {""}
    for name in _PROJECT_FILES:
        path = _find(name, command, file)
        if path is None:
            continue
        for each in parts_of(path, file.read(path)).declared:
            if each.group in extras and not each.constraint:
                where = f"{name}:{each.span.line}"
                yield from ((requirement, where) for requirement in _requirement(each.text))
