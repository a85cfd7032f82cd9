"""setup.cfg: what setuptools takes from ``install_requires`` and ``extras_require``."""

from __future__ import annotations

import configparser
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.excerpt import Excerpt
from rocmlint.formats.model import Declared, Inclusion, Parts, Problem
from rocmlint.formats.specifiers import Declaration, declare

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECTION = re.compile(r"\[([^\]]+)\]")
_KEY = re.compile(r"([^\s=:#;][^=:]*?)\s*[=:]\s*")
_FILE = re.compile(r"file:\s*")
_INLINE_COMMENT = re.compile(r"(?:^|\s)#.*")


class _Line(NamedTuple):
    section: str
    key: str
    text: Excerpt


def parse(text: str) -> Parts:
    """Read a setup.cfg, lines ended by ``\\n``."""
    problem = _invalid(text)
    if problem is not None:
        return Parts(problems=(problem,))
    found: list[Declared | Problem | Inclusion] = []
    for line in _lines(Excerpt.of(text)):
        if line.section == "options.extras_require":
            found += _read(line, Declaration(line.key))
        elif line.section == "options":
            if line.key.replace("-", "_") == "install_requires":
                found += _read(line, Declaration())
            elif line.key.replace("-", "_") == "setup_requires":
                found += _read(line, Declaration("build-system"))
    return Parts(
        declared=tuple(each for each in found if isinstance(each, Declared)),
        inclusions=tuple(each for each in found if isinstance(each, Inclusion)),
        problems=tuple(each for each in found if isinstance(each, Problem)),
    )


def _invalid(text: str) -> Problem | None:
    try:
        configparser.RawConfigParser(strict=False).read_string(text)
    except configparser.MissingSectionHeaderError as error:
        return Problem(
            "not a valid setup.cfg: there is no section above this line", error.lineno, 1
        )
    except configparser.ParsingError as error:
        line = error.errors[0][0] if error.errors else 1
        return Problem("not a valid setup.cfg: neither a section nor a key", line, 1)
    except configparser.Error as error:
        return Problem(f"not a valid setup.cfg: {str(error).splitlines()[0]}", 1, 1)
    return None


def _lines(excerpt: Excerpt) -> Iterator[_Line]:
    """Yield the lines of values, each with the section and the key that it belongs to."""
    section = key = ""
    start = 0
    for written in excerpt.text.split("\n"):
        line = excerpt.part(start, start + len(written))
        start += len(written) + 1
        if not written.strip() or written.lstrip().startswith(("#", ";")):
            continue
        if written[0] in " \t":
            yield _Line(section, key, line)
            continue
        header, match = _SECTION.match(written), _KEY.match(written)
        if header is not None:
            section, key = header[1].strip(), ""
        elif match is not None:
            key = match[1].strip()
            yield _Line(section, key, line.part(match.end(), len(written)))


def _read(line: _Line, where: Declaration) -> Iterator[Declared | Problem | Inclusion]:
    comment = _INLINE_COMMENT.search(line.text.text)
    text = line.text if comment is None else line.text.part(0, comment.start())
    file = _FILE.match(text.text.lstrip())
    if file is not None:
        rest = _stripped(text.part(text.text.index(":") + 1, len(text.text)))
        if where == Declaration():
            yield Inclusion(rest.text, rest.span())
        return
    requirement = _stripped(text)
    if requirement.text:
        result = declare(requirement, where)
        if result is not None:
            yield result


def _stripped(text: Excerpt) -> Excerpt:
    return text.part(len(text.text) - len(text.text.lstrip()), len(text.text.rstrip()))
