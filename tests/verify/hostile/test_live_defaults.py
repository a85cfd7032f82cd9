"""``verify live``: the defaults of functions with and without a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.live_cases import Case, run_cases

if TYPE_CHECKING:
    from tests.support.live_cases import Seen
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

FILES = {
    "outer/__init__.py": "def zero(*a, **k):\n    return 0\n\ndef twice(x):\n    return 0\n",
    "victim/__init__.py": "",
    "victim/mod.py": """\
import functools

def twice(x):
    return x * 2

def half(x):
    return x / 2

def a(f=twice):
    return f(3)

def e(*, f=twice):
    return f(3)

class K:
    def m(self, f=twice):
        return f(3)
    n = lambda self, f=twice: f(3)
    pr = property(lambda self, f=twice: f(3))
    st = staticmethod(lambda f=twice: f(3))

K.set = lambda self, f=twice: f(3)
b = lambda f=twice: f(3)
c = lambda *, f=twice: f(3)
g = h = lambda f=twice: f(3)
one, two = lambda f=twice: f(3), lambda f=half: f(3)
T = {"k": lambda f=twice: f(3)}
T["later"] = lambda f=twice: f(3)
M = (lambda x: x + 1, lambda y=2: y + 1)
L = [lambda f=twice: f(3), lambda f=half: f(3), lambda x, y=5: x + y]
P = functools.partial(lambda x, f=twice: f(x), 3)
if len("ab") == 2:
    cond = lambda f=twice: f(3)
else:
    cond = lambda f=half: f(3)
chosen = (lambda f=twice: f(3)) if len("a") else None

def after(k):
    return lambda f: lambda *args: k(f(*args))

@after(lambda x, f=twice: f(x))
def dd(x):
    return x

def inner(f=lambda x, g=twice: g(x)):
    return f(3)

wrapped = twice
twice = functools.lru_cache(twice)
late = lambda f=twice: f(3)
""",
}
HOLDERS = {
    "m.a": "m.a()",
    "m.K.m": "m.K().m()",
    "m.K.n": "m.K().n()",
    "m.K.pr.fget": "m.K().pr",
    "m.K.st": "m.K.st()",
    "m.K.set": "m.K().set()",
    "m.b": "m.b()",
    "m.g": "m.h()",
    "m.one": "m.one()",
    "m.T['k']": "m.T['k']()",
    "m.T['later']": "m.T['later']()",
    "m.L[1]": "m.L[1]()",
    "m.P.func": "m.P()",
    "m.cond": "m.cond()",
    "m.chosen": "m.chosen()",
    "m.dd.__closure__[1].cell_contents": "m.dd(3)",
    "m.inner.__defaults__[0]": "m.inner()",
    "m.late": "m.late()",
}
"""Functions with one default, which is a function, and what calls it."""

CASES = [
    Case("nothing", "pass", "m.a()"),
    *(
        Case(f"{value} in {name}", f"import math, outer; {name}.__defaults__ = ({value},)", call)
        for name, call in HOLDERS.items()
        for value in ("outer.zero", "outer.twice", "math.sqrt", "9")
    ),
    Case("none", "m.b.__defaults__ = None", "m.b()"),
    Case("a keyword", "import outer; m.e.__kwdefaults__ = {'f': outer.zero}", "m.e()"),
    Case("a keyword of a lambda", "import outer; m.c.__kwdefaults__ = {'f': outer.zero}", "m.c()"),
    Case("one of two on a line", "m.M[1].__defaults__ = (6,)", "m.M[1]()"),
    Case("none of two on a line", "m.M[1].__defaults__ = None", "m.M[1]()"),
    Case("one more of two on a line", "m.M[0].__defaults__ = (6,)", "m.M[0].__defaults__"),
    Case("a number", "m.L[2].__defaults__ = (6,)", "m.L[2](1)"),
    Case("another function of the module", "m.b.__defaults__ = (m.half,)", "m.b()"),
    Case(
        "two that swapped theirs",
        "m.one.__defaults__, m.two.__defaults__ = m.two.__defaults__, m.one.__defaults__",
        "m.one()",
    ),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    return run_cases(CASES, tmp_path_factory.mktemp("defaults"), FILES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_default_is_decides_the_verdict(
    case: Case, seen: dict[str, Seen], judged: Judged
) -> None:
    found = seen[case.name]
    judged("live", found.truth, found.result.verdict)
