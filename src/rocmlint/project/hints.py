"""What a project says of its requirements where no tool reads it: in a README, in a Dockerfile."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.questions import question
from rocmlint.formats import Role, has_role, is_known, parse
from rocmlint.formats.installs.install import installs_of
from rocmlint.formats.packaging import requirements
from rocmlint.formats.scripts.shell import script as shell
from rocmlint.lazy import compile_lazily
from rocmlint.project.declarations import Requirement
from rocmlint.project.inline import installed
from rocmlint.project.records import is_machine_record
from rocmlint.project.texts import texts_below
from rocmlint.text.text import LEXEME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.disk.disk import DiskView
    from rocmlint.formats.model import Command, Declared
    from rocmlint.project.declarations import Declarations

_README = compile_lazily(r"(?:readme|install\w*)(?:\.(?:md|rst|txt))?", re.IGNORECASE)
_BESIDE = {
    "docker": re.compile(r""),
    "docs": _README,
    "scripts": re.compile(r"(?:install|setup)\w*\.(?:sh|bash)", re.IGNORECASE),
}
"""Folders beside the code, and which of their files say how it is installed."""
_INSTALL = compile_lazily(
    r"\b(?:pip3? install|uv run[ \t][^\n`]*?--with)\b[^\n`]*(?:(?<=\\)\n[^\n`]*)*"
)
_BLOCK = compile_lazily(r"^(```+|~~~+)[^\n]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)
_PROMPT = compile_lazily(r"^[ \t]*[$>][ \t]+", re.MULTILINE)
_VERSION = compile_lazily(r"[<>=~]=|[<>]")
_LEXEME = compile_lazily(LEXEME, re.DOTALL)
_REQUIREMENT = compile_lazily(r"([\"'])([^\"'\n]*[<>=~@][^\"'\n]*)\1")
"""A string of Python that may be a requirement with a version."""
_BARE_URL = compile_lazily(r"^[ \t]*(?:-e?[ \t]+)*[\"']?(git\+[^\s\"']+)", re.MULTILINE)
"""A requirement that names no package: the URL of its repository must tell."""
_ARGUMENT = compile_lazily(r"^[ \t]*ARG[ \t]+(\w+)=.*$", re.MULTILINE)
_HEADING = compile_lazily(
    r"^(?:#+[ \t]*(?P<marked>.*)|(?P<underlined>.+)\n(?:={3,}|-{3,})[ \t]*)$", re.MULTILINE
)
_OF_ENVIRONMENT = compile_lazily(
    r"\b(?:requirements?|dependenc(?:y|ies)|environments?)\b", re.IGNORECASE
)
_RELEASE = compile_lazily(
    r"[ \t]*(?:[-*+][ \t]+|\|[ \t]*)?[*`]{0,3}([A-Za-z][\w.-]*)[*`]{0,3}[ \t]*[ \t:|][ \t]*"
    r"`?v?(\d+(?:\.\d+){1,3})(?:\+[\w.]+)?`?[ \t]*(?:\||<br[ \t]*/?>)?[ \t]*"
)
"""A line of a table: a package, and the version of it."""
_FEWEST = 3
"""Lines that make a table of an environment."""
_EXTRAS = compile_lazily(r"\[[\w\s,.-]*\]\Z")


class _Told(NamedTuple):
    """What a text says is installed, and the folders of projects that it says are."""

    declared: tuple[Declared, ...]
    projects: tuple[str, ...]


class _Said(NamedTuple):
    """What a file says of one package, as requirements, and the folders of projects it names."""

    path: str
    own: tuple[str, ...]
    projects: tuple[str, ...]


def hints(package: str, folder: str, project: Declarations) -> tuple[Requirement, ...]:
    """Return what the files of a folder say of a package (by its normalized name).

    Each is a requirement of its own, in a group of its own, with the path that it stands in. Of a
    project that a README says to install, ``pip install -e trainer``, what it declares counts.
    """
    return tuple(_hints(package, folder, project))


def told_beside(found: Iterable[Requirement], project: Declarations) -> Iterator[Declared]:
    """Yield all that is installed by the files that the requirements stand in."""
    for path in {each.path for each in found if is_told(each.path)}:
        yield from _told_in(path, project.folders[-1], project)


@question
def _told_in(path: str, root: str, view: DiskView) -> tuple[Declared, ...]:
    """Return all that a file says is installed."""
    return _told(os.path.basename(path), _read(path, root, view)).declared


@question
def is_installed_from(folder: str, name: str, view: DiskView) -> bool:
    """Return whether the files of a folder install what one below, of this name, lists."""
    installs = re.compile(rf"\b(?:cd|install|-r)\b[^\n]*(?<![\w-]){re.escape(name)}(?![\w-])")
    return any(installs.search(view.read(each)) for each in _telling(folder, view))


def is_told(path: str) -> bool:
    """Return whether a file only tells what is installed, and no tool reads requirements in it."""
    return not has_role(path, Role.DECLARES)


def is_readme(path: str) -> bool:
    """Return whether a file is prose that tells people how to install."""
    return _README.fullmatch(os.path.basename(path)) is not None


def _hints(package: str, folder: str, project: Declarations) -> Iterator[Requirement]:
    for path, own, projects in _saying(package, folder, project.folders[-1], project):
        for each in own:
            for declared in requirements.parse(each).declared:
                yield Requirement(path, replace(declared, group=each))
        yield from _of_projects(projects, os.path.dirname(path), package, project)


@question
def _saying(package: str, folder: str, root: str, view: DiskView) -> tuple[_Said, ...]:
    """Return what each file of a folder says of a package, where it says anything."""
    mentioned = re.compile("[-_.]".join(map(re.escape, package.split("-"))), re.IGNORECASE)
    found = []
    for path in _telling(folder, view):
        text = "" if is_machine_record(path, root, view) else _read(path, root, view)
        if mentioned.search(text) or "install" in text or "--with" in text:
            told = _told(os.path.basename(path), text)
            own = dict.fromkeys(each.text for each in told.declared if each.name == package)
            found.append(_Said(path, tuple(own), told.projects))
    return tuple(each for each in found if each.own or each.projects)


def _read(path: str, root: str, view: DiskView) -> str:
    """Read a file; a default of an image's ARG that a build of the project sets is left out."""
    text = view.read(path)
    if "ARG" not in text or not has_role(path, Role.INSTRUCTIONS):
        return text
    names = {each[1] for each in _ARGUMENT.finditer(text)}
    used = {each for each in names if re.search(rf"=\$\{{?{re.escape(each)}\b", text)}
    given = {each for each in used if _is_given(each, root, view)}
    return _ARGUMENT.sub(lambda match: f"ARG {match[1]}" if match[1] in given else match[0], text)


