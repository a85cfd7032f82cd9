"""What programs really make of a variable: they are run, each in a child of one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.published.variables import is_on
from rocmlint.verify.variables.check import Variables, judge
from rocmlint.verify.variables.readers import search

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.support.verdicts import Truth

NAME = "AITER_X"
_CHILD = """
import json, os, sys
cases = json.load(sys.stdin)
answers = []
for folder, value in cases:
    reader, writer = os.pipe()
    if not os.fork():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.chdir(folder)
        sys.path.insert(0, folder)
        os.environ.pop("AITER_X", None)
        if value is not None:
            os.environ["AITER_X"] = value
        sys.argv = ["main.py"]
        try:
            names = {"__name__": "main", "__file__": "main.py"}
            exec(compile(open("main.py").read(), "main.py", "exec"), names)
            result = names["RESULT"]
            result = result if type(result) is str else repr(bool(result))
        except BaseException as error:
            result = "raises " + type(error).__name__
        os.write(writer, result.encode()[:1000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        answers.append(file.read())
    os.wait()
json.dump(answers, sys.stdout)
"""


@dataclass(frozen=True)
class Case:
    """A program that sets ``RESULT`` to what it takes the variable for, in ``main.py``."""

    name: str
    value: str
    files: dict[str, str]
    expected: str = ""
    """The verdict, where more than not being false is asked for."""


def parse(text: str) -> list[Case]:
    """Read cases: ``### NAME VALUE... [= VERDICT]``, the program, ``--- FILE`` before others."""
    cases = []
    for block in text.split("### ")[1:]:
        head, _, body = block.partition("\n")
        head, _, expected = head.partition(" = ")
        name, *values = head.split()
        first, *others = body.split("--- ")
        files = {"main.py": first}
        files |= {each.partition("\n")[0].strip(): each.partition("\n")[2] for each in others}
        for value in values:
            given = "" if value == "EMPTY" else value
            cases.append(Case(f"{name}-{value}", given, files, expected.strip()))
    return cases


def write(case: Case, folder: Path) -> Path:
    """Write the program of a case into a folder of its own."""
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def ran(folders: Iterable[tuple[Path, str | None]]) -> list[str]:
    """Return what each program takes a value for, by running it; None is not set."""
    given = json.dumps([(str(folder), value) for folder, value in folders])
    environment = {name: value for name, value in os.environ.items() if name != NAME}
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=given,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    answers: list[str] = json.loads(done.stdout)
    return answers


def truth(value: str, taken: str, other: str, unset: str) -> Truth:
    """Return whether a program does what the value says.

    ``taken`` is what it takes the value for, ``other`` what the opposite word, and ``unset`` none.
    A word for on or off has to be taken so, or as its opposite by a program that turns something
    off; any other value has to make a difference.
    """
    if taken.startswith("raises"):
        return "broken"
    if taken not in {"True", "False"}:
        return "holds" if taken != unset or taken != other else "broken"
    return "holds" if (taken == "True") is is_on(value) or taken != other else "broken"


def verdict(value: str, *own: Path, installed: Iterable[Path] = ()) -> tuple[str, dict[str, Any]]:
    """Return the verdict on the variable, and the whole result."""
    found = search({NAME: value}, [str(each) for each in installed], [], [str(e) for e in own])
    result = next(judge(Variables(sys.executable, {NAME: value}, found)))
    return result.verdict, {"seen": result.seen, "why": result.reason, "do": result.action}
