"""Dockerfiles: the commands that they run, with ARG and ENV, and the images that they build on."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rocmlint.formats.images.instructions import instructions
from rocmlint.formats.model import Command, Copied, Copy, Parts, Problem, Setting, Step, Word
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.folders import entered
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.variables import LONGEST
from rocmlint.formats.scripts.shell.word_list import Item, commands_in
from rocmlint.formats.scripts.shell.wrappers import SHELLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rocmlint.formats.images.instructions import Instruction

_NAMES = frozenset(
    {
        "ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL",
        "MAINTAINER", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
    }
)  # fmt: skip
_PAIR = re.compile(
    r"([A-Za-z_][\w.-]*)(?:=((?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|\\.|[^\s\"'\\])*))?(?=\s|\Z)",
    re.DOTALL,
)
_PIECE = re.compile(
    r"'(?P<single>[^']*)'|(?P<quote>\")|\\(?P<escaped>.)|\$(?P<name>\w+)|\$\{(?P<braced>\w+)\}"
    r"|(?P<complex>\$\{[^}]*\})|(?P<plain>.)",
    re.DOTALL,
)
_WORD = re.compile(r"(?:\"[^\"]*\"|'[^']*'|\\.|[^\s\"'\\])+|\S", re.DOTALL)
_COMMENTED = re.compile(r"[\\`][ \t]+#[^\n]*\Z")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"")
_ESCAPE = re.compile(r"(?:\\u[0-9A-Fa-f]{4})+|\\.")
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?([\w.-]+)(?:[ \t]+([\w.-]+))?")

Variables = dict[str, "str | None"]


@dataclass
class _Stage:
    """What holds in a stage of the build."""

    name: str = ""
    image: Word | None = None
    variables: Variables = field(default_factory=dict)
    """ENV, which a stage that builds on this one has too."""
    arguments: Variables = field(default_factory=dict)
    has_shell: bool = True
    """Whether a shell that we can read runs its commands; not so after SHELL ["powershell"]."""
    folder: str | None = ""
    """WORKDIR: a variable that only the build knows stands in it as it is written."""
    copied: tuple[Copied, ...] = ()

    def all(self) -> Variables:
        """Return what a command finds in its environment: ENV is stronger than ARG."""
        return {**self.arguments, **self.variables}

    def enter(self, folder: str) -> None:
        """Change the folder, as WORKDIR does."""
        self.folder = entered(self.folder, self._known(folder))

    def take_in(self, words: list[str], origin: _Stage | None = None) -> None:
        """Note what COPY or ADD brings in, from the folder that is built or from a stage."""
        *sources, target = [self._known(each) for each in words]
        where = entered(self.folder, target)
        if where is None:
            return
        if origin is None:
            sources = [each for each in sources if not each.startswith("<<") and "://" not in each]
            self.copied += (Copied(tuple(sources), where),)
            return
        for source in sources:
            self.copied += tuple(_passed_on(origin, source, where))

    def bound(self, flags: Iterable[str]) -> Iterator[Copied]:
        """Yield what the bind mounts of one instruction bring in for it."""
        for flag in flags:
            options = dict(each.partition("=")[::2] for each in _behind(flag).split(","))
            if not flag.startswith("--mount=") or options.get("type") != "bind":
                continue
            source, target = (
                next((options[name] for name in names if name in options), ".")
                for names in (("source", "src"), ("target", "dst", "destination"))
            )
            where = entered(self.folder, self._known(target))
            if "from" not in options and where is not None:
                yield Copied((self._known(source),), where)

    def _known(self, written: str) -> str:
        value = expanded(written, self.all())
        return written if value is None else value


def _passed_on(origin: _Stage, source: str, target: str) -> Iterator[Copied]:
    """Yield what a stage had copied below a path that another stage takes from it."""
    above = (entered("/", source) or "").rstrip("/")
    for each in origin.copied:
        if f"{each.target}/".startswith(f"{above}/"):
            inside = each.target[len(above) :].lstrip("/")
            yield Copied(each.sources, entered(target, inside) or target)


def _behind(flag: str) -> str:
    return flag.partition("=")[2].strip('"')


class _Build:
    def __init__(self, given: Mapping[str, str | None]) -> None:
        self.given = given  # in place of what ARG says
        self.defaults: Variables = {}  # the ARGs before the first FROM
        self.stages: dict[str, _Stage] = {}
        self.stage = _Stage()
        self.begun = 0  # stages
        self.commands: list[Command] = []
        self.copies: list[Copy] = []
        self.settings: list[Setting] = []
        self.images: list[Word] = []
        self.steps = 0
        self.before: Excerpt | None = None  # the arguments of the last instruction
        self.problems: list[Problem] = []

    def take(self, instruction: Instruction) -> None:
        name, arguments = instruction.name, instruction.arguments
        stage = self.stage
        if name == "FROM":
            self._from(arguments)
        elif name == "ARG":
            self._arg(arguments)
        elif name == "ENV":
            self._env(arguments, stage)
        elif name == "SHELL":
            words = _exec_form(arguments) or []
            stage.has_shell = any(word.text.rpartition("/")[2] in SHELLS for word in words)
        elif name == "WORKDIR":
            stage.enter(arguments.text)
        elif name in ("COPY", "ADD"):
            self._copy(instruction, stage)
        elif name in ("RUN", "CMD", "ENTRYPOINT"):
            self._run(instruction, stage)
        elif name not in _NAMES and not self.problems:
            self.problems.append(
                _not_ended(self.before, instruction.written) or _unknown(instruction.written)
            )
        self.before = instruction.arguments

    def _from(self, arguments: Excerpt) -> None:
        words = list(re.finditer(r"\S+", arguments.text))
        if not words:
            return
        span = arguments.span(*words[0].span())
        text = expanded(words[0][0], self.defaults)
        above = self.stages.get((text or "").lower())
        if above is None:
            self.images.append(Word(text or words[0][0], span, known=text is not None))
            self.stage = _Stage(image=self.images[-1])
        else:
            self.stage = replace(above, variables=dict(above.variables), arguments={})
        named = len(words) > 2 and words[1][0].lower() == "as"
        self.stage.name = words[2][0].lower() if named else str(self.begun)
        self.stages[self.stage.name] = self.stages[str(self.begun)] = self.stage
        self.begun += 1

    def _arg(self, arguments: Excerpt) -> None:
        for match in _PAIR.finditer(arguments.text):
            name, default = match[1], match[2]
            if name in self.given:
                self.defaults[name] = self.stage.arguments[name] = self.given[name]
                continue
            if not self.begun:
                self.defaults[name] = None if default is None else expanded(default, self.defaults)
            if default is not None:
                self.stage.arguments[name] = expanded(default, self.stage.all())
            else:
                self.stage.arguments[name] = self.defaults.get(name)

    def _env(self, arguments: Excerpt, stage: _Stage) -> None:
        before = stage.all()
        stage.variables.update(_pairs(arguments.text, before))
        holder = None if stage.image is None else stage.image.span
        for match in _PAIR.finditer(arguments.text):
            if match[2] is not None:
                text = expanded(match[2], before)
                value = Word(
                    text or match[2], arguments.span(*match.span(2)), known=text is not None
                )
                span = arguments.span(*match.span())
                self.settings.append(Setting(match[1], value, span, holder))

    def _copy(self, instruction: Instruction, stage: _Stage) -> None:
        arguments = instruction.arguments
        listed = _exec_form(arguments) or [
            arguments.part(*match.span()) for match in _WORD.finditer(arguments.text)
        ]
        words = [each.text for each in listed]
        origins = [_behind(each).lower() for each in instruction.flags if each[:7] == "--from="]
        if len(words) > 1:
            before = len(stage.copied)
            stage.take_in(words, self.stages.get(origins[0], _Stage()) if origins else None)
            if not origins and len(stage.copied) > before:
                last = stage.copied[-1]
                self.copies.append(Copy(last.sources, Word(last.target, listed[-1].span())))

    def _run(self, instruction: Instruction, stage: _Stage) -> None:
        arguments, variables = instruction.arguments, stage.all()
        self.steps += 1
        copied = (*stage.copied, *stage.bound(instruction.flags))
        step = Step(self.steps, stage.image, stage.name, stage.folder, copied)
        words = _exec_form(arguments)
        if words is not None:
            items = [Item.of(word) for word in words]
            self.commands += commands_in(items, arguments.span(), variables, step)
        elif not stage.has_shell:
            return
        elif instruction.heredocs and arguments.text.startswith("<<"):
            script = instruction.heredocs[0].body
            rest = arguments.text.partition(instruction.heredocs[0].mark)[2].strip(" \t\"'")
            if rest.rpartition("/")[2] in ("", *SHELLS) and _is_for_shell(script.text):
                self.commands += commands_of(script, variables, step)
        else:
            whole = instruction.with_heredocs or arguments
            self.commands += commands_of(whole, variables, step)


def _unknown(written: Excerpt) -> Problem:
    span, shown = written.span(), written.text.strip()[:40]
    return Problem(f"{shown!r} is not a valid Dockerfile instruction", span.line, span.column)


def _not_ended(before: Excerpt | None, written: Excerpt) -> Problem | None:
    """Return why the line of an instruction that should go on does not."""
    if before is None:
        return None
    match = _COMMENTED.search(before.text)
    if match is not None:
        span = before.span(*match.span())
        reason = f"The comment behind `{match[0][0]}` ends the instruction"
        return Problem(reason, span.line, span.column)
    if not written.text.lstrip().startswith(("&&", "|")):
        return None
    end = len(before.text.rstrip())
    span = before.span(max(0, end - 1), end)
    return Problem("The line ends without `\\`, and the next one goes on", span.line, span.column)


def parse(text: str) -> Parts:
    """Read a Dockerfile, lines ended by ``\\n``.

    An ARG has its default: what ``--build-arg`` would change is not known.
    """
    return read(Excerpt.of(text), {})


def read(excerpt: Excerpt, arguments: Mapping[str, str | None]) -> Parts:
    """Read a Dockerfile that stands in a file; ``arguments`` are given to the build."""
    build = _Build(arguments)
    for instruction in instructions(excerpt):
        build.take(instruction)
    return Parts(
        commands=tuple(build.commands),
        copies=tuple(build.copies),
        images=tuple(build.images),
        settings=tuple(build.settings),
        problems=tuple(build.problems),
    )


def expanded(written: str, variables: Mapping[str, str | None]) -> str | None:
    """Return the value of a word without quotes and escapes, None where it cannot be told.

    One with longer values in it than :data:`LONGEST` is not told either.
    """
    found: list[str] = []
    left = LONGEST
    for match in _PIECE.finditer(written):
        name = match["name"] or match["braced"]
        if match["complex"] is not None:
            return None
        if name is not None:
            value = variables.get(name)
            left -= len(value or "")
            if value is None or left < 0:
                return None
            found.append(value)
        else:
            found.append(match["single"] or match["escaped"] or match["plain"] or "")
    return "".join(found)


def _pairs(text: str, variables: Variables) -> Variables:
    """Read what ENV sets: ``A=b C="d e"``, or the old form ``A b c``."""
    first = re.match(r"([A-Za-z_][\w.-]*)\s+(.*)\Z", text, re.DOTALL)
    if first is not None:
        return {first[1]: expanded(first[2].strip(), variables)}
    return {
        match[1]: expanded(match[2], variables)
        for match in _PAIR.finditer(text)
        if match[2] is not None
    }


def _exec_form(arguments: Excerpt) -> list[Excerpt] | None:
    """Return the words of ``["a", "b"]``, None for all else, which a shell reads."""
    if not arguments.text.startswith("["):
        return None
    try:
        values = json.loads(arguments.text)
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(value, str) for value in values):
        return None
    found: list[Excerpt] = []
    for match in _STRING.finditer(arguments.text):
        inner = arguments.part(match.start() + 1, match.end() - 1)
        found.append(inner.replaced(_ESCAPE, lambda match: str(json.loads(f'"{match[0]}"'))))
    return found


def _is_for_shell(script: str) -> bool:
    """Return whether a script is for a shell, as its first line says where it names a program."""
    shebang = _SHEBANG.match(script)
    if shebang is None:
        return True
    program = shebang[2] if shebang[1] == "env" else shebang[1]
    return program in SHELLS
