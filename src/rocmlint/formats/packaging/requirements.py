"""Requirements and constraints files, as pip reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.formats.model import Declared, Inclusion, Index, Parts, Problem
from rocmlint.formats.packaging.specifiers import Declaration, declare, is_location
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.lazy import compile_lazily
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMENT = compile_lazily(r"(?:^|(?<=\s))#.*")
_OWN_OPTIONS = compile_lazily(
    r"\s--(?:hash|config-settings?|global-option|install-option)\b.*|\s\\\s*\Z", re.DOTALL
)
"""Options that stand behind a requirement, for it alone."""
_IGNORED = compile_lazily(
    r"\s(?P<option>-f|-i|--find-links|--index-url|--extra-index-url|--trusted-host"
    r"|--no-binary|--only-binary)(?:=|[ \t]+)\S+.*"
    r"|\s(?P<flag>--pre|--prefer-binary|--no-index)\s*\Z",
    re.DOTALL,
)
"""Options of a whole file, which pip reads behind a requirement and does nothing with."""
_OPTION = compile_lazily(
    r"(?P<long>--[a-z][a-z-]*)(?:(?:=|\s+)(?P<value>\"[^\"]*\"|'[^']*'|[^\s-]\S*))?"
    r"|(?P<short>-[a-z])(?:\s*=?\s*(?P<short_value>\"[^\"]*\"|'[^']*'|[^\s-]\S*))?"
)
_INDEXES = {
    "-i": False,
    "--index-url": False,
    "--pypi-url": False,
    "--extra-index-url": True,
    "-f": True,
    "--find-links": True,
}
_INCLUSIONS = {"-r": False, "--requirement": False, "-c": True, "--constraint": True}
_OF_CONDA = compile_lazily(r"(?P<name>[\w.-]+)=(?P<version>[^=\s]+)=(?P<build>[^=\s]+)\Z")
"""A line of ``conda list --export``, which pip does not read; what pip installed is ``pypi_0``."""
_SENTENCE = compile_lazily(r"[^\W\d]+,? [^\W\d]+")
_EDITABLE = ("-e", "--editable")


def parse(text: str, *, constraint: bool = False) -> Parts:
    """Read a requirements file, or with ``constraint`` a constraints file.

    A line that pip would refuse is a problem; the others still count.
    """
    return read(Excerpt.of(text), constraint=constraint)


def read(excerpt: Excerpt, *, constraint: bool = False) -> Parts:
    """Read lines as they stand in a requirements file.

    Where most are sentences it is none, such as `requirements/notes.txt`, and has no parts.
    """
    declared: list[Declared] = []
    indexes: list[Index] = []
    inclusions: list[Inclusion] = []
    problems: list[Problem] = []
    sentences = 0
    for line in _logical_lines(excerpt):
        if (listed := _OF_CONDA.match(line.text)) is not None:
            text = f"{listed['name']}=={listed['version']}"
            if listed["build"].startswith("pypi") and requirement_of(text) is not None:
                name = canonicalize_name(listed["name"])
                declared.append(Declared(text, name, line.span(), by_conda=True))
            continue
        if not line.text.startswith("-"):
            requirement, ignored = _requirement(line)
            problems += () if ignored is None else (ignored,)
            requirement = _without_empty_marker(requirement)
            result = declare(requirement, Declaration(constraint=constraint))
            if isinstance(result, Declared):
                declared.append(result)
            elif isinstance(result, Problem):
                problems.append(result)
                sentences += bool(_SENTENCE.match(line.text))
            continue
        for option, value in _options(line):
            if option in _INDEXES:
                indexes.append(Index(value.text, value.span(), extra=_INDEXES[option]))
            elif option in _INCLUSIONS:
                inclusions.append(
                    Inclusion(value.text, value.span(), constraint or _INCLUSIONS[option])
                )
            elif option in _EDITABLE:
                result = declare(value, Declaration(constraint=constraint))
                if isinstance(result, Declared):
                    declared.append(result)
    if sentences > len(declared) + len(indexes) + len(inclusions):
        return Parts()
    return Parts(
        declared=tuple(declared),
        indexes=tuple(indexes),
        inclusions=tuple(inclusions),
        problems=tuple(problems),
    )


def _logical_lines(excerpt: Excerpt) -> Iterator[Excerpt]:
    r"""Yield the lines, those that end in ``\`` joined with the next, without comments."""
    waiting: list[Excerpt] = []
    start = 0
    for written in excerpt.text.split("\n"):
        line = excerpt.part(start, start + len(written))
        start += len(written) + 1
        comment = _COMMENT.search(written)
        if comment is not None:
            line = line.part(0, comment.start())
        elif written.endswith("\\"):
            waiting.append(line.part(0, len(written) - 1))
            continue
        whole = Excerpt.joined(excerpt.file, [*waiting, line]) if waiting else line
        waiting = []
        if (stripped := _stripped(whole)).text:
            yield stripped
    if waiting:
        yield _stripped(Excerpt.joined(excerpt.file, waiting))


def _stripped(excerpt: Excerpt) -> Excerpt:
    text = excerpt.text
    return excerpt.part(len(text) - len(text.lstrip()), len(text.rstrip()))


def _requirement(line: Excerpt) -> tuple[Excerpt, Problem | None]:
    """Return the requirement in a line without options, and what is wrong with those."""
    options = _OWN_OPTIONS.search(line.text)
    if options is not None:
        return _stripped(line.part(0, options.start())), None
    ignored = _IGNORED.search(line.text)
    if ignored is None:
        return line, None
    option = ignored["option"] or ignored["flag"]
    span = line.part(ignored.start() + 1, ignored.end()).span()
    reason = f"pip ignores `{option}` behind a requirement"
    help = "On a line of its own it counts for the whole file; else use it in a command of its own."
    requirement = _stripped(line.part(0, ignored.start()))
    return requirement, Problem(reason, span.line, span.column, help=help)


def _without_empty_marker(requirement: Excerpt) -> Excerpt:
    """Return a requirement without the ``;`` behind which no marker stands: pip takes it off."""
    name, semicolon, marker = requirement.text.partition(";")
    is_empty = bool(semicolon) and not marker.strip() and not is_location(name)
    return _stripped(requirement.part(0, len(name))) if is_empty else requirement


def _options(line: Excerpt) -> Iterator[tuple[str, Excerpt]]:
    for match in _OPTION.finditer(line.text):
        group = "value" if match["long"] else "short_value"
        start, end = match.span(group)
        if start < 0:
            continue
        if match[group][0] in "\"'":
            start, end = start + 1, end - 1
        yield match["long"] or match["short"], line.part(start, end)
