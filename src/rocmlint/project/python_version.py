"""Which Python a project runs on: that of its image, of an environment, of a file that says so."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.disk.questions import question
from rocmlint.formats import Role, has_role
from rocmlint.lazy import compile_lazily
from rocmlint.project.images import images_in, python_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocmlint.disk.disk import DiskView
    from rocmlint.project.declarations import Declarations

_MINOR = r"(3\.\d+)(?![\d+])"
_README = compile_lazily(r"(?i:readme|install)(\.\w+)?\Z")


def _has_commands(name: str) -> bool:
    return has_role(name, Role.SCRIPT) or _README.match(name) is not None


_SAID: tuple[tuple[Callable[[str], object], re.Pattern[str]], ...] = (
    (re.compile(r"\.python-version\Z").match, re.compile(rf"\A\s*{_MINOR}")),
    (re.compile(r"cog\.ya?ml\Z").match, re.compile(rf"python_version:[ \t]*[\"']?{_MINOR}")),
    (
        re.compile(r".*env.*\.ya?ml\Z").match,
        re.compile(rf"^[ \t]*-[ \t]*[\"']?python[ \t]*={{1,2}}[ \t]*{_MINOR}", re.MULTILINE),
    ),
    (
        _has_commands,
        re.compile(
            rf"(?:conda|mamba)[ \t]+create\b[^\n]*\bpython={{1,2}}{_MINOR}"
            rf"|\b(?:uv[ \t]+venv|virtualenv)\b[^\n]*(?:-p|--python)[ =](?:python)?{_MINOR}"
            rf"|\bpython{_MINOR}[ \t]+-m[ \t]+venv\b"
        ),
    ),
)
"""Which files name a Python, by their names, and how they name it."""


_FIRST_TORCH = (
    ("3.8", (1, 4, 0)),
    ("3.9", (1, 7, 1)),
    ("3.10", (1, 11, 0)),
    ("3.11", (1, 13, 0)),
    ("3.12", (2, 2, 0)),
    ("3.13", (2, 5, 0)),
)
"""By Python, the first torch that has wheels for it on Linux."""


def newest_python_of(torch: Version) -> Version | None:
    """Return the newest Python that a release of torch has wheels for; None for later releases."""
    if torch.release >= _FIRST_TORCH[-1][1]:
        return None
    found = [python for python, first in _FIRST_TORCH if first <= torch.release]
    return Version(found[-1] if found else "3.7")


def python_version(project: Declarations) -> Version | None:
    """Return the Python that the nearest directory with a word about it names; None for no word.

    Of several the newest counts: it allows most releases.
    """
    for folder in project.folders:
        found = [Version(each) for each in _named(folder, project)]
        if found:
            return max(found)
    return None


@question
def _named(folder: str, view: DiskView) -> tuple[str, ...]:
    """Return the Pythons that the files of a folder name, and the images that they start from."""
    found = dict.fromkeys(filter(None, map(python_of, images_in(folder, view))))
    for name in view.names_in(folder):
        for said in (said for may_say, said in _SAID if may_say(name)):
            found.update(dict.fromkeys(_minors(said, view.read(os.path.join(folder, name)))))
    return tuple(found)


@lru_cache(maxsize=256)
def _minors(said: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(next(filter(None, match.groups())) for match in said.finditer(text))
