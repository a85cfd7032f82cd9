"""What a command asks for: its own words, and the requirements in the files that they name."""

from __future__ import annotations

import os
import posixpath
import re
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.scripts.shell.folders import entered
from rocmlint.project.inclusions import Listed, parts_of, with_inclusions
from rocmlint.rule import compile_lazily, once_per_file
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import Command, File, Index, Install, Span, Word

    _Place = tuple[str, Span]
    """The absolute path of a file, and a place in it."""

_BESIDE = compile_lazily(r"\$\{?(\w+)\}?/([\w./-]+)\Z")
_FOLDER_OF_SCRIPT = r"(?:dirname|BASH_SOURCE)[^\n]*\)(?:/\.\.)*[\"']?[ \t]*$"
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_EDITORS = frozenset({"sed", "perl", "ed", "patch", "yq", "tee", "curl", "wget"})
"""Programs that write to the files among their words."""
_STRIPPING = ("use_existing_torch.py", "using_existing_torch.py")
"""A script of vLLM's that takes torch out of all lists."""
_COPIERS = frozenset({"cp", "mv", "install", "ln"})
"""Programs that write to the last of their words, or into that folder."""
_OUTPUT = ("-o", "-O", "--output", "--output-file", "--out")
_SIGNS = frozenset("*?[")
"""What makes a name a pattern."""
_WRITES = frozenset({">", ">|", "&>", "1>"})


class Requested(NamedTuple):
    """A requirement that a command asks for; ``listed`` if a file that it names has it.

    That is the absolute path of the file, and the place there.
    """

    word: Word
    requirement: Requirement
    listed: tuple[str, Span] | None = None

    @property
    def where(self) -> str:
        """How a message names the place in another file, "" for the command itself."""
        if self.listed is None:
            return ""
        path, span = self.listed
        return f"{os.path.basename(path)}:{span.line}"


class Everything(NamedTuple):
    """All that a command asks for, the indexes of its files, and the files that are not here."""

    asked: tuple[Requested, ...]
    indexes: tuple[Index, ...] = ()
    missing: tuple[Word, ...] = ()


def asked_by(command: Command, install: Install, file: File) -> Everything:
    """Read what a command asks for."""
    found = [
        Requested(each.word, each.requirement) for each in install.requirements if each.requirement
    ]
    indexes: list[Index] = []
    missing: list[Word] = []
    for word in install.files:
        if _is_written(word, command, file):
            continue
        path = _find(_from_here(word, file), command, file)
        if path is None:
            missing.append(word)
            continue
        listed, named = listed_in(path, file)
        found += [Requested(word, each, place) for each, place in listed]
        indexes += named
    for word in install.locations:
        found += [Requested(word, each, place) for each, place in _of_project(word, command, file)]
    return Everything(tuple(found), tuple(indexes), tuple(missing))


def is_build(requirement: Requirement) -> bool:
    """Return whether a build is asked for, such as 2.9.1+rocm6.4: PyPI has none."""
    return any("+" in each.version for each in requirement.specifier)


def _from_here(word: Word, file: File) -> str:
    """Return the path of a file, without a variable for the folder of the script before it."""
    match = _BESIDE.match(word.text) if not word.known else None
    if match is None:
        return word.text
    return match[2] if _is_folder_of_script(match[1], file) else word.text


@once_per_file
def _is_folder_of_script(variable: str, file: File) -> bool:
    given = rf"\b{re.escape(variable)}=[^\n]*{_FOLDER_OF_SCRIPT}"
    return re.search(given, file.text, re.MULTILINE) is not None


def _find(name: str, command: Command, file: File) -> str | None:
    """Find a file that a command names; None where it cannot be told which one that is."""
    if "://" in name or "$" in name or is_in_clone(command, file):
        return None
    names = _below_project(name, command)
    paths = (
        os.path.normpath(os.path.join(folder, each))
        for folder in file.project.folders
        for each in names
    )
    return next((path for path in paths if file.is_file(path)), None)


def is_in_clone(command: Command, file: File) -> bool:
    """Return whether a command runs in a repository that was cloned before."""
    folders = {each for each in (command.folder or "").split("/") if each}
    cloned = _cloned(file) if folders else {}
    return any(each in cloned and cloned[each] < command.span for each in folders)


