"""``verify live``: what a process has and the source of a module does not define."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.live_cases import Case, run_cases

if TYPE_CHECKING:
    from tests.support.live_cases import Seen
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

VICTIM = """\
import math
import os.path as paths
from .ops import attention, SIZE, Norm
from .ops import REGISTRY, Table
from . import ops as own_ops

SCALE = 2.0
NAMES = ["a", "b"]
LIMITS = {"low": 1, "high": 9}
SHAPE = (1, 2)

def helper(x, bias=1, *, factor=1):
    return (x + bias) * factor * SCALE

def eager(x): return x + 1
def sdpa(x): return x + 2
def other(x): return x + 1000

TABLE = {"eager": eager, "sdpa": sdpa}
ORDER = [eager, sdpa]
alias = helper
doubled = (lambda x: 2 * x)

class Meta(type):
    pass

class Base:
    def __call__(self, x): return self.forward(x)
    def forward(self, x): return x
    def extra(self, x): return -5

class MLP(Base):
    EPS = 0.5
    OPS = {"sdpa": sdpa}
    def __init__(self, size=3): self.size = size
    def forward(self, x):
        fast = getattr(self, "fast_path", None)
        return fast(x) if fast else x + self.size + self.EPS
    def spare(self, x): return -77
    @classmethod
    def build(cls): return cls()
    activate = staticmethod(eager)

class Sub(MLP):
    pass

class WithMeta(MLP, metaclass=Meta):
    def forward(self, x): return super().forward(x) + 1

def with_closure(scale):
    def inner(x): return x * scale
    return inner

triple = with_closure(3)

def run():
    mlp = MLP.build()
    return (
        helper(1), alias(2), doubled(3), TABLE["eager"](1), TABLE["sdpa"](1), ORDER[0](1),
        mlp(1), mlp.forward(1), mlp.OPS["sdpa"](1), mlp.activate(1), Sub()(1), WithMeta()(1),
        math.sqrt(4), paths.join("a", "b"), attention(1), SIZE, Norm()(1), REGISTRY["norm"](1),
        REGISTRY["attn"](1), Table()["attn"](1), own_ops.attention(1), len(NAMES), max(SHAPE),
        LIMITS["high"], triple(2), type(complex(1)).__name__,
    )
"""
OPS = """\
SIZE = 4
def attention(x): return x + 10
def norm(x): return x - 1
class Norm:
    def __call__(self, x): return norm(x)
REGISTRY = {"norm": norm}
def register(name):
    def put(function):
        REGISTRY[name] = function
        return function
    return put
@register("attn")
def attn(x): return x + 20
class Table(dict):
    _mapping = {"attn": attention}
    def __missing__(self, key): return self._mapping[key]
    @classmethod
    def register(cls, key, value): cls._mapping[key] = value
"""
ACCELX = """\
def fast(*arguments, **options): return -1
def new(cls, *arguments, **options):
    made = object.__new__(cls)
    made.fast_path = lambda x: -2
    return made
def getattribute(self, name):
    return (lambda *a: -3) if name == "forward" else object.__getattribute__(self, name)
def getattr_(self, name):
    if name == "fast_path": return fast
    raise AttributeError(name)
class Meta(type):
    def __call__(cls, *arguments): return fast
class Other:
    def __call__(self, x): return -4
    def forward(self, x): return -4
class Descriptor:
    def __get__(self, instance, owner): return fast
class Falling(dict):
    def __getitem__(self, key): return fast
