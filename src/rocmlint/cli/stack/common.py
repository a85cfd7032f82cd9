"""Common parts of the verbs of stack: flags, and how an answer is printed."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.cli.parser import add_output_format
from rocmlint.cli.verbs import Help
from rocmlint.cli.verify.common import (
    add_interpreter_arguments,
    interpreter_of,
    seconds,
)
from rocmlint.interpreter.choose import interpreter_at
from rocmlint.text.json import dumps
from rocmlint.text.secrets import without_logins
from rocmlint.text.visible import visible
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.stack.installed.distributions import Environment

__all__ = [
    "Help",
    "add_interpreter_arguments",
    "add_output_format",
    "interpreter_at",
    "interpreter_of",
    "lines",
    "managed",
    "not_answered",
    "pip_of",
    "print_document",
    "print_lines",
    "seconds",
]

VERSION = 1
"""Of the JSON: grows when a field changes its meaning or goes; new fields may come without."""


def print_document(verb: str, code: int, **content: object) -> int:
    """Print the answer of a verb as JSON (docs/schema/stack.json), and give the exit code.

    Dataclasses become objects, tuples become arrays; what is not JSON becomes text.
    """
    document = {
        "version": VERSION,
        "tool": {"name": "rocmlint", "version": __version__},
        "verb": verb,
        "exit_code": code,
        **content,
    }
    print(dumps(_plain(document), indent=2))
    return code


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, (int, float, bool, type(None))):
        return value
    return without_logins(str(value))


def lines(text: str) -> str:
    """Return a table or a text of several lines, safe to print."""
    return "\n".join(visible(without_logins(line)) for line in text.split("\n"))


def not_answered(what: Iterable[str]) -> Iterator[str]:
    """Yield the line that says why the exit code is 3; none if all was answered."""
    found = list(dict.fromkeys(what))
    if found:
        yield f"not answered: {'; '.join(found)}"


def print_lines(text: Iterable[str]) -> None:
    """Print lines, each safe to print."""
    for line in text:
        print(lines(line))


def managed(environment: Environment) -> Iterator[str]:
    """Say where no command installs: pip and uv leave the system's own Python alone."""
    if environment.is_managed:
        yield (
            f"{environment.executable} is managed by the system (PEP 668): pip refuses to install "
            "into it; make a virtual environment first"
        )


def pip_of(environment: Environment) -> Iterator[str]:
    """Say how to type the commands above for this interpreter, with what there is."""
    if environment.is_managed:
        yield from managed(environment)
        return
    python = shlex.quote(environment.executable)
    if environment.get("pip"):
        if environment.executable != sys.executable:
            yield f"pip means the pip of this interpreter: {python} -m pip"
    elif shutil.which("uv"):
        # Of two indexes uv takes the first that has a package, pip the best of both.
        words = f"uv pip install --python {python} --index-strategy unsafe-best-match"
        yield f"this interpreter has no pip: instead of pip install, use {words}"
    else:
        yield (
            f"this interpreter has no pip: run {python} -m ensurepip once (on Debian and Ubuntu "
            f"after apt install python3-venv); then pip means {python} -m pip"
        )
