"""An installed package whose functions others wrap, and what a process finds after that.

Each case is an installed module that does something to the package. It is imported in a fork of
one process, which calls the package before and after, and compares it with its source.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.interpreter import inside

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.verdicts import Truth

INSIDE = os.path.dirname(inside.__file__ or "")
"""What runs in the interpreter of the user, whichever that is."""
DECO = """\
import functools
def logged(function):
    @functools.wraps(function)
    def run(*arguments, **options):
        return function(*arguments, **options)
    return run
def own_fast(function):
    def fast(*arguments):
        return -7
    fast.kept = function
    return fast
"""
MOD = """\
import abc, contextlib, enum, functools
from dataclasses import dataclass
from typing import NamedTuple, Protocol, overload
from .deco import logged

def helper(x):
    return x + 1
def other(x):
    return x * 100
@logged
def decorated(x):
    return x + 2
@logged
def decorated_too(x):
    return x * 200
@functools.lru_cache(maxsize=None)
def cached(x):
    return x + 3
@functools.cache
def cached_simply(x):
    return x + 4
@functools.singledispatch
def single(x):
    return x + 5
@single.register
def _(x: str):
    return x
@contextlib.contextmanager
def managed(x):
    yield x + 6
@overload
def over(x: int) -> int: ...
@overload
def over(x: str) -> str: ...
def over(x):
    return x
def steps(x):
    yield x + 7
async def later(x):
    return x + 8

class Counted:
    def __init__(self, function):
        self.function = function
    def __call__(self, *arguments):
        return self.function(*arguments)
@Counted
def counted(x):
    return x + 9

class MLP:
    def __new__(cls):
        return super().__new__(cls)
    def forward(self, x):
        return x + 10
    @logged
    def decorated(self, x):
        return x + 11
    @staticmethod
    def static(x):
        return x + 12
    @classmethod
    def of_class(cls, x):
        return x + 13
    @property
    def value(self):
        return 14
    @value.setter
    def value(self, new):
        self.new = new
    @functools.cached_property
    def slow(self):
        return 15
    @classmethod
    @logged
    def both(cls, x):
        return x + 16
    def __init_subclass__(cls):
        pass

@dataclass(order=True)
class Data:
    a: int = 1
    def method(self):
        return self.a
@functools.total_ordering
class Ordered:
    def __lt__(self, other):
        return True
class Pair(NamedTuple):
    a: int = 1
    def total(self):
        return self.a
class Shape(Protocol):
    def area(self): ...
class Abstract(abc.ABC):
    @abc.abstractmethod
    def todo(self): ...
class Color(enum.Enum):
    RED = 1
    @property
    def bright(self):
        return True
"""
ACCEL = """\
import functools, time
class Fast:
    def __init__(self, kept): self.kept = kept
    def __call__(self, *arguments): return -1
class FastDescriptor:
    def __init__(self, kept): self.kept = kept
    def __get__(self, owner, kind): return lambda x: -1
class Timer:
    def __init__(self, kept): self.kept = kept
    def __call__(self, *arguments): return self.kept(*arguments)
def fast(kept):
    @functools.wraps(kept)
    def run(*arguments): return kept and -1
    return run
def timed(kept):
    @functools.wraps(kept)
    def run(*arguments):
        begun = time.perf_counter()
        try:
            return kept(*arguments)
        finally:
            time.perf_counter() - begun
    return run
