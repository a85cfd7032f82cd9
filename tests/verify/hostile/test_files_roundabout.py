"""``verify patches``: roundabout ways to lead an import elsewhere; each is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.hostile_imports import Hostile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict]

TOP, SUB = "pk/__init__.py", "pk/sub/__init__.py"
WAYS: dict[str, dict[str, str]] = {
    "loader of its spec changed": {
        SUB: "import importlib.util,sys\n"
        "s=importlib.util.find_spec('pk.sub.mod')\n"
        "s.loader.path='OTHER/mod.py'\n"
        "m=importlib.util.module_from_spec(s)\n"
        "sys.modules[s.name]=m\n"
        "s.loader.exec_module(m)\n",
    },
    "exec of a file in the module": {
        SUB: "from . import mod\nexec(open('OTHER/mod.py').read(), mod.__dict__)\n",
    },
    "exec in the module's names": {
        SUB: "from . import mod\nns=vars(mod)\nexec('def f(): return \"WRONG\"', ns)\n",
    },
    "class made by type": {
        SUB: "import sys,types\n"
        "M=type('M',(types.ModuleType,),{'__path__':property(lambda s:['OTHER'])})\n"
        "del __path__\n"
        "sys.modules[__name__].__class__=M\n",
    },
    "frame globals": {
        SUB: "import sys\nsys._getframe().f_globals['__path__'][:]=['OTHER']\n",
    },
    "inspect": {
        SUB: "import inspect\ninspect.currentframe().f_globals['__path__']=['OTHER']\n",
    },
    "name of sys.modules put together": {
        SUB: "import sys\ngetattr(sys,'mod'+'ules')[__name__].__path__[:]=['OTHER']\n",
    },
    "__import__('sys')": {
        SUB: "__import__('sys').modules[__name__].__path__[:]=['OTHER']\n",
    },
    "class body": {
        SUB: "class X:\n    __import__('sys').modules['pk.sub'].__path__[:]=['OTHER']\n",
    },
    "match": {
        SUB: "match __path__:\n    case [x] as p:\n        p[:]=['OTHER']\n",
    },
    "exception": {
        SUB: "try:\n"
        "    raise KeyError\n"
        "except KeyError as __path__:\n"
        "    pass\n"
        "__path__=['OTHER']\n",
    },
    "extend_path of another list": {
        SUB: "import pkgutil\n__path__=pkgutil.extend_path(['OTHER'],__name__)\n",
    },
    "decorator": {
        SUB: "def deco(f):\n    __path__[:]=['OTHER']\n    return f\n@deco\ndef g(): pass\n",
    },
    "__init_subclass__": {
        SUB: "class B:\n    def __init_subclass__(c): __path__[:]=['OTHER']\nclass D(B): pass\n",
    },
    "context manager": {
        SUB: "class CM:\n"
        "    def __enter__(s): __path__[:]=['OTHER']\n"
        "    def __exit__(s,*a): pass\n"
        "with CM(): pass\n",
    },
    "names, in place": {
        SUB: "globals().__ior__({'__path__':['OTHER']})\n",
    },
    "dict setitem": {
        SUB: "dict.__setitem__(globals(),'__path__',['OTHER'])\n",
    },
    "thread": {
        SUB: "import threading\n"
        "def run(): __path__[:]=['OTHER']\n"
        "t=threading.Thread(target=run); t.start(); t.join()\n",
    },
    "map": {
        SUB: "list(map(lambda p: __path__.insert(0,p), ['OTHER']))\n",
    },
    "sibling gets module obj": {
        SUB: "import sys\nfrom .h import go\ngo(sys.modules[__name__])\n",
        "pk/sub/h.py": "def go(m):\n    m.__path__[:]=['OTHER']\n",
    },
    "sibling gets name": {
        SUB: "from .h import go\ngo(__name__)\n",
        "pk/sub/h.py": "import sys\ndef go(n):\n    sys.modules[n].__path__[:]=['OTHER']\n",
    },
    "sibling gets globals": {
        SUB: "from .h import go\ngo(globals())\n",
        "pk/sub/h.py": "def go(g):\n    g['__path__'][:]=['OTHER']\n",
    },
    "helper of another package gets the name": {
        SUB: "from helper import go\ngo(__name__)\n",
        "helper.py": "import sys\ndef go(n):\n    sys.modules[n].__path__[:]=['OTHER']\n",
    },
    "helper of another package": {
        SUB: "import helper\n",
        "helper.py": "import sys\nsys.modules['pk.sub'].__path__[:]=['OTHER']\n",
    },
    "finder of another package": {
        SUB: "import helper\n",
        "helper.py": "import sys,importlib.util\n"
        "class F:\n"
        "    @staticmethod\n"
        "    def find_spec(n,p=None,t=None):\n"
        "        if n=='pk.sub.mod':\n"
        "            return importlib.util.spec_from_file_location(n,'OTHER/mod.py')\n"
        "sys.meta_path.insert(0,F)\n",
    },
    "code of a function": {
        SUB: "from .mod import f as g\n"
        "g.__defaults__=('x',)\n"
        "g.__code__=(lambda: 'WRONG').__code__\n",
    },
    "module by import_module": {
        SUB: "import importlib\n"
        "m=importlib.import_module('.mod',__package__)\n"
        "m.f=lambda:'WRONG'\n",
    },
    "module by a name from a loop": {
        SUB: "import importlib\n"
        "for n in ('mod',):\n"
        "    m=importlib.import_module(f'{__name__}.{n}')\n"
        "    m.f=lambda:'WRONG'\n",
    },
    "wrap all functions": {
        SUB: "from . import mod\n"
        "for k,v in list(vars(mod).items()):\n"
        "    if callable(v): mod.__dict__[k]=lambda:'WRONG'\n",
    },
    "sibling loops modules": {
        SUB: "from . import mod, h\nh.go()\n",
        "pk/sub/h.py": "import sys\n"
        "def go():\n"
        "    for n,m in list(sys.modules.items()):\n"
        "        if n.startswith('pk.') and hasattr(m,'f'):\n"
        "            m.f=lambda:'WRONG'\n",
    },
    "parent loops modules": {
        SUB: "from . import mod\n"
        "import sys\n"
        "for n,m in list(sys.modules.items()):\n"
        "    if n.endswith('.mod') and hasattr(m,'f'): setattr(m,'f',lambda:'WRONG')\n",
    },
}


@pytest.mark.parametrize("name", WAYS)
def test_roundabout_ways_are_not_proven_either(name: str, tmp_path: Path, judged: Judged) -> None:
    hostile = Hostile.made(tmp_path, WAYS[name])
    result = hostile.result()
    assert hostile.truth() == "broken"
    judged("files", "broken", result.verdict)
    assert f"{hostile.environment.site}/" in result.reason


def test_names_of_a_class_are_given_as_matplotlib_does(tmp_path: Path, judged: Judged) -> None:
    text = """\
def given(kind):
    names, one = vars(kind), kind()
    def __getattr__(name):
        if name in names:
            return names[name].__get__(one)
        raise AttributeError(name)
    return __getattr__

@given
class __getattr__:
    __version__ = property(lambda self: "1.0")
"""
    hostile = Hostile.made(tmp_path, {TOP: text})
    assert hostile.truth() == "holds"
    judged("files", "holds", hostile.result().verdict)
