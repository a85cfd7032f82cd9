"""What IPython makes of a cell: its Python, and the commands that its magics run.

What is not Python is blanked, a statement of it becomes ``0``: all that is left keeps its place.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import Command, Parts, Problem, Step
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.folders import led_to
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.notebook.read import MARK, texts_of
from rocmlint.syntax.partial_parse import Pieces
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.text.blanks import PythonText
from rocmlint.text.text import LEXEME, MixedText, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.notebook.read import CodeCell

_PACKAGERS = ("pip", "pip3", "conda", "mamba", "micromamba", "uv")
_RUNS_SHELL = {"bash", "sh", "script", "sx", "system", "!"}
_RUNS_PYTHON = {
    "capture", "debug", "ipytest", "memit", "mprun", "prun", "pypy", "python", "python3", "time",
    "timeit",
}  # fmt: skip
_OF_DATABRICKS = {"sh", "sql", "md", "scala", "r", "fs", "run", "python"}
"""Cell magics that are written with one ``%``."""
_TIMED = re.compile(
    r"[ \t]*%(?:time|timeit|prun|memit|mprun)(?:[ \t]+-\w+(?:[ \t]*\d+)?)*[ \t]+(?=[^-\s])"
)

_CELL_MAGIC = re.compile(
    r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(?P<sign>%%)(?P<name>!|[A-Za-z][\w.]*)(?P<rest>[^\n]*)"
)
"""Colab takes titles (``#@title``) above it."""
_DATABRICKS = re.compile(r"\s*(?P<sign>%)(?P<name>\w+)[ \t]*(?P<rest>)$", re.MULTILINE)
_ENDED = re.compile(r"(?:[^\n\\]|\\\n?)*")
"""A logical line: backslashes join it with the next."""
_ESCAPED = re.compile(r"(?P<start>[ \t]*)(?P<sign>!!?|%(?=[A-Za-z_])|\?\??(?=[ \t]*[\w%*]))")
_ASSIGNED = re.compile(
    r"(?P<start>[ \t]*[A-Za-z_*(\[][\w.,* \t()\[\]'\"]*(?<!=)=[ \t]*)(?P<sign>!|%(?=[A-Za-z_]))"
)
_HELP = re.compile(r"(?P<start>[ \t]*)%{0,2}[A-Za-z_*][\w.*]*(?:\[[\w'\"]*\])*\?\??[ \t]*$")
_AUTOMATIC = re.compile(
    r"(?P<start>[ \t]*)(?:(?P<run>(?:pip3?|conda|mamba|micromamba|uv)(?:[ \t]+-[\w-]+)*[ \t]+[a-z])"
    r"|(?:cat|cd|cp|ls|man|mkdir|mv|rm|rmdir)[ \t]+[\w./~$-])"
)
_MAGIC = re.compile(r"(?P<name>[\w.]+)[ \t]*(?P<rest>.*)", re.DOTALL)
_ENVIRONMENT = re.compile(r"(?P<name>\w+)(?:[ \t]*=[ \t]*|[ \t]+)(?P<value>.*)", re.DOTALL)
_INTERPOLATED = re.compile(r"\{[^{}\n]+\}")
"""What IPython fills in; a ``$name`` that the shell does not know is unknown anyway."""
_TOKEN = re.compile(
    rf"(?P<lexeme>{LEXEME})|(?P<open>[(\[{{])|(?P<close>[)\]}}])|\\\n|(?P<end>\n)"
    r"|[^\n'\"#()\[\]{}\\]+|.",
    re.DOTALL,
)


class Code(NamedTuple):
    """The code of a notebook, without that of the cells that cannot be parsed, and why not."""

    text: MixedText
    parts: Parts
    unparsable: tuple[Problem, ...]


def code_of(text: str, cells: Sequence[CodeCell] = ()) -> Code:
    """Read the joined text of the cells of a notebook (see :mod:`rocmlint.notebook.read`).

    A cell that is not Python is left out, so that it hides nothing in the others. ``cells`` are
    needed to name them.
    """
    reader = _Reader(text)
    at = 0
    for cell in texts_of(text):
        reader.read(at, at + len(cell))
        at += len(cell) + len(f"\n{MARK}\n")
    python, shell = "".join(reader.python), "".join(reader.shell)
    parts = Parts(commands=tuple(reader.commands))
    numbers = [(cell.number, cell.above) for cell in cells]
    return Code(
        MixedText(text, PythonText(python), shell, numbers), parts, tuple(reader.unparsable)
    )


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.file = Text(text)
        self.python = list(text)
        self.shell = [character if character.isspace() else " " for character in text]
        self.commands: list[Command] = []
        self.unparsable: list[Problem] = []
        self.variables: dict[str, str | None] = {}
        self.folder: str | None = ""
        self.steps = 0

    def read(self, start: int, end: int) -> None:
        """Read one cell."""
        magic = _CELL_MAGIC.match(self.text, start, end)
        if magic is None:
            magic = _DATABRICKS.match(self.text, start, end)
            magic = magic if magic is not None and magic["name"] in _OF_DATABRICKS else None
        if magic is None:
            self._read_python(start, end)
        elif magic["name"] in _RUNS_PYTHON:
            self._blank(magic.start("sign"), magic.end())
            self._read_python(magic.end(), end)
        else:
            self._blank(magic.start("sign"), end)
            if magic["name"] in _RUNS_SHELL and _is_shell(magic):
                self._run(magic.end(), end)
        self._refuse_unparsable(start, end)

    def _read_python(self, start: int, end: int) -> None:
        """Read a cell statement by statement, so that a ``%`` inside of one is left alone."""
        at, depth, begins = start, 0, True
        while at < end:
            if begins and self._read_magic(at, end):
                at = min(end, self._line_end(at, end) + 1)
                continue
            token = _TOKEN.match(self.text, at, end)
            if token is None:
                return
            depth = max(0, depth + (token["open"] is not None) - (token["close"] is not None))
            begins = token["end"] is not None and depth == 0
            at = token.end()

    def _line_end(self, at: int, end: int) -> int:
        match = _ENDED.match(self.text, at, end)
        return end if match is None else match.end()

    def _read_magic(self, at: int, end: int) -> bool:
        """Read the magic that a statement is, and say whether it is one."""
        last = self._line_end(at, end)
        timed = _TIMED.match(self.text, at, last)
        found = _ESCAPED.match(self.text, at, last) or _ASSIGNED.match(self.text, at, last)
        if timed is not None and _is_simple(self.text[timed.end() : last]):
            self._stand_in(timed.start(), timed.end())
            self.python[timed.end() - 1] = ";"
        elif found is not None:
            self._stand_in(found.end("start"), last)
            if found["sign"].startswith("!"):
                self._run(found.end(), last, interpolated=True)
            elif found["sign"] == "%":
                self._read_line_magic(found.end(), last)
        elif (help_asked := _HELP.match(self.text, at, last)) is not None:
            self._stand_in(help_asked.end("start"), last)
        elif (automatic := _AUTOMATIC.match(self.text, at, last)) is not None:
            if _is_simple(self.text[at:last].strip()):
                return False
            self._stand_in(automatic.end("start"), last)
            if automatic["run"]:
                self._run(automatic.end("start"), last, interpolated=True)
        else:
            return False
        return True

    def _read_line_magic(self, start: int, end: int) -> None:
        magic = _MAGIC.match(self.text, start, end)
        if magic is None:
            return
        if magic["name"] in _PACKAGERS:
            self._run(start, end, interpolated=True)
        elif magic["name"] in {"sx", "system", "sh"}:
            self._run(magic.start("rest"), end, interpolated=True)
        elif magic["name"] in {"env", "set_env"}:
            variable = _ENVIRONMENT.match(magic["rest"])
            if variable is not None:
                known = not re.search(r"[${]", variable["value"])
                self.variables[variable["name"]] = variable["value"].strip() if known else None
        elif magic["name"] == "cd":
            folder = magic["rest"].strip().strip("'\"")
            self.folder = led_to(self.folder, folder, known=not re.search(r"[${]", folder))

    def _run(self, start: int, end: int, *, interpolated: bool = False) -> None:
        """Note the commands of a script that stands in the text."""
        self.shell[start:end] = self.text[start:end]
        script = Excerpt(
            self.file, self.text[start:end], range(start, end), range(start + 1, end + 1)
        )
        if interpolated:
            script = script.with_unknown(_INTERPOLATED)
        self.steps += 1
        step = Step(self.steps, folder=self.folder)
        self.commands += commands_of(script, self.variables, step)

    def _blank(self, start: int, end: int) -> None:
        self.python[start:end] = (each if each == "\n" else " " for each in self.text[start:end])

    def _stand_in(self, start: int, end: int) -> None:
        self._blank(start, end)
        self.python[start] = "0"

    def _refuse_unparsable(self, start: int, end: int) -> None:
        code = "".join(self.python[start:end])
        found = _problem(code)
        if found is not None:
            line = min(found.line, code.count("\n") + 1) + self.file.line_of(start) - 1
            reason = f"This cell cannot be parsed: {found.reason}"
            self.unparsable.append(Problem(reason, line, max(1, found.column)))
            self._blank(start, end)


def _is_shell(magic: re.Match[str]) -> bool:
    """Return whether a cell magic hands its cell to a shell: ``%%script`` may name any program."""
    return magic["name"] != "script" or bool(re.search(r"\b(?:ba|da|z)?sh\b", magic["rest"]))


def _is_simple(code: str) -> bool:
    """Return whether code is one or more simple statements."""
    body = _parsed(code)
    return bool(body) and not any(hasattr(statement, "body") for statement in body)


def _parsed(code: str) -> list[ast.stmt]:
    try:
        return list(_statements(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _statements(code: str) -> Iterator[ast.stmt]:
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from compile(code, "cell", "exec", flags, dont_inherit=True).body


def _problem(code: str) -> UnparsableError | None:
    """Return why a cell cannot be parsed.

    What the running Python refuses may be the grammar of a newer one, which LibCST knows.
    """
    try:
        list(_statements(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        try:
            _ = Pieces(PythonText(code)).whole
        except UnparsableError as error:
            return error
    return None
