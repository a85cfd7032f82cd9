"""The folder of a repository that is laid over an installed package, found by what lies in it."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.formats import Role, has_role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_FILES = 50_000
"""Of a repository; in a larger one nothing is looked for in the rest."""
_MOST_FOLDERS = 100
"""That look like a patch and are looked into; a repository has a few."""
_LARGEST_TEXT = 1_000_000
_ROOTS = (".git", "pyproject.toml", "setup.py")
_NOT_ENTERED = frozenset(
    {"build", "dist", "node_modules", "site-packages", "dist-packages", "__pycache__"}
)
_TELLS = re.compile(r"(?i:.*dockerfile.*|.+\.(ya?ml|toml))")
"""Names of the files besides documents and scripts that say how to install."""
_CONTINUED = re.compile(r"\\\n")
_BEGINNING = re.compile(r"(?:\.{1,2}/|\$\w+/|\$\{\w+\}/)*")
_COPIES = re.compile(r"\b(cp|rsync|COPY|ADD|copytree|copy2?)\b")


@dataclass(frozen=True)
class Overlay:
    """A folder whose files lie as those of a package do."""

    folder: str
    has_check: bool
    """Whether it has a module that the check imports from the package."""
    copied_at: str = ""
    """``FILE:LINE`` of the command that copies it over the package; "" where none is found."""


def meant(found: Iterable[Overlay]) -> list[Overlay]:
    """Return the folders that are known to be meant: those that a command copies, if any."""
    found = list(found)
    copied = [each for each in found if each.copied_at]
    return copied or [each for each in found if each.has_check]


def overlays(package: str, installed: str, checks: Iterable[str]) -> list[Overlay]:
    """Find the folders that are laid over a package, in the repositories of some files.

    ``installed`` is the package's own folder, ``checks`` the files with code that relies on it.
    """
    checks = list(checks)
    imported = {each for check in checks for each in _imported_modules(check, package)}
    found: dict[str, Overlay] = {}
    for root in sorted({_repository(each) for each in checks}):
        files = list(islice(_files_below(root, installed), _MOST_FILES))
        for folder, paths in _mirrors(files, installed).items():
            has_check = not _is_package(folder) and not imported.isdisjoint(paths)
            found[folder] = Overlay(folder, has_check, _copied_at(folder, root, package, files))
    return list(found.values())


def _is_package(folder: str) -> bool:
    """Return whether a folder is a package of its own, a fork: its ``__init__.py`` has content."""
    try:
        return os.path.getsize(os.path.join(folder, "__init__.py")) > 0
    except OSError:
        return False


def _repository(file: str) -> str:
    """Return the folder of the repository that a file is in; its own folder if it is in none."""
    own = folder = os.path.dirname(os.path.abspath(file))
    while folder != os.path.dirname(folder):
        if any(os.path.exists(os.path.join(folder, each)) for each in _ROOTS):
            return folder
        folder = os.path.dirname(folder)
    return own


def _files_below(root: str, installed: str) -> Iterator[str]:
    """Yield the files of a repository, but for environments and for the package itself."""
    for folder, folders, names in os.walk(root):
        inner = (os.path.join(folder, each) for each in sorted(folders))
        folders[:] = [
            os.path.basename(each)
            for each in inner
            if not os.path.basename(each).startswith(".")
            and os.path.basename(each) not in _NOT_ENTERED
            and not os.path.exists(os.path.join(each, "pyvenv.cfg"))
            and os.path.realpath(each) != os.path.realpath(installed)
        ]
        yield from (os.path.join(folder, name) for name in sorted(names))


def _mirrors(files: Iterable[str], installed: str) -> dict[str, list[str]]:
    """Return folders most of whose modules are at the place of one of the package's.

    Gives the paths of their modules from there. A module right in the folder is no sign: a
    ``utils.py`` is in many places.
    """
    sources = [each for each in files if each.endswith(".py")]
    anchors = (folder for each in sources for folder in _anchors(each, installed))
    found = islice(dict.fromkeys(anchors), _MOST_FOLDERS)
    inside: dict[str, list[str]] = {}
    for folder in found:
        paths = [os.path.relpath(each, folder) for each in sources if _is_below(each, folder)]
        modules = [each for each in paths if os.path.basename(each) != "__init__.py"]
        placed = [each for each in modules if os.path.isdir(_parent(installed, each))]
        if 2 * len(placed) > len(modules):
            inside[folder] = paths
    return inside


def _anchors(file: str, installed: str) -> Iterator[str]:
    """Yield the folders from which a file has the path of a module of the package."""
    folder, path = os.path.split(file)
    if path == "__init__.py":
        return
    while folder != os.path.dirname(folder):
        folder, name = os.path.split(folder)
        path = os.path.join(name, path)
        if os.path.isfile(os.path.join(installed, path)):
            yield folder


def _is_below(file: str, folder: str) -> bool:
    return file.startswith(os.path.join(folder, ""))


def _parent(installed: str, path: str) -> str:
    return os.path.dirname(os.path.join(installed, path))


def _imported_modules(file: str, package: str) -> Iterator[str]:
    """Yield the files, from the package's folder, that the imports of a file may be of."""
    try:
        tree = ast.parse(read_small(file, _LARGEST_TEXT))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    for name in names:
        first, *inner = name.split(".")
        if first == package and inner:
            yield os.path.join(*inner) + ".py"


def _copied_at(folder: str, root: str, package: str, files: Iterable[str]) -> str:
    """Return where a command copies a folder over the package, "" if unknown.

    The file with the command must name the folder by its path: several may have the same name.
    """
    name = re.escape(os.path.basename(folder))
    path = re.compile(rf"[^\s\"'`=:(),]*(?<![\w.-]){name}(?![\w.-])")
    word = re.escape(package)
    target = re.compile(
        rf"(?:site|dist)-packages/{word}(?![\w.-])|\b{word}\.__(?:file|path)__|\bpip show {word}\b"
    )
    own = os.path.relpath(folder, root)
    for file in files:
        is_read = has_role(file, Role.SETS_UP | Role.DOCUMENT)
        if not (is_read or _TELLS.fullmatch(os.path.basename(file))):
            continue
        try:
            text = read_small(file, _LARGEST_TEXT).decode(errors="replace")
        except OSError:
            continue
        if not any(_is_path_of(own, each) for each in path.findall(text)):
            continue
        for number, line in _commands(text):
            if all(each.search(line) for each in (path, _COPIES, target)):
                return f"{os.path.relpath(file)}:{number}"
    return ""


def _is_path_of(own: str, written: str) -> bool:
    """Return whether a path in a command leads to a folder of the repository.

    It is relative to some folder, or begins with a variable or where the repository is copied to.
    """
    written = _BEGINNING.sub("", written)
    return f"/{own}".endswith(f"/{written}") or written.endswith(f"/{own}")


def _commands(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, those that a backslash continues as one."""
    number = 1
    for line in _CONTINUED.sub("\0", text).split("\n"):
        yield number, line.replace("\0", " ")
        number += line.count("\0") + 1
