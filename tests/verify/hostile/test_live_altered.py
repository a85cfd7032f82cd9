"""``verify live``: ways to change what a module does, and what programs do without changing it.

In live_changes.txt each case is a comment with its name, and the statements that make the change.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import rocmlint
from rocmlint.verify.live.judge import result_of
from tests.support.altered_victim import VICTIM
from tests.support.live import TICK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.verdicts import Judged, Truth

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

CHILD = """
import contextlib, dataclasses, functools, json, logging, os, sys, time, types
import accelx, pk.sub.mod
time.sleep(TICK)
from rocmlint.interpreter.inside.live.compare import compare

CALLS = [f"m.{owner}().{what}" for owner in ("MLP", "Sub", "Late") for what in (
    "forward(3)", "other(3)", "deco(3)", "st(3)", "cm(3)", "pr", "pr2", "cp", "w", "EPS",
    "__call__(3)",
)]
CALLS += [f"m.{each}" for each in (
    "Sub().extra()", "helper(-3)", "helper2(3)", "root(4)", "decorated(1)", "quiet(2)", "inner(1)",
    "cached(2)", "Cfg().total()", "Cfg()", "Cfg() == m.Cfg()", "Color.RED.value", "Color['RED']",
    "Color(1)", "Point()", "area(5)", "area('abc')", "area(2.0)", "gen(3)", "recursive(3)",
    "uses_table(2)", "lazy()", "remember(8)", "count()", "Imported().go(3)", "STATE", "SCALE",
    "imported_fn(1)", "ctx(1).__enter__()",
)]
CALLS += ["type(m.gen(2))", "type(m.ctx)", "type(m.MLP.__dict__['cp'])", "m.MLP()(3)",
          "pk.sub.mod.helper(-3)", "[setattr(m.MLP(), 'z', 4)]", "list(m.gen(3))",
          "(lambda it: (setattr(it, 'z', 4), it.z))(m.MLP())"]

def results():
    found = {}
    for call in CALLS:
        try:
            answer = eval(call, {"m": sys.modules["pk.sub.mod"], "pk": pk})
            found[call] = "" if type(answer).__name__ == "generator" else repr(answer)
        except Exception as error:
            found[call] = type(error).__name__
    return found

def judged(text):
    read, write = os.pipe()
    if not os.fork():
        try:
            names = {"m": sys.modules["pk.sub.mod"], "accelx": accelx, "functools": functools}
            names.update(types=types, logging=logging, dataclasses=dataclasses)
            exec(text, names)
            told = {"facts": compare("pk.sub.mod"), "is_changed": results() != BEFORE}
        except Exception as error:
            told = {"error": repr(error)}
        with os.fdopen(write, "w") as file:
            json.dump(told, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        told = json.load(file)
    os.wait()
    return told

results()
BEFORE = results()
print(json.dumps({name: judged(text) for name, text in json.load(sys.stdin).items()}))
"""


class Case(NamedTuple):
    name: str
    text: str
    truth: Truth


def cases(texts: str) -> Iterator[Case]:
    for section in texts.removeprefix("== ").split("\n== "):
        head, *changes = section.split("\n# ")
        truth: Any = head.partition(":")[0]
        for each in changes:
            name, _, text = each.partition("\n")
            yield Case(name, text, truth)


CASES = list(cases(Path(__file__).with_name("live_changes.txt").read_text()))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Make each change in a process of its own, and compare the module there."""
    root = tmp_path_factory.mktemp("altered")
    for path, text in VICTIM.items():
        file = root / "site-packages" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    package = rocmlint.__file__.rpartition("/rocmlint/")[0]
    code = f"TICK = {TICK}; import sys; sys.path[:0] = [{str(file.parents[1])!r}, {package!r}]\n"
    done = subprocess.run(
        [sys.executable, "-c", code + CHILD],
        input=json.dumps({each.name: each.text for each in CASES}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_module_does_decides_its_verdict(
    case: Case, answers: dict[str, dict[str, Any]], judged: Judged
) -> None:
    answer = answers[case.name]
    assert "error" not in answer, answer
    assert answer["is_changed"] == (case.truth == "broken")
    judged("live", case.truth, result_of(answer["facts"]).verdict)
