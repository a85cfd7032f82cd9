"""A package whose names depend on branches, registrars and late statements, and another one."""

from __future__ import annotations

BRANCHED = {
    "outer/__init__.py": """\
import functools
def zero(*a, **k): return 0
def ident(f): return f
def add(a, b=0): return a + b
class Mixin:
    def run(self): return 'mixin'
    def kind(self): return 'mixin'
class Meta(type):
    def __call__(cls, *a, **k): return 'made by outer'
class Engine:
    tag = 'outer'
    def run(self): return 'outer engine'
def timed(f):
    @functools.wraps(f)
    def inner(*a, **k): return f(*a, **k)
    return inner
def silent(f):
    @functools.wraps(f)
    def inner(*a, **k): return 'silenced'
    return inner
TABLE = {'relu': zero}
""",
    "victim/__init__.py": """\
from .mod import helper
""",
    "victim/reg.py": """\
FALL = {}
def register(key):
    def deco(f):
        FALL[key] = f
        return f
    return deco
def public(f):
    FALL[f.__name__] = f
    return f
class Registry:
    def __init__(self): self.entries = {}
    def register(self, key):
        def deco(f):
            self.entries[key] = f
            return f
        return deco
    def add(self, key, f): self.entries[key] = f
    def __getitem__(self, key): return self.entries[key]
""",
    "victim/other.py": """\
def elsewhere(x): return -x
""",
    "victim/mod.py": """\
import enum, re, math, functools, collections, operator, dataclasses, sys
from functools import partial
from .reg import register, Registry, FALL, public

try:
    import nothere_fast
    HAVE = True
except ImportError:
    HAVE = False
try:
    from math import sqrt as root
except ImportError:
    root = None
if sys.platform == 'nowhere':
    MODE = 'a'
    def pick(x): return x + 1
else:
    MODE = 'b'
    def pick(x): return x + 2

def helper(x): return x + 1
def other(x): return x * 100
def times3(x): return x * 3
if HAVE:
    times = times3
else:
    times = helper
fast = None
try:
    from nothere_fast import fast
except ImportError:
    def fast(x): return x

class Number:
    def __init__(self, n): self.n = n
    def inc(self): return self.n + 1
    def dec(self): return self.n - 1
Number.later = lambda self: self.n * 7
Number.alias = Number.inc
Number.scale = 3
def _double(self): return self.n * 2
Number.double = _double

globals()['made_up'] = helper
for _n in ('a1', 'a2'):
    globals()[_n] = lambda x, _n=_n: _n + str(x)

class Base:
    def run(self): return 'base'
    def kind(self): return 'base'
class OtherBase:
    def run(self): return 'other'
    def kind(self): return 'other'
class Meta(type):
    def __call__(cls, *a, **k):
        made = super().__call__(*a, **k)
        made.by = 'meta'
        return made
class Layer(Base, metaclass=Meta):
    by = ''
class Auto(metaclass=Meta):
    by = ''
    def run(self): return 'auto'
class Sub(Auto):
    def kind(self): return 'sub'
class Point(Base): pass

@register('inc')
def inc(x): return x + 1
@register('dec')
def dec(x): return x - 1
@register('half')
def half(x): return x / 2
REG = Registry()
@REG.register('relu')
def relu(x): return max(x, 0)
@REG.register('gelu')
def gelu(x): return x * 0.5
REG.add('abs', abs)
REG.add('neg', operator.neg)
TABLE = {'inc': inc, 'dec': dec}
TABLE['half'] = half
OPS = [inc, dec, half]
NAMES = {n: len(n) for n in ('a', 'bb')}
LIST = [1, 2]
LIST.append(3)
KERNELS = {k: v for k, v in (('inc', inc), ('dec', dec))}
PAIRS = dict(inc=inc, dec=dec)

def seven(x, f=helper): return f(x)
def kw(x, *, f=helper): return f(x)
def deft(x, f=math.floor): return f(x)
_gone = lambda x: x + 5
def gonedef(x, f=_gone): return f(x)
del _gone

WORD = re.compile(r'[a-z]+')
FROZEN = frozenset({'a', 'b'})
GET = operator.itemgetter(0)
PART = partial(other, 2)
Pair = collections.namedtuple('Pair', 'left right', defaults=[5])
class Color(enum.Enum):
    RED = 1
    BLUE = 2
@dataclasses.dataclass
class Data:
    a: int = 1
    b: str = 'x'
class Slots:
    __slots__ = ('left', 'right')
    def __init__(self): self.left, self.right = 1, 2
class Disp:
    @functools.singledispatchmethod
    def show(self, x): return 'any'
    @show.register
    def _(self, x: int): return 'int'
def listy(x, acc=[1]): return [*acc, x]
@functools.lru_cache
def cached(x): return x + 9

def run(x=4):
    return helper(x), FALL['inc'](x), times(x)
def flag(): return HAVE, MODE
""",
}