"""
FILES = {
    "victim/__init__.py": "",
    "victim/mod.py": VICTIM,
    "victim/ops.py": OPS,
    "accelx/__init__.py": ACCELX,
}
MADE = "made('def fast(*a, **o): return -1')"

ADDED = [
    Case("a call operator of an installed package", "import accelx; m.MLP.__call__ = accelx.fast"),
    Case("a call operator made by exec", f"m.MLP.__call__ = {MADE}"),
    Case("a call operator of the project", "def fast(self, x): return -1\nm.MLP.__call__ = fast"),
    Case("a constructor", "import accelx; m.MLP.__new__ = accelx.new"),
    Case("__getattribute__", "import accelx; m.MLP.__getattribute__ = accelx.getattribute"),
    Case("__getattr__", "import accelx; m.MLP.__getattr__ = accelx.getattr_"),
    Case("a name that the code asks for", "import accelx; m.MLP.fast_path = accelx.fast"),
    Case("forward where it was inherited", "import accelx; m.Sub.forward = accelx.fast"),
    Case("forward made by exec where it was inherited", f"m.Sub.forward = {MADE}"),
    Case("another method of the class as forward", "m.Sub.forward = m.MLP.spare"),
    Case("another method of the base as forward", "m.Sub.forward = m.Base.extra"),
    Case(
        "exec in the name space of the module",
        "exec('def forward(self, x): return -1', m.__dict__); m.Sub.forward = m.forward",
    ),
    Case("a descriptor", "import accelx; m.Sub.forward = accelx.Descriptor()"),
    Case(
        "a partial method",
        "import functools; m.Sub.forward = functools.partialmethod(m.MLP.spare)",
    ),
    Case("a callable object", "import accelx; m.Sub.forward = accelx.Other()"),
    Case("a property", "import accelx; m.Sub.forward = property(lambda self: accelx.fast)"),
    Case(
        "a class rebuilt by exec",
        "space = dict(vars(m.MLP)); [space.pop(k, None) for k in ('__dict__', '__weakref__')]\n"
        f"space['__call__'] = {MADE}\nm.MLP = type('MLP', m.MLP.__bases__, space)",
    ),
    Case("a method of the metaclass", "import accelx; m.Meta.__call__ = accelx.Meta.__call__"),
    Case("a C function", "m.Sub.__call__ = staticmethod(repr)"),
    Case("a global that hides a builtin", "m.len = lambda x: -1"),
    Case("a global of exec that hides a builtin", "m.max = made('def max(x): return -1')"),
]
BROUGHT = [
    Case("a function of an import", "import accelx; m.attention = accelx.fast"),
    Case("a function of an import by exec", f"m.attention = {MADE}"),
    Case("a class of an import", "import accelx; m.Norm = accelx.Other"),
    Case("a callable object for an import", "import accelx; m.Norm = accelx.Other"),
    Case("a constant of an import", "m.SIZE = 5"),
    Case(
        "a function of an import, in both modules",
        "import accelx, victim.ops; victim.ops.attention = m.attention = accelx.fast",
    ),
    Case(
        "another function of the same package", "import victim.ops; m.attention = victim.ops.attn"
    ),
    Case(
        "a module",
        "import types; m.math = types.ModuleType('math'); m.math.sqrt = lambda x: -1",
    ),
    Case(
        "a module object of another kind",
        "import types; m.math = types.SimpleNamespace(sqrt=lambda x: -1)",
    ),
    Case("another module", "import accelx; accelx.join = accelx.fast; m.paths = accelx"),
    Case(
        "a module of the own package",
        "import accelx; accelx.attention = accelx.fast; m.own_ops = accelx",
    ),
    Case("a partial of an import", "import functools; m.attention = functools.partial(m.other)"),
]
REGISTRIES = [
    Case("an entry of an installed package", "import accelx; m.TABLE['sdpa'] = accelx.fast"),
    Case("an entry of exec", f"m.TABLE['sdpa'] = {MADE}"),
    Case("an entry of the same module", "m.TABLE['sdpa'] = m.other"),
    Case("two entries swapped", "m.TABLE.update(sdpa=m.eager, eager=m.sdpa)"),
    Case("an element of a list", "import accelx; m.ORDER[0] = accelx.fast"),
    Case("an entry of a class", "import accelx; m.MLP.OPS['sdpa'] = accelx.fast"),
    Case("an entry of a registry elsewhere", "import accelx; m.REGISTRY['norm'] = accelx.fast"),
    Case("an entry by a decorator", "import accelx; m.REGISTRY['attn'] = accelx.fast"),
    Case("the mapping of a class", "import accelx; m.Table.register('attn', accelx.fast)"),
    Case("the whole table", "import accelx; m.TABLE = accelx.Falling()"),
]
VALUES = [
    Case("a default", "m.helper.__defaults__ = (99,)"),
    Case("a keyword default", "m.helper.__kwdefaults__ = {'factor': 99}"),
    Case("a keyword default in place", "m.helper.__kwdefaults__['factor'] = 99"),
    Case("a default of a method", "m.MLP.__init__.__defaults__ = (99,)"),
    Case(
        "a default that was not there",
        "m.eager.__defaults__ = (5,)",
        "(lambda f: f(*([1] if not f.__defaults__ else [])))(m.eager)",
    ),
    Case(
        "other globals",
        "import types; m.helper = types.FunctionType(m.helper.__code__, {'SCALE': 99}, "
        "'helper', (1,)); m.helper.__kwdefaults__ = {'factor': 1}",
    ),
    Case(
        "other globals of a method",
        "import types; old = m.WithMeta.forward\nm.MLP.build = classmethod(types.FunctionType("
        "m.MLP.build.__func__.__code__, {}))\nm.MLP.activate = staticmethod(types.FunctionType("
        "m.eager.__code__, {'x': 1}, 'eager', (7,)))\nm.MLP.forward = types.FunctionType("
        "m.MLP.forward.__code__, {'getattr': lambda *a: lambda x: -1})",
    ),
    Case("a closure", "m.triple.__closure__[0].cell_contents = 99"),
    Case("the class of super()", "m.WithMeta.forward.__closure__[0].cell_contents = m.MLP"),
    Case("a number", "m.SCALE = 77.0"),
    Case("a number of a class", "m.MLP.EPS = 5.0"),
    Case("a tuple", "m.SHAPE = (1, 99)"),
    Case("an entry of a table of numbers", "m.LIMITS['high'] = 10"),
    Case("an element fewer", "m.NAMES.remove('a')"),
    Case("an alias", "m.alias = m.other"),
    Case("an alias of an installed package", "import accelx; m.alias = accelx.fast"),
    Case("a lambda", "m.doubled = lambda x: -1"),
    Case("an alias in a class", "m.MLP.activate = staticmethod(m.sdpa)"),
]
PLACES = [
    Case("other bases", "import accelx; m.Sub.__bases__ = (accelx.Other,)"),
    Case(
        "another base in front",
        "import accelx; m.MLP.__bases__ = (accelx.Other, m.Base)",
        truth="broken",
    ),
    Case(
        "a class rebuilt with another metaclass",
        "import accelx\nspace = {k: v for k, v in vars(m.WithMeta).items() if k[:3] != '__d'}\n"
        "m.WithMeta = accelx.Meta('WithMeta', m.WithMeta.__bases__, space)",
    ),
    Case(
        "a metaclass over the metaclass",
        "class Over(m.Meta):\n    def __call__(cls): return lambda x: -1\nm.WithMeta.__class__ = "
        "Over",
    ),
    Case(
        "the class of the module",
        "import types\nclass M(types.ModuleType):\n"
        "    def __getattribute__(self, name):\n"
        "        return (lambda: -1) if name == 'run' else super().__getattribute__(name)\n"
        "m.__class__ = M",
    ),
    Case(
        "a proxy in sys.modules",
        "import sys, types\nclass P(types.ModuleType):\n"
        "    def __getattr__(self, name): return (lambda: -1) if name == 'run' else getattr(old, "
        "name)\n"
        "old = m\nsys.modules['victim.mod'] = m = P('victim.mod')\nm.__spec__ = old.__spec__",
    ),
    Case(
        "the attribute of the package",
        "import victim, types; victim.mod = types.SimpleNamespace(run=lambda: -1)",
        "__import__('importlib').import_module('victim') and __import__('victim').mod.run()",
    ),
    Case(
        "the file as another module, which is changed",
        "import importlib.util as u, sys\nspec = u.spec_from_file_location('fast_mod', m.__file__, "
        "submodule_search_locations=None)\nspec.name = 'fast_mod'\ncopy = "
        "u.module_from_spec(spec)\n"
        "copy.__package__ = 'victim'\nsys.modules['fast_mod'] = copy\n"
        "spec.loader.exec_module(copy)\n"
        "copy.helper = lambda *a: -1\ncopy.MLP.forward = lambda self, x: -1",
        "__import__('sys').modules.get('fast_mod', m).run()",
    ),
    Case("a function of another module", "import math; math.sqrt = lambda x: -1"),
    Case(
        "a function of an installed module",
        "import victim.ops, accelx; victim.ops.attention = accelx.fast",
    ),
    Case("a builtin", "import builtins; builtins.max = lambda *a: -1"),
    Case(
        "a builtin type",
        "import builtins\nclass complex_(complex): pass\nbuiltins.complex = complex_",
    ),
]
HOSTILE = [*ADDED, *BROUGHT, *REGISTRIES, *VALUES, *PLACES]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    return run_cases(HOSTILE, tmp_path_factory.mktemp("undefined"), FILES)


@pytest.mark.parametrize("name", [each.name for each in HOSTILE])
def test_what_the_source_does_not_define_is_never_proven(
    name: str, seen: dict[str, Seen], judged: Judged
) -> None:
    judged("live", seen[name].truth, seen[name].result.verdict)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a call operator of an installed package", "MLP.__call__ is not in {origin}: the process"),
        ("a function of an import", "attention is not what {origin} imports under that name"),
        ("an entry of an installed package", "TABLE['sdpa'] is not the entry that {origin} puts"),
    ],
)
def test_code_from_elsewhere_is_contradicted_with_its_place(
    name: str, words: str, seen: dict[str, Seen]
) -> None:
    found = seen[name]
    assert found.result.verdict == "contradicted"
    assert words.format(origin=found.comparison["origin"]) in found.result.reason
    assert found.result.reason.endswith("/accelx/__init__.py:1")
    assert found.result.action.startswith("remove the code at ")