"""
CALLS = {
    "helper": "m.helper(1)",
    "decorated": "m.decorated(1)",
    "cached": "m.cached(1)",
    "single": "m.single(1)",
    "managed": "m.managed(1).__enter__()",
    "steps": "list(m.steps(1))",
    "later": "asyncio.run(m.later(1))",
    "counted": "m.counted(1)",
    "MLP.forward": "m.MLP().forward(1)",
    "MLP.decorated": "m.MLP().decorated(1)",
    "MLP.static": "m.MLP.static(1)",
    "MLP.of_class": "m.MLP.of_class(1)",
    "MLP.value": "m.MLP().value",
    "MLP.slow": "m.MLP().slow",
    "MLP.both": "m.MLP.both(1)",
    "Data.method": "m.Data().method()",
    "Pair.total": "m.Pair(3).total()",
}

_DRIVER = """\
import asyncio, importlib, json, importlib.util as util, os, sys, tempfile, warnings
warnings.simplefilter("ignore")
calls, cases, module, inside = json.load(sys.stdin)
spec = util.spec_from_file_location(
    "rocmlint_inside", inside + "/__init__.py", submodule_search_locations=[inside]
)
sys.modules["rocmlint_inside"] = util.module_from_spec(spec)
loaded = importlib.import_module("rocmlint_inside.job.loaded")
for each in (module, "accel"):
    importlib.import_module(each)
def called(m):
    told = {}
    for name, text in calls.items():
        try:
            told[name] = repr(eval(text, {"m": m, "asyncio": asyncio}))
        except Exception as error:
            told[name] = type(error).__name__
    return told
def seen(name, call):
    m = importlib.import_module(module)
    before = called(m)
    importlib.import_module(name)
    facts = loaded.answer({"modules": [module], "files": [], "call": call})
    return {"facts": facts, "before": before, "after": called(sys.modules[module])}
answers = {}
for name, call in cases.items():
    path = os.path.join(tempfile.gettempdir(), f"{os.getpid()}.json")
    child = os.fork()
    if not child:
        try:
            answer = seen(name, call)
        except BaseException as error:
            answer = {"error": repr(error)}
        with open(path, "w") as file:
            json.dump(answer, file)
        os._exit(0)
    os.waitpid(child, 0)
    with open(path) as file:
        answers[name] = json.load(file)
print(json.dumps(answers))
"""


@dataclass(frozen=True)
class Case:
    """What an installed module does to the package, and whether the package's code still runs."""

    name: str
    text: str
    truth: Truth
    run: str = ""
    """The body of a function to call while it is watched."""

    @property
    def module(self) -> str:
        return "accel_" + "".join(it if it.isalnum() else "_" for it in self.name)


def cases(truth: Truth, text: str) -> list[Case]:
    """Read cases: each has a comment with its name, its code and, below ``run:``, what to call."""
    found = []
    for each in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        name, _, code = each.partition("\n")
        code, _, run = code.partition("run:\n")
        found.append(Case(name, code, truth, run))
    return found


def seen(site: Path, cases: list[Case], python: str | None = None) -> dict[str, dict[str, Any]]:
    """Install the package and the cases, and return by name what each process found."""
    package = site / "site-packages/victim"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "deco.py").write_text(DECO)
    (package / "mod.py").write_text(MOD)
    (site / "site-packages/accel.py").write_text(ACCEL)
    return asked(site / "site-packages", cases, "victim.mod", CALLS, python)


def asked(
    site: Path,
    cases: list[Case],
    module: str,
    calls: dict[str, str],
    python: str | None = None,
) -> dict[str, dict[str, Any]]:
    """Install cases beside a module, which must be there, and return what each process found.

    ``calls`` are evaluated before and after, with ``m`` for the module.
    """
    for case in cases:
        body = textwrap.indent(textwrap.dedent(case.run).strip() or "pass", "    ")
        text = f"import functools, accel\nimport {module} as m\n{case.text}\n"
        (site / f"{case.module}.py").write_text(f"{text}def run():\n{body}\n")
    wanted = {each.module: f"{each.module}:run" if each.run else None for each in cases}
    ran = subprocess.run(
        [python or sys.executable, "-c", _DRIVER],
        input=json.dumps([calls, wanted, module, INSIDE]),
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    answers: dict[str, dict[str, Any]] = json.loads(ran.stdout.splitlines()[-1])
    return {each.name: answers[each.module] for each in cases}
