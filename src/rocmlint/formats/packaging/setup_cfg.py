"""setup.cfg: what setuptools takes from ``install_requires`` and ``extras_require``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats.model import Declared, Inclusion, Parts, Problem
from rocmlint.formats.packaging.specifiers import Declaration, declare
from rocmlint.formats.readers import ini
from rocmlint.formats.readers.excerpt import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = re.compile(r"file:\s*")
_OF_ANOTHER_KEY = re.compile(r"%\(\w[\w.-]*\)s")
"""What configparser replaces by the value of another key, whose own lines are read."""


def parse(text: str) -> Parts:
    """Read a setup.cfg, lines ended by ``\\n``."""
    problem = ini.invalid(text, "setup.cfg")
    if problem is not None:
        return Parts(problems=(problem,))
    found: list[Declared | Problem | Inclusion] = []
    for line in ini.lines(Excerpt.of(text)):
        if line.section == "options.extras_require":
            found += _read(line.text, Declaration(line.key))
        elif line.section == "options":
            if line.key.replace("-", "_") == "install_requires":
                found += _read(line.text, Declaration())
            elif line.key.replace("-", "_") == "setup_requires":
                found += _read(line.text, Declaration("build-system"))
    return Parts(
        declared=tuple(each for each in found if isinstance(each, Declared)),
        inclusions=tuple(each for each in found if isinstance(each, Inclusion)),
        problems=tuple(each for each in found if isinstance(each, Problem)),
    )


def _read(text: Excerpt, where: Declaration) -> Iterator[Declared | Problem | Inclusion]:
    if _OF_ANOTHER_KEY.search(text.text):
        return
    file = _FILE.match(text.text)
    if file is not None:
        rest = text.part(file.end(), len(text.text))
        if where == Declaration() and rest.text:
            yield Inclusion(rest.text, rest.span())
        return
    result = declare(text, where)
    if result is not None:
        yield result
