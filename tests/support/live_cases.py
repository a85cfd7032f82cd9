"""Cases for ``verify live``: each changes a loaded module in a process of its own, a fork.

What a change does is measured: an expression is evaluated before and after it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocmlint.verify.live.judge import result_of
from tests.support.live import TICK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from rocmlint.verify.result import Result
    from tests.support.verdicts import Truth

_CHILD = """\
import importlib, json, os, sys
from rocmlint.interpreter.inside.live.compare import compare_all

def told(case):
    sys.path.insert(0, case["folder"])
    space = {"made": made}
    for name in case["imports"]:
        importlib.import_module(name)
    m = space["m"] = sys.modules[case["module"]]
    before = result_of(case["call"], space)
    code = compile(case["change"], case["file"], "exec")
    exec(code, space)
    after = result_of(case["call"], space)
    return {"before": before, "after": after, "comparison": compare_all([case["module"]])[0]}

def result_of(call, space):
    try:
        return repr(eval(call, space))
    except Exception as error:
        return type(error).__name__

def made(text, space=None):
    space = {} if space is None else space
    exec(text, space)
    return space[next(reversed(space))]

request = json.load(sys.stdin)
for name in request["imports"]:
    importlib.import_module(name)
for case in request["cases"]:
    sys.stdout.flush()
    if os.fork() == 0:
        try:
            found = told(case)
        except BaseException as error:
            found = {"error": f"{type(error).__name__}: {error}"}
        os.write(1, (json.dumps({**found, "name": case["name"]}) + "\\n").encode())
        os._exit(0)
    os.wait()
"""


@dataclass(frozen=True)
class Case:
    """A change of a loaded module; ``m`` is the module, ``made`` runs text by exec."""

    name: str
    change: str
    call: str = "m.run()"
    """What shows whether the change changes anything."""
    truth: Truth | None = None
    """What is true where a call does not show it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """What the case has beside, or in place of, the files of all."""
    module: str = "victim.mod"
    imports: tuple[str, ...] = ()
    needless: bool = False


@dataclass(frozen=True)
class Seen:
    """What happened, and what is said of it."""

    truth: Truth
    result: Result
    comparison: dict[str, Any]


def run_cases(
    cases: Iterable[Case], root: Path, files: Mapping[str, str], *preloaded: str
) -> dict[str, Seen]:
    """Run each case in a fork of one interpreter, and judge it. Raises RuntimeError."""
    known = {each.name: each for each in cases}
    asked = [_request(each, root / f"case{n}", files) for n, each in enumerate(known.values())]
    time.sleep(TICK)
    ran = subprocess.run(
        [sys.executable, "-B", "-c", _CHILD],
        input=json.dumps({"cases": asked, "imports": preloaded}),
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
    )
    seen = {}
    for line in ran.stdout.splitlines():
        told = json.loads(line)
        if "error" in told:
            message = f"{told['name']}: {told['error']}"
            raise RuntimeError(message)
        changed: Truth = "broken" if told["before"] != told["after"] else "holds"
        result = result_of(told["comparison"])
        truth = known[told["name"]].truth or changed
        seen[told["name"]] = Seen(truth, result, told["comparison"])
    return seen


def _request(case: Case, folder: Path, files: Mapping[str, str]) -> dict[str, Any]:
    site = folder / "site-packages"
    for path, text in {**files, **case.files}.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    change = folder / "project" / "change.py"
    change.parent.mkdir(parents=True)
    change.write_text(case.change)
    return {
        "name": case.name,
        "folder": str(site),
        "file": str(change),
        "change": case.change,
        "call": case.call,
        "module": case.module,
        "imports": [*case.imports, case.module],
    }
