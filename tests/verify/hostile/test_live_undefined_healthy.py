"""``verify live``: what real packages do to themselves stays proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.live_cases import Case, run_cases

if TYPE_CHECKING:
    from tests.support.live_cases import Seen
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

FILES = {
    "accelx/__init__.py": "def fast(*arguments, **options): return -1\n",
    "victim/__init__.py": "",
}


def healthy(name: str, source: str, change: str = "", call: str = "m.run()", **more: str) -> Case:
    files = {"victim/mod.py": source, **{path: text for path, text in more.items() if "/" in path}}
    return Case(name, change or "pass", call, "holds", files)


MAKERS = [
    healthy(
        "a dataclass with all that it generates",
        "from dataclasses import dataclass, field, KW_ONLY\n"
        "@dataclass(order=True, frozen=True, unsafe_hash=True, slots=True)\nclass D:\n"
        "    a: int = 1\n    b: list = field(default_factory=list, compare=False)\n"
        "    _: KW_ONLY\n    c: str = 'x'\n    def m(self): return self.a\n"
        "@dataclass\nclass E:\n    x: float = 2.0\n    def __post_init__(self): self.y = self.x\n"
        "@dataclass(repr=False)\nclass F(E):\n    z: int = 3\n    def __repr__(self): return 'F'\n"
        "def run(): return D(), D() < D(2), E().y, F(), hash(D(1, c='y')) != 0\n",
    ),
    healthy(
        "named tuples",
        "from typing import NamedTuple\nfrom collections import namedtuple\n"
        "Point = namedtuple('Point', 'x y', defaults=(1,))\n"
        "class Pair(NamedTuple):\n    a: int = 1\n    b: str = ''\n    def both(self): return "
        "self.a, self.b\n"
        "class Three(namedtuple('Three', 'p q')):\n    __slots__ = ()\n    def __str__(self): "
        "return 'x'\n"
        "def run(): return Point(1), Pair().both(), Three(1, 2)._replace(p=3)\n",
    ),
    healthy(
        "enumerations",
        "import enum\n"
        "class Color(enum.Enum):\n    RED = 1\n    BLUE = enum.auto()\n    def __str__(self): "
        "return self.name\n"
        "class Number(enum.IntEnum):\n    ONE = 1\n    TWO = 2\n"
        "class Flags(enum.IntFlag):\n    A = 1\n    B = 2\n    AB = A | B\n"
        "class Word(str, enum.Enum):\n    X = 'x'\n    def __new__(cls, value):\n"
        "        made = str.__new__(cls, value)\n        made._value_ = value\n        return "
        "made\n"
        "ORDER = {Color.RED: Number.ONE, Color.BLUE: Number.TWO}\n"
        "def run(): return str(Color.BLUE), Number(2), Flags.AB, Word('x'), ORDER[Color.RED]\n",
    ),
    healthy(
        "total ordering, cached and single dispatched methods",
        "import functools\n@functools.total_ordering\nclass O:\n    def __init__(self, v): "
        "self.v = v\n"
        "    def __eq__(self, o): return self.v == o.v\n    def __lt__(self, o): return self.v < "
        "o.v\n"
        "    @functools.cached_property\n    def slow(self): return 1\n"
        "    @functools.lru_cache\n    def kept(self): return 2\n    __hash__ = object.__hash__\n"
        "    @functools.singledispatchmethod\n    def kind(self, a): return 'any'\n"
        "    @kind.register\n    def _(self, a: int): return 'int'\n"
        "    twice = functools.partialmethod(kind, 1)\n"
        "def run(): return O(1) >= O(0), O(1).slow, O(1).kept(), O(1).kind(1), O(1).twice()\n",
    ),
    healthy(
        "abstract classes and registered ones",
        "import abc, typing\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def f(self): ...\n"
        "    @classmethod\n    def __subclasshook__(cls, other): return NotImplemented\n"
        "class B(A):\n    def f(self): return 1\n"
        "@typing.runtime_checkable\nclass P(typing.Protocol):\n    def f(self): ...\n"
        "T = typing.TypeVar('T')\nclass G(typing.Generic[T]):\n    def f(self): return 3\n"
        "class H(G[int], A): pass\nclass D(typing.TypedDict, total=False):\n    a: int\n"
        "A.register(int)\n"
        "def run(): return B().f(), isinstance(1, A), isinstance(B(), P), H().f(), D(a=1)\n",
        "m.A.register(str); isinstance('', m.A); issubclass(float, m.A)",
    ),
    healthy(
        "methods made by loops, setattr and a base",
        "class Base:\n    def __init_subclass__(cls, **options):\n"
        "        for name in ('forward', 'backward'):\n"
        "            if not hasattr(cls, name): setattr(cls, name, lambda self, n=name: n)\n"
        "class Sub(Base):\n    def own(self): return 1\n"
        "def _shared(self): return 'shared'\n"
        "for _name in ('a', 'b'):\n    setattr(Sub, _name, _shared)\n"
        "Sub.__call__ = lambda self: 7\nSub.alias = Sub.own\n"
        "def add(cls):\n    cls.extra = _shared\n    return cls\n"
        "@add\nclass Decorated: pass\n"
        "def run(): s = Sub(); return s.forward(), s.a(), s(), s.alias(), Decorated().extra()\n",
    ),
    healthy(
        "a metaclass that finds classes by name",
        "class _Lazy(type):\n    def __getattr__(cls, name):\n        if "
        "name.startswith('from_'): return lambda: name\n"
        "        raise AttributeError(name)\n    def __call__(cls, *a): return "
        "super().__call__(*a)\n"
        "class Auto(metaclass=_Lazy):\n    def __init__(self): self.x = 1\n"
        "class Dummy(Auto):\n    _backends = ['nothing']\n"
        "def run(): return Auto.from_config(), Dummy().x\n",
    ),
]
STATES = [
    healthy(
        "counters, switches and caches that the module keeps",
        "_initialized = False\n_count = 0\n_cache = {}\n_seen = []\nLIMIT = None\n_handle: "
        "object = None\n"
        "class Pool:\n    total = 0\n    made = []\n    def __init__(self):\n        Pool.total "
        "+= 1\n"
        "        type(self).made.append(1)\n    @classmethod\n    def reset(cls): cls.total = 0\n"
        "def run(): return 1\ndef work(acc=[], *, memo={}):\n    global _initialized, _count, "
        "LIMIT, _handle\n"
        "    _initialized, LIMIT, _handle = True, 9, object()\n    _count += 1\n    _cache['k'] "
        "= len\n"
        "    _seen.append(run)\n    acc.append(1)\n    memo[1] = 2\n    return Pool()\n",
        "m.work(); m.work(); m._cache.clear(); m.work()",
    ),
    healthy(
        "a setting of another module of the package",
        "from . import config\nfrom .config import LEVEL, get\n"
        "def run(): return 1\ndef louder(): config.set_level(5); config.DEBUG = True\n",
        "m.louder()",
        **{
            "victim/config.py": "LEVEL = 1\nDEBUG = False\ndef get(): return LEVEL\n"
            "def set_level(n):\n    global LEVEL\n    LEVEL = n\n"
        },
    ),
    healthy(
        "that other module itself",
        "DEBUG = False\nLEVEL = 1\ndef run(): return 1\n",
        "import victim.uses; victim.uses.go()",
        **{"victim/uses.py": "from . import mod\ndef go(): mod.DEBUG = True\n"},
    ),
    healthy(
        "a module that makes attributes when they are asked for",
        "import importlib, sys\n_LAZY = {'deep': '.deep'}\n"
        "def __getattr__(name):\n    if name in _LAZY:\n        return "
        "importlib.import_module(_LAZY[name], 'victim')\n"
        "    raise AttributeError(name)\ndef __dir__(): return sorted(_LAZY)\ndef run(): return "
        "1\n",
        "m.deep",
        **{"victim/deep.py": "x = 1\n"},
    ),
    healthy(
        "optional imports with another way",
        "try:\n    from nothere import fast\nexcept ImportError:\n    fast = None\n"
        "try:\n    import json as fastjson\nexcept ImportError:\n    fastjson = None\n"
        "try:\n    from functools import cache\nexcept ImportError:\n    def cache(f): return f\n"
        "import os.path, collections.abc as cabc\nfrom os import *\nfrom posixpath import join "
        "as _join\n"
        "if fast is None:\n    def fast(x): return x\n"
        "def run(): return fast(1), _join('a', 'b')\n",
    ),
    healthy(
        "a registry that its package fills",
        "TABLE = {}\ndef register(name):\n    def put(f):\n        TABLE[name] = f\n        "
        "return f\n    return put\n"
        "@register('eager')\ndef eager(x): return x\n"
        "OPTIONS = {'relu': eager}\nOPTIONS.update(gelu=eager)\n"
        "def run(): return TABLE['eager'](1)\n",
        "import accelx; m.TABLE['accelx_fast'] = accelx.fast",
    ),
    healthy(
        "hooks that it registers elsewhere",
        "import atexit, logging, warnings, weakref, signal, threading\n"
        "logger = logging.getLogger(__name__)\nlogger.addHandler(logging.NullHandler())\n"
        "adapter = logging.LoggerAdapter(logger, {})\nlock = threading.Lock()\nlocal = "
        "threading.local()\n"
        "warnings.filterwarnings('ignore', module='victim')\n_refs = "
        "weakref.WeakValueDictionary()\n"
        "def run(): return 1\natexit.register(run)\n",
        "import logging, warnings; logging.captureWarnings(True); warnings.simplefilter('error')\n"
        "m.logger.setLevel(10); m.logger.addHandler(logging.StreamHandler()); m.local.x = len",
    ),
    healthy(
        "defaults of many kinds",
        "import math, os, sys\nfrom collections import OrderedDict\nSCALE = 2\n_unset = object()\n"
        "def base(x): return x\nclass K: LIMIT = 3\n"
        "def f(a=SCALE, b=base, c=_unset, d=K.LIMIT, e=OrderedDict, g=lambda: 1, h=math.pi, i=-1, "
        "j=1 << 4, k=(1, 'a', None), l=os.environ.get('X'), *, m=print, n=..., o=f'{SCALE}', "
        "p=not True):\n"
        "    return a, d, i, k\nclass Q:\n    size = 4\n    def g(self, s=size, t=None, __u=1): "
        "return s\n"
        "    def h(self, *a, u: int, v=base): return v(u)\nSCALE += 1\ndef run(): return f(), "
        "Q().g(), Q().h(u=1)\n",
    ),
    healthy(
        "functions made by factories",
        "import functools, operator\ndef scaled(n, m=1):\n    def inner(x): return x * n * m\n   "
        " return inner\n"
        "def counted():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        "
        "return n\n    return inc\n"
        "def bumped(n):\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n"
        "    return inner\n"
        "triple, six = scaled(3), scaled(n=3, m=2)\ninc = counted()\nbump = bumped(1)\n"
        "first = operator.itemgetter(0)\npart = functools.partial(scaled, 2)\nbound = [].append\n"
        "compose = (lambda f: lambda x: f(x))(triple)\ndef run(): return triple(1), first([4]), "
        "part()(1), compose(2)\n",
        "m.inc(); m.inc(); m.bump(); m.bump(); m.bound(1)",
    ),
    healthy(
        "names hidden in classes",
        "class _Hidden:\n    __secret = 1\n    __table = {'a': len}\n    def __own(self, __x=2): "
        "return __x\n"
        "    def use(self): return self.__own(), self.__secret\n    other = __own\n    __slots__ "
        "= ('v',)\n"
        "class C(_Hidden):\n    class Inner(_Hidden):\n        def use(self): return "
        "super().use()\n"
        "    def use(self): return __class__.__name__, super().use()\n"
        "def run(): return C().use(), C.Inner().use()\n",
    ),
]
AROUND = [
    healthy(
        "a patch of an unrelated module",
        "def run(): return 1\n",
        "import victim.far, accelx; victim.far.f = accelx.fast",
        **{"victim/far.py": "def f(): return 1\n"},
    ),
    healthy(
        "a test double that was removed",
        "import math\ndef f(): return 1\nclass C:\n    def g(self): return 2\n"
        "def run(): return f(), C().g(), math.sqrt(4)\n",
        "from unittest import mock\nwith mock.patch.object(m, 'f'), mock.patch.object(m.C, 'g'), "
        "mock.patch('math.sqrt'):\n    m.run()",
    ),
    healthy(
        "an attribute that nobody asks for",
        "class C:\n    def g(self): return 2\ndef run(): return C().g()\n",
        "import accelx; m.C.accelx_extra = accelx.fast; m.C._accelx_version = 3; m._accelx_seen "
        "= True",
    ),
    healthy(
        "print that only the first rank has",
        "def run():\n    print\n    return 1\n",
        "import builtins\nplain = builtins.print\nbuiltins.print = lambda *a, **o: None",
    ),
    healthy(
        "a reload",
        "import math\nVALUES = [1]\nclass C:\n    def f(self): return super().__init__()\n"
        "def helper(a=1): return a\nTABLE = {'h': helper}\nalias = helper\ndef run(): return "
        "helper()\n",
        "import importlib; importlib.reload(m)",
    ),
    healthy(
        "the same file as __main__ elsewhere",
        "def run(): return 1\n",
        "import importlib.util as u, sys\nspec = u.spec_from_file_location('again', m.__file__)\n"
        "copy = u.module_from_spec(spec)\nspec.loader.exec_module(copy)\nsys.modules['again'] = "
        "copy",
    ),
    healthy(
        "a package attribute that is a function of the same name",
        "def mod(): return 1\ndef run(): return mod()\n",
        **{"victim/__init__.py": "from .mod import mod\n"},
    ),
    healthy(
        "imports in a circle and through the package",
        "from victim import shared\nfrom . import late\nfrom .late import thing as other\n"
        "def run(): return shared(), other()\n",
        **{
            "victim/__init__.py": "from .base import shared\nfrom .late import *\n",
            "victim/base.py": "def shared(): return 1\n",
            "victim/late.py": "__all__ = ['thing']\ndef thing(): return 2\nfrom . import mod\n",
        },
    ),
    healthy(
        "a class that another package shows as its own, and a name like that of an attribute",
        "from accelx.config import Point, hook\ndef run(): return Point(2).x, hook(run) is run\n",
        **{
            "accelx/config.py": "from typing import NamedTuple\nfrom hooks import Marker\n"
            "class Point(NamedTuple):\n    x: int\n    def double(self): return self.x * 2\n"
            "hook = Marker()\nPoint.__module__ = 'shown'\n"
            "def fill(patch, config, name, value): patch.setattr(config, name, value)\n",
            "hooks/__init__.py": "class Marker:\n    def __call__(self, f): return f\n",
        },
    ),
    healthy(
        "an import of what was replaced before",
        "from .ops import f, Old\ndef run(): return f(), Old.x\n",
        **{
            "victim/ops.py": "def f(): return 1\ndef _wrap(g):\n    def inner(): return g()\n    "
            "return inner\n"
            "f = _wrap(f)\nclass Old: x = 1\nclass New(Old): x = 1\nOld = New\n"
        },
    ),
]
GENERATED = [
    healthy(
        "a decorator that makes its wrapper from text, at the place of what it wraps",
        "from accelx.text import given, given_twice\n"
        "@given('x')\ndef area(x, y=2): return x * y\n"
        "@given_twice\ndef size(x): return x + 1\n"
        "def run(): return area(3), size(1)\n",
        **{
            "accelx/text.py": "def _define(f):\n"
            "    space = {}\n"
            "    text = f'def accept(f):\\n    def {f.__name__}(*a):\\n        return f(*a)\\n'\n"
            "    exec(text + f'    return {f.__name__}', space)\n"
            "    return space['accept']\n"
            "def _as_if(target, made):\n"
            "    code = target.__code__\n"
            "    made.__code__ = made.__code__.replace(\n"
            "        co_filename=code.co_filename, co_firstlineno=code.co_firstlineno)\n"
            "    made.__module__ = target.__module__\n"
            "    return made\n"
            "def given(word):\n"
            "    def decorate(f): return _as_if(f, _define(f)(f))\n"
            "    return decorate\n"
            "def given_twice(f): return _define(f)(_define(f)(f))\n",
        },
    ),
    healthy(
        "methods made from a template whose name is put in",
        "from accelx.templates import define\n@define\nclass A:\n    x = 1\n"
        "def run(): return A(4).x, repr(A(2))\n",
        **{
            "accelx/templates.py": "def _script(name, body):\n"
            "    return f'def {name}(self, *a):\\n    {body}'\n"
            "def _add(cls, name, text):\n"
            "    space = {}\n"
            "    exec(compile(text, f'<accelx generated {cls.__name__}>', 'exec'), space)\n"
            "    setattr(cls, name, space[name])\n"
            "def define(cls):\n"
            "    _add(cls, '__init__', _script('__init__', 'self.x = a[0]'))\n"
            "    _add(cls, '__repr__', \"def __repr__(self):\\n    return 'A'\")\n"
            "    return cls\n",
        },
    ),
    healthy(
        "a descriptor that a metaclass sets through the other modules of its package",
        "from accelx.model import Model\nclass A(Model):\n    x = 1\n"
        "def run(): return A.__signature__, A.x\n",
        **{
            "accelx/model.py": "from accelx import build\n"
            "class Meta(type):\n    def __new__(mcs, name, bases, space):\n"
            "        return build.complete(super().__new__(mcs, name, bases, space))\n"
            "class Model(metaclass=Meta): pass\n",
            "accelx/build.py": "from accelx.lazy import OnClass\n"
            "def complete(cls):\n    cls.__signature__ = OnClass(lambda: 'x')\n    return cls\n",
            "accelx/lazy.py": "class OnClass:\n    def __init__(self, get): self.get = get\n"
            "    def __get__(self, instance, owner): return self.get()\n",
        },
    ),
]
HEALTHY = [*MAKERS, *STATES, *AROUND, *GENERATED]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    return run_cases(HEALTHY, tmp_path_factory.mktemp("healthy"), FILES)


@pytest.mark.parametrize("name", [each.name for each in HEALTHY])
def test_what_packages_do_to_themselves_stays_proven(
    name: str, seen: dict[str, Seen], judged: Judged
) -> None:
    judged("live", seen[name].truth, seen[name].result.verdict)
