"""``verify live``: what objects of a module keep, and what it uses of others, changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.live_cases import Case, run_cases

if TYPE_CHECKING:
    from tests.support.live_cases import Seen
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

VICTIM = """\
import enum, functools, math, operator
from dataclasses import dataclass
from collections import namedtuple
from .ops import Layer, LIMIT, scaled_by, min
from . import ops

RATE = 2 * 0.25
SHIFT = 1 << 4
LABEL = "a" + "b"
def first(x): return x + 1
def second(x): return x * 2
PIPELINE = [first, second]
layer = Layer()
part = functools.partial(first, 2)
named = functools.partial(scaled_by, factor=3)
Pair = namedtuple("Pair", "a b")

def scaled(n):
    def around(function):
        @functools.wraps(function)
        def inner(x): return function(x) * n
        return inner
    return around

@scaled(3)
def tripled(x): return x

def by_name(x, how=first, size=LIMIT): return how(x) + size

@dataclass
class Point:
    x: int = 1
    y: int = 2

class Color(enum.Enum):
    RED = 1

@functools.total_ordering
class Ordered:
    def __init__(self, v): self.v = v
    def __eq__(self, other): return self.v == other.v
    def __lt__(self, other): return self.v < other.v

class Slotted:
    __slots__ = ("value",)
    def __init__(self): self.value = 3
    def read(self): return self.value

class Derived(Layer, metaclass=ops.Meta):
    SIZE = 3 + 4
    def forward(self, x): return super().forward(x) + self.SIZE

def late(x):
    from .ops import inner
    import textwrap as text
    return inner(x), text.dedent("x")

def run():
    value = 1
    for each in PIPELINE: value = each(value)
    return (
        value, RATE, SHIFT, LABEL, layer(1), layer.forward(1), named(1), tripled(1), by_name(5),
        Point().x, Point() == Point(), Color.RED.value, Ordered(1) >= Ordered(0), Derived()(1),
        Slotted().read(), late(1), Layer()(2), min(3, 4), Pair(1, 2)._asdict(), part.args,
        Derived.kind(), math.floor(1.5),
    )
"""
OPS = """\
LIMIT = 5
def min(a, b): return -a
def scaled_by(x, factor=1): return x * factor
def inner(x): return x + 7
class Layer:
    def __call__(self, x): return self.forward(x)
    def forward(self, x): return x + 30
class Meta(type):
    def kind(cls): return "meta"
"""
FILES = {
    "victim/__init__.py": "",
    "victim/mod.py": VICTIM,
    "victim/ops.py": OPS,
    "accelx/__init__.py": "def fast(*arguments, **options): return -1\n",
}
MADE = "made('def __init__(self, x=9, y=9): self.x = 9; self.y = 9')"

HOSTILE = [
    Case(
        "the method of an object that the module keeps",
        "import accelx; m.layer.forward = accelx.fast",
    ),
    Case("one function more", "import accelx; m.PIPELINE.append(accelx.fast)"),
    Case("a product of numbers", "m.RATE = 7.0"),
    Case("a shifted number", "m.SHIFT = 17"),
    Case("joined strings", "m.LABEL = 'c'"),
    Case("a sum in a class", "m.Derived.SIZE = 70"),
    Case("another partial", "import functools; m.part = functools.partial(m.first, 99)"),
    Case("a keyword of a partial", "m.named.keywords['factor'] = 99"),
    Case("the closure of a decorator", "m.tripled.__closure__[1].cell_contents = 99"),
    Case("a default that is a function", "m.by_name.__defaults__ = (m.second, 5)"),
    Case(
        "a default of an installed package",
        "import accelx; m.by_name.__defaults__ = (accelx.fast, 5)",
    ),
    Case("a deleted import that a builtin replaces", "del m.min"),
    Case("what a dataclass generated, by exec", f"m.Point.__init__ = {MADE}"),
    Case("what a dataclass generated, installed", "import accelx; m.Point.__eq__ = accelx.fast"),
    Case("what an ordering generated", "import accelx; m.Ordered.__ge__ = accelx.fast"),
    Case("a slot", "m.Slotted.value = property(made('def f(self): return -3'), lambda s, v: None)"),
    Case("an import in a function", "import accelx, victim.ops; victim.ops.inner = accelx.fast"),
    Case(
        "a module imported in a function", "import accelx, textwrap; textwrap.dedent = accelx.fast"
    ),
    Case("a method of an imported class", "import accelx; m.Layer.__call__ = accelx.fast"),
    Case(
        "a method of an imported class by exec", "m.Layer.forward = made('def f(s, x): return 9')"
    ),
    Case("a method of a metaclass elsewhere", "import accelx; m.ops.Meta.kind = accelx.fast"),
    Case("a method of a named tuple", "import accelx; m.Pair._asdict = accelx.fast"),
    Case(
        "a module replaced here and in sys.modules",
        "import sys, types, math\nfake = types.ModuleType('math')\n"
        "fake.__dict__.update(vars(math))\n"
        "fake.floor = lambda x: -1\nsys.modules['math'] = m.math = fake",
    ),
    Case("the hook of a subclass", "import accelx; m.Derived.__getattribute__ = accelx.fast"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    return run_cases(HOSTILE, tmp_path_factory.mktemp("state"), FILES)


@pytest.mark.parametrize("name", [each.name for each in HOSTILE])
def test_what_a_module_keeps_and_uses_is_looked_at(
    name: str, seen: dict[str, Seen], judged: Judged
) -> None:
    judged("live", seen[name].truth, seen[name].result.verdict)
