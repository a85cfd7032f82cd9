"""Commands that install packages: what pip, uv, Poetry, PDM and conda are told to install."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

from rocmlint.formats.installs.options import TOOLS, Tool
from rocmlint.formats.model import Word
from rocmlint.formats.packaging.poetry import pep508
from rocmlint.formats.packaging.specifiers import is_location
from rocmlint.formats.scripts.shell.wrappers import program
from rocmlint.lazy import compile_lazily
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from packaging.requirements import Requirement

    from rocmlint.formats.model import Command

_PIP = compile_lazily(r"pip(?:\d+(?:\.\d+)?)?\Z")
_PYTHON = compile_lazily(r"(?:python|pypy)(?:\d+(?:\.\d+)?)?w?(?:\.sh)?\Z|py\Z")
_EXPANSION = compile_lazily(r"\$\w+\Z|\$\{[^{}]*\}\Z|\{[\w.]+\}\Z")
_PIP_VARIABLE = compile_lazily(
    r"[${]+(?:\w*_)?pip(?:3|_(?:cmd|bin|command|exe))?\}?\Z", re.IGNORECASE
)
_UV_VARIABLE = compile_lazily(r"[${]+(?:\w*_)?uv(?:_(?:cmd|bin|command|exe))?\}?\Z", re.IGNORECASE)
_MODULE_FLAG = compile_lazily(r"-[A-Za-z]*m\Z")
_NAME = compile_lazily(
    r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[\w\s,.-]*\])?\s*([=<>!~]=|[<>@;]|\Z)"
)
_CONDA = compile_lazily(r"(?:[\w/.-]+::)?([A-Za-z0-9][\w.-]*)\s*([=<>!~]|\Z)")
_BETWEEN = compile_lazily(r",\s*(?=[A-Za-z])(?![^\[]*\])")
_KNOWN = "install"
_NAMED_INDEX = compile_lazily(r"[\w.-]+=(?=\w+:|/)")


class Requested(NamedTuple):
    """A requirement among the words of a command.

    ``name`` is the normalized name of the package, None where only the run knows it;
    ``requirement`` is None too where the version is unknown, or the tool would refuse the word.
    """

    word: Word
    name: str | None
    requirement: Requirement | None


class IndexOption(NamedTuple):
    """A package index that a command uses; ``extra`` if it is an additional one."""

    word: Word
    extra: bool

    @property
    def url(self) -> str:
        """The URL, without the name that uv lets stand before it."""
        named = _NAMED_INDEX.match(self.word.text)
        return self.word.text[named.end() if named else 0 :]

    @property
    def known_url(self) -> str | None:
        """The URL, None where only the run knows it."""
        return self.url if self.word.known else None


@dataclass(frozen=True)
class Install:
    """What a command installs, and how.

    ``tool`` is pip, uv (``uv pip install``), "uv add", "uv sync", "uv run" (what ``--with`` brings
    for the one command), poetry, pdm or conda. What
    environment variables add (PIP_CONSTRAINT, UV_INDEX_URL) is a word with the span of the program.
    """

    tool: str
    requirements: tuple[Requested, ...] = ()
    locations: tuple[Word, ...] = ()
    """Paths, URLs, wheels, and what is behind ``-e``."""
    files: tuple[Word, ...] = ()
    """Requirements files, and projects' pyproject.toml of ``uv pip install -r``."""
    constraints: tuple[Word, ...] = ()
    """Constraints files and uv's files of overrides."""
    indexes: tuple[IndexOption, ...] = ()
    """Indexes and pages of links, those of the command line first."""
    no_index: bool = False
    no_dependencies: bool = False
    upgrade: bool = False
    upgrade_strategy: str = ""
    torch_backend: str = ""
    """uv's ``--torch-backend``: ``auto``, ``rocm6.3``, ``cpu``."""
    dry_run: bool = False
    elsewhere: bool = False
    """Into another place than the environment it runs in: ``--target``, ``--python``."""
    unclear: tuple[Word, ...] = ()
    """Words that only the run knows: each may be a requirement, an option, or nothing."""

    @property
    def names(self) -> frozenset[str]:
        """The normalized names of the packages that are required."""
        return frozenset(each.name for each in self.requirements if each.name is not None)

    def required(self, name: str) -> list[Requirement]:
        """Return the requirements of a package, by its normalized name, whose version is known."""
        found = (each.requirement for each in self.requirements if each.name == name)
        return [each for each in found if each is not None]


