"""What rules look at besides Python's syntax: commands, declared requirements, index URLs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.text.text import Span


class Located(Protocol):
    """Whatever knows its place in the file."""

    @property
    def span(self) -> Span:
        """The place."""


@dataclass(frozen=True)
class Word:
    """One word of a command.

    ``text`` is what the program gets: without quotes and escapes. Where that is known only when
    the command runs (``$INDEX``, ``{version}`` in an f-string), ``known`` is false and the unknown
    part is in ``text`` as it is written.
    """

    text: str
    span: Span
    known: bool = True
    quoted: bool = False
    """Some of it is in quotes, is escaped, or is put in for something else: the text at
    ``span`` is not ``text``."""
    origin: str = ""
    """Where a shell's variables make it unknown, what they were set to, as it is written."""


@dataclass(frozen=True)
class Redirect:
    """A redirection of the shell: ``>=1.0`` after ``pip install numpy`` writes a file ``=1.0``.

    ``span`` reaches from the operator to the end of the target; ``after`` says whether blanks
    stand between the word before and the operator.
    """

    operator: str
    target: Word
    span: Span
    spaced: bool


@dataclass(frozen=True)
class Copied:
    """Paths that a build brings into its image: COPY, ADD, or a bind mount of one RUN.

    ``sources`` are relative to the build context; ``target`` is a directory as
    ``Step.folder`` is, or the path of the one file that is copied.
    """

    sources: tuple[str, ...]
    target: str


@dataclass(frozen=True)
class Copy:
    """A COPY or ADD of a Dockerfile that brings in files of the build context."""

    sources: tuple[str, ...]
    target: Word
    """Its text is the path in the image, absolute as far as that is known."""

    @property
    def span(self) -> Span:
        """The place: that of the target."""
        return self.target.span


@dataclass(frozen=True)
class Mounted:
    """What a service mounts into the image that it builds, and the Dockerfile of that.

    The paths are relative to the folder of the file.
    """

    sources: tuple[str, ...]
    dockerfile: str


@dataclass(frozen=True)
class Step:
    """What the commands of one shell share: an instruction, a step of a workflow, a whole script.

    ``number`` tells the steps of a file apart. ``image`` is the one that the step runs in, in a
    Dockerfile the base image of its stage, also where that builds on another ``stage`` (its name,
    else its number). ``folder`` is where the step begins: "" for the folder that nobody has
    chosen, such as that of the project, and None where it is unknown. ``copied`` is what the build
    of an image has brought in by then; None for what runs among the files of the project. Where a
    workflow's condition names ``repositories``, it runs in these only, as owners or with a name.
    """

    number: int = 0
    image: Word | None = None
    stage: str = ""
    folder: str | None = ""
    copied: tuple[Copied, ...] | None = None
    repositories: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Branch:
    """A part of a script that only sometimes runs: of ``if``, of ``case``, or behind ``||``.

    ``block`` is the place of the whole statement, ``arm`` tells its parts apart; a condition counts
    to what follows it. A ``scope`` is a function or a shell, which ``return`` or ``exit`` leaves.
    """

    block: Span
    arm: int
    scope: bool = False


@dataclass(frozen=True)
class Command:
    """A command that a file runs, its program first, without wrappers such as ``sudo``.

    ``shell`` says whether a shell reads it (a list of words in Python, or the exec form in a
    Dockerfile, is read by none). ``variables`` are those set for it by then, in the file or by the
    command itself; a value that is known only at run time is None. ``folder`` is where it runs:
    that of its ``step``, and where ``cd`` has led from there. ``branches`` are those of the script
    that it is in, the outermost first.
    """

    words: tuple[Word, ...]
    span: Span
    redirects: tuple[Redirect, ...] = ()
    shell: bool = True
    variables: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    step: Step = field(default_factory=Step)
    folder: str | None = ""
    branches: tuple[Branch, ...] = field(default=(), hash=False)

    @property
    def image(self) -> Word | None:
        """The image that it runs in, None where that is unknown."""
        image = self.step.image
        return image if image is not None and image.known else None


@dataclass(frozen=True)
class Setting:
    """A variable that a file sets in the environment of what it starts; ``span`` is all of it.

    ``value`` is None where it is removed. ``holder`` is the place of what alone gets it: one
    command, one service, one stage of an image; None for all that a script starts from there on.
    ``branches`` are those of the script that it is in, the outermost first.
    """

    name: str
    value: Word | None
    span: Span
    holder: Span | None = None
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class Declared:
    """A requirement that a project declares, as in PEP 508, whatever the format.

    ``group`` is where: "" for what is always installed, else the extra, dependency group or
    environment; ``constraint`` says that it installs nothing by itself.
    """

    text: str
    name: str
    """Normalized as packages are: lower case, ``-`` for ``_`` and ``.``."""
    span: Span
    group: str = ""
    constraint: bool = False
    by_conda: bool = False
    """conda reads it, not pip: what conda installs depends on what conda's own metadata says."""


@dataclass(frozen=True)
class Index:
    """The URL of a package index that a file names; ``extra`` if it is an additional one.

    ``takes`` are the requirements that come from this index and no other; None where the file
    does not say so, as a list of requirements does not.
    """

    url: str
    span: Span
    extra: bool = False
    takes: tuple[Declared, ...] | None = None


EntryKind = Literal["bool", "int", "float", "str", "null", "dict", "list", "unknown"]


@dataclass(frozen=True)
class Entry:
    """A key of a configuration and its value; ``span`` is the place of the key.

    ``text`` is the value as a string, of what is neither a mapping nor a list. ``entries`` are
    those of a mapping. What is known only at run time is of the kind "unknown".
    """

    name: str
    span: Span
    kind: EntryKind
    text: str = ""
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class DeepSpeedConfig:
    """A configuration of DeepSpeed: a mapping that sets up ZeRO."""

    entries: tuple[Entry, ...]
    span: Span

    def get(self, *path: str) -> Entry | None:
        """Return the setting at a path of keys: ``get("zero_optimization", "stage")``."""
        found: Entry | None = None
        entries = self.entries
        for key in path:
            found = next((each for each in entries if each.name == key), None)
            entries = () if found is None else found.entries
        return found


@dataclass(frozen=True)
class Inclusion:
    """Another file of requirements that a file includes: ``-r base.txt``, ``-c torch.txt``."""

    path: str
    span: Span
    constraint: bool = False


@dataclass(frozen=True)
class Problem:
    """A place that cannot be read, and why; the rest of the file is."""

    reason: str
    line: int
    column: int
    refused: str = ""
    """The text that should be a requirement, where it is that which is not valid."""
    help: str = ""
    """What to do, where that is not what holds for any file that cannot be read."""


@dataclass(frozen=True)
class Parts:
    """What one file contains, in the order of the file."""

    commands: tuple[Command, ...] = ()
    declared: tuple[Declared, ...] = ()
    indexes: tuple[Index, ...] = ()
    inclusions: tuple[Inclusion, ...] = ()
    problems: tuple[Problem, ...] = ()
    copies: tuple[Copy, ...] = ()
    configurations: tuple[DeepSpeedConfig, ...] = ()
    images: tuple[Word, ...] = ()
    """Base images: ``FROM rocm/pytorch:latest``, ``container:`` of a workflow."""
    settings: tuple[Setting, ...] = ()
    mounted: tuple[Mounted, ...] = ()
    prose: tuple[str, ...] = ()
    """What a notebook says between its code, in Markdown."""
