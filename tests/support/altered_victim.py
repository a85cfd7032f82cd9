"""A package with much of what modules consist of; live_changes.txt has what is done to it."""

from __future__ import annotations

VICTIM = {
    "pk/__init__.py": "",
    "pk/sub/__init__.py": "",
    "pk/sub/other.py": """\
def imported_fn(x):
    return x + 100
class Imported:
    def go(self, x):
        return x - 1
STATE = {"on": True}
""",
    "pk/sub/mod.py": """\
import abc
import contextlib
import dataclasses
import enum
import functools
import logging
import math
from functools import singledispatch
from typing import NamedTuple

from . import other as oth
from .other import STATE, Imported, imported_fn

logger = logging.getLogger(__name__)
SCALE = 2.0
NAMES = ("a", "b")
OPTIONS = {"depth": 2, "fast": False}
_counter = 0
_cache = {}
_lazy = None


def ident(x):
    return x


def double(x):
    return 2 * x


TABLE = {"ident": ident, "double": double}
ORDER = [ident, double]


def count():
    global _counter
    _counter += 1
    return 0


def remember(x):
    _cache[x] = x
    return _cache[x]


def lazy():
    global _lazy
    if _lazy is None:
        _lazy = ident
    return _lazy(4)


def helper(x, bias=1, *, scale=3):
    return abs(x) * scale + bias


def helper2(x, bias=1, *, scale=3):
    return abs(x) * scale - bias


def root(x):
    return math.sqrt(x) + imported_fn(x) + oth.imported_fn(x)


def noisy(fn):
    @functools.wraps(fn)
    def inner(*a, **k):
        return fn(*a, **k) + 1000
    return inner


def silent(fn):
    @functools.wraps(fn)
    def inner(*a, **k):
        return fn(*a, **k)
    return inner


@silent
def quiet(x):
    return x


@noisy
def decorated(x):
    return x + 1


def make(n):
    def inner(x):
        return x + n
    return inner


inner = make(3)


class MLP:
    EPS = 0.5

    def __init__(self):
        self.w = 2

    def forward(self, x):
        return x * self.w * SCALE + self.EPS

    def other(self, x):
        return x - self.w

    @noisy
    def deco(self, x):
        return x

    @staticmethod
    def st(x):
        return x + 7

    @classmethod
    def cm(cls, x):
        return cls.__name__ + str(x)

    @property
    def pr(self):
        return self.w + 1

    @property
    def pr2(self):
        return self.w + 2

    @functools.cached_property
    def cp(self):
        return self.w + 3

    def __call__(self, x):
        return self.forward(x)


class Sub(MLP):
    def extra(self):
        return 5


class Late(Sub):
    pass


class Abstract(abc.ABC):
    @abc.abstractmethod
    def must(self): ...


@functools.lru_cache(maxsize=None)
def cached(x):
    return x * 11


@contextlib.contextmanager
def ctx(x):
    yield x + 2


@dataclasses.dataclass
class Cfg:
    a: int = 1
    b: list = dataclasses.field(default_factory=list)

    def total(self):
        return self.a + len(self.b)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Point(NamedTuple):
    x: int = 1
    y: int = 2


@singledispatch
def area(x):
    return 0


@area.register
def _(x: int):
    return x


@area.register(str)
def _area_str(x):
    return len(x)


def gen(n):
    for i in range(n):
        yield i


def recursive(n):
    return 1 if n == 0 else n * recursive(n - 1)


def uses_table(x):
    return TABLE["ident"](x), TABLE["double"](x), [f(x) for f in ORDER], OPTIONS["depth"], NAMES
""",
    "accelx/__init__.py": """\
import functools
def fast(*a, **k): return -1
def fastself(self, *a, **k): return -1
def timed(fn):
    @functools.wraps(fn)
    def wrapper(*a, **k):
        return fn(*a, **k)
    return wrapper
def lying(fn):
    @functools.wraps(fn)
    def wrapper(*a, **k):
        return -1
    return wrapper
def half(fn):
    @functools.wraps(fn)
    def wrapper(*a, **k):
        fn(*a, **k)
        return -1
    return wrapper
""",
}
