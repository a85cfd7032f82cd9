"""Files of sections and keys (setup.cfg, tox.ini): the lines of their values, with places."""

from __future__ import annotations

import configparser
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.readers.excerpt import Excerpt

_SECTION = re.compile(r"\[([^\]]+)\]")
_KEY = re.compile(r"([^\s=:#;][^=:]*?)\s*[=:]\s*")
_INLINE_COMMENT = re.compile(r"(?:^|\s)#.*")


class Line(NamedTuple):
    """A line of a value, with the section and the key that it belongs to."""

    section: str
    key: str
    text: Excerpt
    """Without the comment behind it and the blanks around it."""


def invalid(text: str, name: str) -> Problem | None:
    """Return what is wrong with a file, None if nothing is."""
    try:
        configparser.RawConfigParser(strict=False).read_string(text)
    except configparser.MissingSectionHeaderError as error:
        return Problem(f"not a valid {name}: there is no section above this line", error.lineno, 1)
    except configparser.ParsingError as error:
        line = error.errors[0][0] if error.errors else 1
        return Problem(f"not a valid {name}: neither a section nor a key", line, 1)
    except configparser.Error as error:
        return Problem(f"not a valid {name}: {str(error).splitlines()[0]}", 1, 1)
    return None


def lines(excerpt: Excerpt) -> Iterator[Line]:
    """Yield the lines of values, without those that hold nothing."""
    section = key = ""
    for line in excerpt.lines():
        written = line.text
        if not written.strip() or written.lstrip().startswith(("#", ";")):
            continue
        value = line
        if written[0] not in " \t":
            header, match = _SECTION.match(written), _KEY.match(written)
            if header is not None:
                section, key = header[1].strip(), ""
            if header is not None or match is None:
                continue
            key = match[1].strip()
            value = line.part(match.end(), len(written))
        comment = _INLINE_COMMENT.search(value.text)
        value = (value if comment is None else value.part(0, comment.start())).stripped()
        if value.text:
            yield Line(section, key, value)