@once_per_file
def _cloned(file: File) -> dict[str, Span]:
    """Return the folders that repositories may be cloned to, and where that is first done."""
    first: dict[str, Span] = {}
    for command in file.parts.commands:
        words = [word.text for word in command.words]
        if words[0] == "git" and "clone" in words:
            for each in words:
                folder = each.rstrip("/").rpartition("/")[2].removesuffix(".git")
                first[folder] = min(command.span, first.get(folder, command.span))
    return first


def _below_project(name: str, command: Command) -> list[str]:
    """Return where a file lies in the project, as the command that names it is run.

    In the image that a build makes it lies where the build has copied it. The folder that the base
    image begins in is not known: it may be the one that WORKDIR names.
    """
    path = entered(command.folder, name)
    if path is None:
        return []
    if command.step.copied is None:
        is_elsewhere = path.startswith("/") and not name.startswith("/")
        return [] if is_elsewhere else [path]
    paths = [path] if command.folder != command.step.folder else [path, entered("", name) or ""]
    return [
        os.path.normpath(os.path.join(source.lstrip("/"), inside))
        for copied in command.step.copied
        for source in copied.sources
        for each in dict.fromkeys(paths)
        for inside in _inside(each, copied.target, posixpath.basename(source.rstrip("/")))
    ]


def _inside(path: str, target: str, name: str) -> Iterator[str]:
    """Yield where a path may lie in what was copied to a target: itself, or in a folder."""
    if path in {target, entered(target, name)}:
        yield ""
    if path.startswith(f"{target.rstrip('/')}/") if target else not path.startswith("/"):
        yield path.removeprefix(target).lstrip("/")


def listed_in(path: str, file: File) -> tuple[list[tuple[Requirement, _Place]], list[Index]]:
    """Read a file of requirements and those that it includes."""
    found: list[tuple[Requirement, _Place]] = []
    indexes: list[Index] = []
    is_list = path.endswith((".txt", ".in"))
    own = Listed(path, parts_of("requirements.txt" if is_list else path, file.read(path)))
    for inner, parts, constraint in with_inclusions([own], file.read):
        indexes += parts.indexes
        for each in parts.declared:
            if not (constraint or each.constraint or each.group):
                requirement = requirement_of(each.text)
                found += [(requirement, (inner, each.span))] if requirement is not None else []
    return found, indexes


def _of_project(word: Word, command: Command, file: File) -> Iterator[tuple[Requirement, _Place]]:
    """Read what the project requires that a command installs from its folder."""
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
                requirement = requirement_of(each.text)
                if requirement is not None:
                    yield requirement, (path, each.span)


def _is_written(word: Word, command: Command, file: File) -> bool:
    """Return whether an earlier command, in the same image, writes a list of that name."""
    name, image = posixpath.basename(word.text), command.step.image
    patterns = _written(file).get((image, True), {}).items()
    spans = [span for pattern, span in patterns if fnmatchcase(name, pattern)]
    spans += filter(None, [_written(file).get((image, False), {}).get(name)])
    return any(span < command.span for span in spans)


@once_per_file
def _written(file: File) -> dict[tuple[Word | None, bool], dict[str, Span]]:
    """Return where names are first written, by the image and whether they are patterns."""
    first: dict[tuple[Word | None, bool], dict[str, Span]] = {}
    for command in file.parts.commands:
        for name in map(posixpath.basename, _targets(command)):
            is_pattern = not _SIGNS.isdisjoint(name)
            names = first.setdefault((command.step.image, is_pattern), {})
            names[name] = min(command.span, names.get(name, command.span))
    return first


def _targets(command: Command) -> Iterator[str]:
    """Yield the paths that a command may write."""
    program, *words = [each.text for each in command.words]
    yield from (each.target.text for each in command.redirects if each.operator.strip() in _WRITES)
    name = posixpath.basename(program)
    for word, following in pairwise([*words, ""]):
        option, _, value = word.partition("=")
        if option in _OUTPUT:
            yield value or following
    if any(posixpath.basename(each) in _STRIPPING for each in (program, *words[:2])):
        yield "*"
    if name in _EDITORS:
        yield from words
    elif name in _COPIERS:
        yield from words if words[-1:] and words[-1].endswith("/") else words[-1:]