def install_of(command: Command) -> Install | None:
    """Return what a command installs; None if that is nothing: ``pip download``, ``pip list``.

    A command is parsed once, and what was found stays with it: several rules ask.
    """
    known = vars(command)  # as cached_property does, which the room below cannot have
    if _KNOWN not in known:
        known[_KNOWN] = _parsed(command)
    found: Install | None = known[_KNOWN]
    return found


def installs_of(commands: Iterable[Command]) -> Iterator[tuple[Command, Install]]:
    """Yield the commands that install something, each with what it installs."""
    for command in commands:
        install = install_of(command)
        if install is not None:
            yield command, install


def _parsed(command: Command) -> Install | None:
    found = _tool(command.words)
    if found is None:
        return None
    tool, rest = found
    options = _Options(tool, rest)
    verb = next(options.positional(), None)
    if verb is None or verb.text not in tool.verbs:
        return None
    if tool.name == "uv run":
        options.others = [each for word in options.of("requirement") for each in _parted(word)]
    install = _install(tool, options, command)
    return install if tool.name != "uv run" or install.requirements or install.files else None


def _tool(words: Sequence[Word]) -> tuple[Tool, Sequence[Word]] | None:
    """Find the tool that a command runs, and the words behind its name."""
    if not words:
        return None
    name = program(words[0])
    module = _module(words) if _PYTHON.match(name) or not words[0].known else None
    if module is not None:
        name, words = words[module].text, words[module:]
    rest = words[1:]
    if _PIP.match(name) or _PIP_VARIABLE.match(name):
        return TOOLS["pip"], rest
    if name == "uv" or _UV_VARIABLE.match(name):
        return _tool_of_uv(rest)
    name = {"mamba": "conda", "micromamba": "conda"}.get(name, name)
    if name in ("poetry", "pdm", "conda"):
        return TOOLS[name], rest
    is_prefix = not words[0].known and _EXPANSION.match(words[0].text)
    return _tool(rest) if is_prefix else None  # $SUDO pip install …


def _tool_of_uv(words: Sequence[Word]) -> tuple[Tool, Sequence[Word]] | None:
    is_value = False  # of the option before
    for index, word in enumerate(words):
        if word.text == "pip" and not is_value:
            return TOOLS["uv"], words[index + 1 :]
        if word.text in ("add", "sync", "run") and not is_value:
            return TOOLS[f"uv {word.text}"], words[index:]
        if not word.text.startswith("-") and not is_value:
            return None
        is_value = word.text in TOOLS["uv"].valued
    return None


def _module(words: Sequence[Word]) -> int | None:
    """Find the module that Python is told to run: ``pip`` of ``python -u -m pip``."""
    for index, word in enumerate(words[1:-1], 1):
        if not word.text.startswith("-"):
            return None
        if _MODULE_FLAG.match(word.text):
            return index + 1
    return None


class _Options:
    """The words behind the tool, told apart into options, their values, and the others."""

    def __init__(self, tool: Tool, words: Sequence[Word]) -> None:
        self.tool = tool
        self.values: dict[str, list[Word]] = {}
        self.flags: set[str] = set()
        self.others: list[Word] = []
        waiting = list(words)
        while waiting:
            word = waiting.pop(0)
            if word.text.startswith("--") and len(word.text) > 2:
                self._long(word, waiting)
            elif word.text.startswith("-") and len(word.text) > 1:
                self._short(word, waiting)
            else:
                self.others.append(word)

    def positional(self) -> Iterator[Word]:
        """Yield the words that are neither options nor their values, and take them away."""
        while self.others:
            yield self.others.pop(0)

    def of(self, what: str) -> list[Word]:
        """Return the values of all options that mean one thing."""
        return [word for name in self.tool.meaning(what) for word in self.values.get(name, ())]

    def has(self, what: str) -> bool:
        """Return whether one of the options that mean a thing is there."""
        return any(name in self.flags or name in self.values for name in self.tool.meaning(what))

    def _long(self, word: Word, waiting: list[Word]) -> None:
        name, equals, _ = word.text.partition("=")
        if equals:
            self.values.setdefault(name, []).append(_behind(word, len(name) + 1))
        elif name in self.tool.valued and waiting:
            self.values.setdefault(name, []).append(waiting.pop(0))
        else:
            self.flags.add(name)

    def _short(self, word: Word, waiting: list[Word]) -> None:
        for index, letter in enumerate(word.text[1:], 1):
            name = f"-{letter}"
            if name not in self.tool.valued:
                self.flags.add(name)
                continue
            if index + 1 < len(word.text):
                self.values.setdefault(name, []).append(_behind(word, index + 1))
            elif waiting:
                self.values.setdefault(name, []).append(waiting.pop(0))
            return


