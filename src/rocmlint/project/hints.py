"""What a project says of a package where no tool reads it: its README, Dockerfile or setup.py."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rocmlint.formats import is_known, parse, requirements
from rocmlint.formats.shell import script as shell
from rocmlint.project.declarations import Requirement
from rocmlint.project.inline import installed_by
from rocmlint.text.text import LEXEME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.disk.disk import DiskView
    from rocmlint.formats.model import Declared

_README = re.compile(r"(?:readme|install\w*)(?:\.(?:md|rst|txt))?", re.IGNORECASE)
_INSTALL = re.compile(r"\bpip3? install\b[^\n`]*(?:(?<=\\)\n[^\n`]*)*")
_LEXEME = re.compile(LEXEME, re.DOTALL)
_REQUIREMENT = re.compile(r"([\"'])([^\"'\n]*[<>=~@][^\"'\n]*)\1")
"""A string of Python that may be a requirement with a version."""
_BARE_URL = re.compile(r"^[ \t]*(?:-e?[ \t]+)*[\"']?(git\+[^\s\"']+)", re.MULTILINE)
"""A requirement that names no package: the URL of its repository must tell."""


def hints(package: str, folder: str, view: DiskView) -> tuple[Requirement, ...]:
    """Return what the files of a folder say of a package (by its normalized name).

    Each is a requirement of its own, in a group of its own, with the path that it stands in.
    """
    names = view.names_in(folder)
    telling = [each for each in names if _README.fullmatch(each) or is_known(each)]
    paths = [(os.path.join(folder, each), each) for each in telling]
    return tuple(
        Requirement(path, each)
        for path, name in paths
        for each in _in_text(name, view.read(path), package)
    )


@lru_cache(maxsize=256)
def _in_text(name: str, text: str, package: str) -> tuple[Declared, ...]:
    if not re.search(package.replace("-", "[-_.]"), text, re.IGNORECASE):
        return ()
    found = dict.fromkeys(each.text for each in _said(name, text, package))
    return tuple(
        replace(each, group=each.text)
        for text in found
        for each in requirements.parse(text).declared
        if each.name == package
    )


def _said(name: str, text: str, package: str) -> Iterator[Declared]:
    if _README.fullmatch(name):
        for match in _INSTALL.finditer(text):
            yield from installed_by(shell.parse(match[0]).commands, package)
        return
    yield from installed_by(parse(name, text).commands, package)
    for match in _BARE_URL.finditer(text):
        yield from installed_by(shell.parse(f"pip install {match[1]}").commands, package)
    if name == "setup.py":
        for lexeme in _LEXEME.finditer(text):
            string = _REQUIREMENT.fullmatch(lexeme[0])
            if string is not None:
                yield from requirements.parse(string[2]).declared
