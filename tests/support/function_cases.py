"""A package, a file that replaces its functions, and what a manifest and a call say of each case.

All cases run in forks of one process. In each the first Python code that a call of the replaced
function enters is measured, apart from everything that ``verify`` looks at.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.support.verdicts import Truth


class Case(NamedTuple):
    """One way to replace ``attribute`` of victim.mod; ``call`` is how a program calls it."""

    name: str
    truth: Truth
    verdict: str
    code: str
    attribute: str = "f"
    call: str = "m.f(0)"
    function: str = ""
    file: str = "ops.py"
    said: str = ""
    """What the reason contains."""
    module: str = "proven"
    """The verdict on the module that the function is looked up in."""
    sha256: str = ""


VICTIM = '''\
"""The package whose functions are replaced."""
from collections import OrderedDict

from deco import timed


def f(x, y=1):
    return "original"


def g(x):
    return "original"


@timed
def marked(x):
    return "original"


class Base:
    def forward(self, x):
        return "original"

    @staticmethod
    def fixed(x):
        return "original"

    @classmethod
    def made(cls, x):
        return "original"

    @property
    def value(self):
        return "original"

    def __hidden(self):
        return "original"

    def hidden(self):
        return self.__hidden()


class Sub(Base):
    pass


class Own(Base):
    def forward(self, x):
        return "own"


class Registry:
    first = {}

    def __init__(self):
        self.own = {}

    def __getitem__(self, key):
        return self.own[key] if key in self.own else self.first[key]

    def __setitem__(self, key, value):
        self.own[key] = value


TABLE = {"sdpa": f, "eager": g}
REGISTRY = Registry()
Registry.first.update(sdpa=f, eager=g)
'''
OPS = '''\
"""Replaces functions of victim.mod."""
import functools

from deco import Shared, timed

from victim.mod import f as original, g

ENABLED = False


def _kernel():
    return "fast"


def fast(*arguments, scale=1):
    return f"{_kernel()} {scale}"


def faster(*arguments):
    return "faster"


def own(function):
    @functools.wraps(function)
    def inner(*arguments):
        return function(*arguments)

    return inner


@own
def decorated(*arguments):
    return "fast"


@timed
def timed_fast(*arguments):
    return "fast"


@functools.lru_cache(None)
def cached(*arguments):
    return "fast"


class Names:
    def forward(self, *arguments):
        return "another"

    run = functools.partialmethod(fast, scale=3)


bound = functools.partial(fast, scale=2)
as_method = functools.partialmethod(fast, scale=2)
nothing = lambda *arguments: "fast"


def make(scale):
    def made(*arguments):
        return f"fast {scale}"

    return made


class Inherits(Shared):
    """What is called is code of its base, which calls this."""

    def run(self, *arguments):
        return "fast"


class FastBase:
    def forward(self, *arguments):
        return "fast"


class Op:
    def __call__(self, *arguments):
        return "fast"


async def later(*arguments):
    return "fast"
'''
DECO = '''\
"""An installed package with a decorator."""
import functools


class Shared:
    def __call__(self, *arguments):
        return self.run(*arguments)

    @classmethod
    def apply(cls, *arguments):
        return cls().run(*arguments)


def timed(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)

    return wrapper
'''
MANIFEST = """\
version = 1
[[function]]
name = '''victim.mod:{attribute}'''
file = "{file}"
"""

_DRIVER = r"""
import json, os, sys
import rocmlint
import rocmlint.verify.live.assertion, functools, contextlib, importlib.util
from rocmlint import NotProvenError, assert_loaded

folder, cases, answers = sys.argv[1:]

def entered(case, space):
    # The file of the first Python code that the call enters, whatever it is wrapped in.
    found = []
    def profile(frame, event, argument):
        if event == "call" and frame.f_code.co_filename != "<call>" and not found:
            found.append(frame.f_code.co_filename)
    code = compile(case["call"], "<call>", "eval")
    sys.setprofile(profile)
    try:
        value = eval(code, space)
    except Exception as error:
        value = repr(error)
    finally:
        sys.setprofile(None)
    return {"entered": found[0] if found else "", "value": str(value)}

def run(case):
    root = os.path.join(folder, case["name"])
    sys.path[:0] = [root, os.path.join(folder, "site-packages")]
    os.chdir(root)
    space = {"__file__": os.path.join(root, "case.py"), "__name__": "case"}
    import types
    module = sys.modules["case"] = types.ModuleType("case")
    module.__dict__.update(space)
    with open(space["__file__"]) as file:
        exec(compile(file.read(), space["__file__"], "exec"), module.__dict__)
    try:
        results = assert_loaded(os.path.join(root, "m.toml"))
    except NotProvenError as error:
        results = error.results
    told = {each.subject: [each.verdict, each.seen, each.reason] for each in results}
    return {"results": told, **entered(case, module.__dict__)}

with open(cases) as file:
    wanted = json.load(file)
for case in wanted:
    child = os.fork()
    if not child:
        try:
            answer = run(case)
        except BaseException as error:
            import traceback
            answer = {"error": traceback.format_exc()}
        with open(os.path.join(answers, case["name"]), "w") as file:
            json.dump(answer, file)
        os._exit(0)
    os.waitpid(child, 0)
"""


def run(cases: Iterable[Case], folder: Path) -> dict[str, dict[str, Any]]:
    """Run each case in a fork; give the results by subject, and what a call entered."""
    site = folder / "site-packages"
    write(site / "victim/__init__.py", "")
    write(site / "victim/mod.py", VICTIM)
    write(site / "deco/__init__.py", DECO)
    for each in cases:
        root = folder / each.name
        write(root / "ops.py", OPS)
        write(root / "user.py", "from victim.mod import f\nfrom victim.mod import f as g2, Base\n")
        write(root / "case.py", f"import sys\nimport victim.mod as m\n{each.code}\n")
        text = MANIFEST.format(attribute=each.attribute, file=each.file)
        for key in ("function", "sha256"):
            text += f'{key} = "{getattr(each, key)}"\n' if getattr(each, key) else ""
        write(root / "m.toml", text)
    answers = folder / "answers"
    answers.mkdir()
    write(folder / "driver.py", _DRIVER)
    write(folder / "cases.json", json.dumps([each._asdict() for each in cases]))
    command = [sys.executable, "driver.py", str(folder), "cases.json", str(answers)]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return {each.name: json.loads((answers / each.name).read_text()) for each in cases}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