def _behind(word: Word, count: int) -> Word:
    """Cut characters off the front of a word."""
    text, span = word.text[count:], word.span
    if span.line == span.end_line and span.end_column - span.column == len(word.text):
        span = span._replace(column=span.column + count)
    return replace(word, text=text, span=span)


def _parted(word: Word) -> Iterator[Word]:
    """Yield the requirements of ``--with``, which may name several: ``a>=1,<2,b[c,d]``."""
    return (replace(word, text=each) for each in _BETWEEN.split(word.text))


def _install(tool: Tool, options: _Options, command: Command) -> Install:
    requirements: list[Requested] = []
    locations = options.of("editable")
    unclear: list[Word] = []
    for word in options.positional():
        requested = _requested(word, tool)
        if requested.name is None and is_location(word.text):
            locations.append(word)
        elif requested.name is None and not word.known:
            unclear.append(word)
        else:
            requirements.append(requested)
    variable = _Variables(tool, command)
    indexes = [IndexOption(word, extra=False) for word in options.of("index")]
    indexes += [IndexOption(word, extra=True) for word in options.of("extra index")]
    if not indexes or indexes[0].extra:
        indexes += [IndexOption(word, extra=False) for word in variable.of("index")]
    indexes += [IndexOption(word, extra=True) for word in variable.of("extra index")]
    backends = options.of("torch backend") + variable.of("torch backend")
    strategies = options.of("upgrade strategy")
    return Install(
        tool.name,
        tuple(requirements),
        tuple(locations),
        tuple(options.of("file")),
        (*options.of("constraint"), *variable.of("constraint")),
        tuple(indexes),
        no_index=options.has("no index"),
        no_dependencies=options.has("no dependencies") or bool(variable.of("no dependencies")),
        upgrade=options.has("upgrade"),
        upgrade_strategy=strategies[-1].text if strategies else "",
        torch_backend=backends[0].text if backends else "",
        dry_run=options.has("dry run"),
        elsewhere=options.has("elsewhere"),
        unclear=tuple(unclear),
    )


def _requested(word: Word, tool: Tool) -> Requested:
    text = word.text
    if tool.name in ("poetry", "pdm") and word.known and "@" in text and "://" not in text:
        name, _, version = text.partition("@")
        text = pep508(name, "*" if version == "latest" else version) or name
    if tool.name == "conda":
        match = _CONDA.match(text)
        is_named = match is not None and (word.known or match[2] != "")
        return Requested(word, canonicalize_name(match[1]) if match and is_named else None, None)
    match = None if is_location(text) else _NAME.match(text)
    if match is None or (match[2] == "" and not word.known):
        return Requested(word, None, None)
    requirement = requirement_of(text) if word.known else None
    return Requested(word, canonicalize_name(match[1]), requirement)


class _Variables:
    """What environment variables tell a tool."""

    def __init__(self, tool: Tool, command: Command) -> None:
        self.tool = tool
        self.command = command

    def of(self, what: str) -> list[Word]:
        """Return the values that variables add to options that mean one thing."""
        span = self.command.words[0].span
        found: list[Word] = []
        for name in self.tool.variables.get(what, ()):
            if name not in self.command.variables:
                continue
            value = self.command.variables[name]
            if value is None:
                found.append(Word(f"${name}", span, known=False))
            elif what != "no dependencies" or value.lower() in ("1", "true", "yes", "on"):
                found += [Word(each, span) for each in value.split()]
        return found
