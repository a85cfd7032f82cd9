"""What is said of a file, or of a part of one, that no rule could read, and how grave it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats import is_notebook
from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.findings import Severity
    from rocmlint.formats.model import Problem

_LONGEST_MESSAGE = 100
_TEMPLATE = compile_lazily(r"(?<!\$)\{\{[^{}]*\}\}|\{%.*%\}")
"""Not what GitHub fills in, ``${{ matrix.version }}``: a workflow is valid without that."""
_TEMPLATE_PATH = compile_lazily(r"\{\{|\}\}|cookiecutter|\.(?:j2|jinja2?|tmpl|template)\b")
_PYTHON_2 = compile_lazily(
    r"^\s*(?:print|exec)\s+(?:[\"'\w%]|>>)|^\s*except\b[^:]*\w\s*,\s*\w+\s*:"
    r"|^\s*raise\s+[\w.]+\s*,|\bur[\"']|<>|(?<![\w.])(?<!\d,)0[0-7]+\b(?!\.)|`\w+`"
)
_NOT_CHECKED = "Not checked"


class Unread(NamedTuple):
    """What a finding says of something that could not be read."""

    message: str
    severity: Severity
    help: str


def about_file(path: str, reason: str) -> Unread:
    """Return what to say of a whole file, none of whose text is known."""
    if _TEMPLATE_PATH.search(path):
        return _template(reason)
    return Unread(_short(reason), "error", f"{_NOT_CHECKED}: fix it, or exclude the file.")


def about_place(path: str, problem: Problem, lines: Sequence[str]) -> Unread:
    """Return what to say of a file that cannot be parsed at a place, or of a part of it."""
    reason = problem.reason
    if reason.startswith("not valid "):  # TOML, YAML: the parser names no subject
        reason = f"This file is {reason}"
    if is_template(path, problem, lines):
        return _template(reason)
    if problem.help:
        return Unread(_short(reason), "error", problem.help)
    if is_notebook(path):
        help = f"{_NOT_CHECKED}: fix it, or make it a cell of another kind."
        return Unread(_short(reason), "warning", help)
    if path.endswith((".py", ".pyi")) and is_python_2(problem, lines):
        help = f"{_NOT_CHECKED}: it looks like Python 2, so convert it or exclude the file."
        return Unread(_short(reason), "warning", help)
    return about_file(path, reason)


def is_template(path: str, problem: Problem, lines: Sequence[str]) -> bool:
    """Return whether a file is a template by its path, or by the lines around a problem."""
    near = _near(problem, lines)
    return bool(_TEMPLATE_PATH.search(path)) or any(map(_TEMPLATE.search, near))


def is_python_2(problem: Problem, lines: Sequence[str]) -> bool:
    """Return whether the lines around a problem look like Python 2."""
    return any(map(_PYTHON_2.search, _near(problem, lines)))


def _near(problem: Problem, lines: Sequence[str]) -> Sequence[str]:
    return lines[max(0, problem.line - 2) : problem.line + 1]


def _template(reason: str) -> Unread:
    help = f"{_NOT_CHECKED}: it looks like a template, so exclude it and lint what is made of it."
    return Unread(_short(reason), "warning", help)


def _short(reason: str) -> str:
    """Return a reason on one line, cut where it is longer than a message may be."""
    line = " ".join(reason.split()).rstrip(".")
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[: _LONGEST_MESSAGE - 1]}…"
