"""Which programs of a project its documents, scripts and code point to."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.project.texts import texts_below
from rocmlint.rule import compile_lazily, once_per_file
from rocmlint.rule.closed_projects import is_whole, module_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

_FILE = compile_lazily(r"(?<![\w.-])(?:[\w.${}-]*/)*[\w-]+\.py\b")
_MODULE = compile_lazily(r"-m[ \t\"',]+([A-Za-z_]\w*(?:\.\w+)+)")
_VARIABLE = compile_lazily(r"\$\{?\w+\}?")


def is_pointed_to(path: str, source: Source) -> bool:
    """Return whether something tells to run a program, or nothing tells so of any program.

    What lies in the root of a project is in sight. Of a name alone, ``train.py``, the file nearest
    to who says it is meant: one in the same folder or below.
    """
    root = source.project.folders[-1]
    if os.path.dirname(path) == root:
        return True
    told = _told(source)
    programs = {each for each in source.modules_with(root, ("__main__",)) if each != path}
    is_any_told = any(_is_meant(each, told) for each in programs)
    return not is_any_told or _is_meant(path, told)


@once_per_file
def is_told(source: Source) -> bool:
    """Return whether a document, a script or code tells to run a file by its path."""
    return _is_meant(os.path.abspath(source.path), _told(source))


@once_per_file
def is_named(source: Source) -> bool:
    """Return whether a module, script or document of the project names a file, or may do so."""
    if not is_whole(source):
        return True
    path, root = os.path.abspath(source.path), source.project.folders[-1]
    named = rf"\b{re.escape(module_name(path))}\b"
    if not set(source.modules_with(root, (named,))) <= {path}:
        return True
    texts = (source.read(each) for each in texts_below(root, source) if each != path)
    return any(re.search(named, each) for each in texts)


def _is_meant(path: str, told: frozenset[tuple[str, str]]) -> bool:
    name = os.path.basename(path)
    return any(
        path.endswith(f"{os.sep}{said}") and (said != name or path.startswith(folder))
        for folder, said in told
        if said.endswith(name)
    )


@once_per_file
def _told(source: Source) -> frozenset[tuple[str, str]]:
    """Return the paths of programs that are written down, each with the folder of who writes it."""
    return frozenset(_written(source))


def _written(source: Source) -> Iterator[tuple[str, str]]:
    root = source.project.folders[-1]
    for path in (*texts_below(root, source), *source.modules_with(root, (r"\.py[\"' ]|-m\b",))):
        folder = os.path.join(os.path.dirname(path), "")
        yield from ((folder, said) for said in _programs_in(source.read(path)))


@lru_cache(maxsize=2048)
def _programs_in(text: str) -> frozenset[str]:
    """Return the paths of programs in a text, which many files of the project ask for."""
    modules = (match[1].replace(".", os.sep) + ".py" for match in _MODULE.finditer(text))
    return frozenset([*(_plain(match[0]) for match in _FILE.finditer(text)), *modules])


def _plain(written: str) -> str:
    """Leave away what a path begins with that says nothing: ``./``, ``../``, ``$ROOT/``."""
    parts = _VARIABLE.sub("..", written).split("/")
    while parts[0] in {"", ".", ".."} and len(parts) > 1:
        parts.pop(0)
    return os.path.join(*parts)