def _is_given(argument: str, root: str, view: DiskView) -> bool:
    """Return whether a workflow, a script or the like sets what an image is built with."""
    sets = re.compile(rf"(?<![$\w{{]){re.escape(argument)}[ \t]*[=:]")
    return any(
        sets.search(view.read(each))
        for each in texts_below(root, view)
        if has_role(each, Role.BUILDS_IMAGES)
    )


def _of_projects(
    folders: Iterable[str], near: str, package: str, project: Declarations
) -> Iterator[Requirement]:
    for each in folders:
        inner = os.path.normpath(os.path.join(near, each))
        if inner not in project.folders:  # whose declarations count anyway
            declared = project.declared_in(inner)
            yield from (each for each in declared if each.declared.name == package)


def _telling(folder: str, view: DiskView) -> tuple[str, ...]:
    """Return the paths of the files of a folder, and beside it, that say how it is installed."""
    names = view.names_in(folder)
    found = [os.path.join(folder, each) for each in names if _tells(each)]
    for inner in (os.path.join(folder, each) for each in _BESIDE if each in names):
        said_by = _BESIDE[os.path.basename(inner)]
        telling = (each for each in view.names_in(inner) if _tells(each) and said_by.match(each))
        found += (os.path.join(inner, each) for each in telling)
    return tuple(found)


def _tells(name: str) -> bool:
    return is_readme(name) or is_known(name)


@lru_cache(maxsize=256)
def _told(name: str, text: str) -> _Told:
    if is_readme(name):
        commands = tuple(
            command
            for match in _INSTALL.finditer(text)
            for command in shell.parse(match[0]).commands
        )
        in_blocks = (
            command
            for block in _BLOCK.finditer(text)
            if "install" in block[2]
            for command in shell.parse(_PROMPT.sub("", block[2])).commands
        )
        projects = dict.fromkeys(_projects(chain(commands, in_blocks)))
        said = (*installed(commands), *_listed(text), *_tabled(text))
        return _Told(said, tuple(projects))
    parts = parse(name, text)
    declared = list(installed(parts.commands))
    if is_told(name):
        declared += parts.declared  # of an image, as cog.yaml lists them
    for match in _BARE_URL.finditer(text):
        declared += installed(shell.parse(f"pip install {match[1]}").commands)
    if name == "setup.py":
        for lexeme in _LEXEME.finditer(text):
            string = _REQUIREMENT.fullmatch(lexeme[0])
            if string is not None:
                declared += requirements.parse(string[2]).declared
    return _Told(tuple(declared), tuple(_projects(parts.commands)))


def _listed(text: str) -> Iterator[Declared]:
    """Yield the lines of code blocks in which each line is a requirement."""
    for block in filter(lambda each: _VERSION.search(each[2]), _BLOCK.finditer(text)):
        lines = [line for line in block[2].splitlines() if line.strip()]
        declared = requirements.parse(block[2]).declared
        if len(declared) == len(lines):
            yield from (each for each in declared if _VERSION.search(each.text))


def _tabled(text: str) -> Iterator[Declared]:
    """Yield as requirements the lines ``torch 1.13.1`` of a section about the environment.

    A package with several versions was tried with each: that says nothing about what is needed.
    """
    for lines in _sections(text):
        found = [(_called(each[1]), each[2]) for each in map(_RELEASE.fullmatch, lines) if each]
        names = [name for name, _ in found]
        for name, version in found if len(found) >= _FEWEST else ():
            if names.count(name) == 1:
                exact = f"=={version}" if version.count(".") > 1 else f"~={version}.0"
                yield from requirements.parse(name + exact).declared


def _sections(text: str) -> Iterator[list[str]]:
    """Yield the lines of each section whose heading is about the environment."""
    headings = list(_HEADING.finditer(text))
    ends = [*(each.start() for each in headings), len(text)][1:]
    for heading, end in zip(headings, ends, strict=True):
        if _OF_ENVIRONMENT.search(heading["marked"] or heading["underlined"] or ""):
            yield text[heading.end() : end].splitlines()


def _called(name: str) -> str:
    return "torch" if name.lower() == "pytorch" else name


def _projects(commands: Iterable[Command]) -> Iterator[str]:
    """Yield the folders that commands install as projects: ``pip install -e trainer[gpu]``."""
    for command, install in installs_of(commands):
        for word in install.locations:
            path = _EXTRAS.sub("", word.text)
            if word.known and command.folder is not None and "://" not in path:
                yield os.path.join(command.folder, path)
