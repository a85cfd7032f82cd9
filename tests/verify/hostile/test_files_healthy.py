"""``verify patches``: what packages and start-up code do every day, and the patch still runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.hostile_imports import Hostile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict]

TOP, SUB = "pk/__init__.py", "pk/sub/__init__.py"
FINDER = """\
import sys
class F:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None
"""
LAZY = """\
import importlib, os
from types import ModuleType

class Lazy(ModuleType):
    def __init__(self, name, module_file, structure, module_spec=None):
        super().__init__(name)
        self._modules = set(structure)
        self._class_to_module = {v: key for key, values in structure.items() for v in values}
        self.__file__ = module_file
        self.__spec__ = module_spec
        self.__path__ = [os.path.dirname(module_file)]

    def __getattr__(self, name):
        if name in self._class_to_module:
            value = getattr(self._get(self._class_to_module[name]), name)
        elif name in self._modules:
            value = self._get(name)
        else:
            raise AttributeError(name)
        setattr(self, name, value)
        return value

    def _get(self, name):
        return importlib.import_module("." + name, self.__name__)
"""
EVERY_DAY: dict[str, dict[str, str]] = {
    "nothing": {},
    "lazy module in its own place": {
        TOP: "import sys\nfrom typing import TYPE_CHECKING\nfrom .lazy import Lazy\n"
        "_structure = {'sub': []}\nif TYPE_CHECKING:\n    from . import sub\nelse:\n"
        "    sys.modules[__name__] = Lazy(__name__, globals()['__file__'], _structure,"
        " module_spec=__spec__)\n",
        SUB: "import sys\nfrom ..lazy import Lazy\n_file = globals()['__file__']\n"
        "sys.modules[__name__] = Lazy(__name__, _file, {'mod': ['f']}, module_spec=__spec__)\n",
        "pk/lazy.py": LAZY,
    },
    "lazy module re-exported": {
        SUB: "import sys\nfrom ..utils import Lazy\n"
        "sys.modules[__name__] = Lazy(__name__, __file__, {'mod': ['f']})\n",
        "pk/lazy.py": LAZY,
        "pk/utils/__init__.py": "from ..lazy import Lazy\n",
    },
    "lazy names": {
        SUB: "import importlib\n_names = {'f': 'mod'}\ndef __getattr__(name):\n"
        "    if name in _names:\n"
        "        return getattr(importlib.import_module('.' + _names[name], __name__), name)\n"
        "    raise AttributeError(name)\n"
    },
    "lazy submodules": {
        SUB: "import importlib\n_modules = ['mod']\ndef __getattr__(name):\n"
        "    if name in _modules:\n        return importlib.import_module(f'{__name__}.{name}')\n"
        "    raise AttributeError(name)\ndef __dir__():\n    return [*globals(), *_modules]\n"
    },
    "lazy names by a factory": {
        TOP: "import importlib\ndef _attach(package, modules):\n    def __getattr__(name):\n"
        "        if name in modules:\n"
        "            return importlib.import_module(f'{package}.{name}')\n"
        "        raise AttributeError(name)\n    return __getattr__, lambda: modules\n"
        "__getattr__, __dir__ = _attach(__name__, ['sub'])\n"
    },
    "deprecated names": {
        SUB: "import math, warnings\ndef __getattr__(name):\n    if name == 'old':\n"
        "        warnings.warn('old')\n        return math\n    raise AttributeError(name)\n"
    },
    "namespace declared with pkgutil": {
        TOP: "__path__ = __import__('pkgutil').extend_path(__path__, __name__)\n"
    },
    "path extended at its end": {SUB: "import os\n__path__ += [os.path.join('OTHER')]\n"},
    "path with its own folder in front": {
        SUB: "import os\n__path__ = [os.path.dirname(__file__), 'OTHER']\n"
    },
    "folder without the module in front": {
        SUB: "import os\n__path__.insert(0, os.path.join(__path__[0], '_vendor'))\n"
    },
    "path read": {
        TOP: "import os, pkgutil\nfound = [m.name for m in pkgutil.iter_modules(__path__)]\n"
        "here = os.path.abspath(__path__[0])\nfor each in __path__:\n    print(end='')\n"
        "n = len(list(__path__))\n"
    },
    "aliases registered": {
        TOP: "import sys, math, json.decoder\nsys.modules[__name__ + '.moves'] = math\n"
        "for name in ('decoder',):\n    sys.modules[f'pk.json.{name}'] = json.decoder\n"
        "sys.modules.setdefault('pk.other', math)\n"
    },
    "its module under its own name": {
        TOP: "import sys\ndef fill(module):\n    for name in dir(module):\n"
        "        member = getattr(module, name)\n"
        "        member_name = getattr(member, '__name__', '')\n"
        "        if type(member) is type(sys) and member_name.startswith('json.'):\n"
        "            sys.modules.setdefault(member_name, member)\n"
        "import json\nfill(json)\n"
    },
    "aliases given names": {
        TOP: "import sys, math\nfor name in sorted(dir(math))[:2]:\n"
        "    alias = sys.modules[f'{__name__}.{name}_old'] = type(sys)(name)\n"
        "    sys.modules[f'{__name__}.{name}_old'].__getattr__ = lambda name: None\n"
    },
    "modules looked up": {
        TOP: "import sys\nif 'torch' in sys.modules:\n    x = sys.modules['torch']\n"
        "me = sys.modules[__name__]\nsetattr(me, 'version', '1.0')\nme.author = 'x'\n"
        "other = sys.modules.get('numpy')\nsys.modules.pop('pk_none', None)\n"
    },
    "names by globals": {
        TOP: "import math\nfor name in ('sin', 'cos'):\n    globals()[name] = getattr(math, name)\n"
        "globals().update({k: v for k, v in vars(math).items() if k[0] != '_'})\n"
        "del name\n"
    },
    "version by exec": {
        TOP: "import os\nspace = {}\n"
        "with open(os.path.join(os.path.dirname(__file__), 'v.py')) as file:\n"
        "    exec(file.read(), space)\n__version__ = space['v']\n",
        "pk/v.py": "v = '1.0'\n",
    },
    "finder at the end": {TOP: f"{FINDER}sys.meta_path.append(F)\n"},
    "hook that is never put in": {
        TOP: "import sys\ndef enable():\n    sys.meta_path.insert(0, object())\n"
        "    __path__.insert(0, 'OTHER')\n__all__ = ['enable']\n"
    },
    "names of the module": {
        SUB: "from .mod import f\nfrom . import mod\n__all__ = mod.__name__.split() + ['f']\n"
        "f.__module__ = __name__\n"
    },
    "submodule imported if it can be": {
        SUB: "try:\n    from . import mod\nexcept ImportError:\n    mod = None\n"
    },
    "annotated spec": {
        SUB: "from typing import cast\n__spec__ = cast('object', __spec__)\n"
        "name = __spec__.parent\n"
    },
    "sibling with helpers": {
        TOP: "from . import tools\n",
        "pk/tools.py": "import importlib, sys\ndef loaded(name):\n"
        "    return sys.modules.get(name)\n"
        "def load(name):\n    spec = importlib.util.find_spec(name)\n"
        "    m = sys.modules[name] = importlib.util.module_from_spec(spec)\n"
        "    spec.loader.exec_module(m)\n    return m\n",
    },
    "class of the package": {
        TOP: "import sys, types\nclass M(types.ModuleType):\n    @property\n"
        "    def answer(self):\n        return 42\nsys.modules[__name__].__class__ = M\n"
    },
}


@pytest.mark.parametrize("name", EVERY_DAY)
def test_what_packages_do_every_day_stays_proven(name: str, tmp_path: Path, judged: Judged) -> None:
    hostile = Hostile.made(tmp_path, EVERY_DAY[name])
    assert hostile.truth() == "holds"
    result = hostile.result()
    judged("files", "holds", result.verdict)


STARTS = {
    "finder that finds nothing": f"{FINDER}sys.meta_path.insert(0, F)\n",
    "print and warnings replaced": (
        "import builtins, warnings\nreal = print\n"
        "builtins.print = lambda *a, **k: real(*a, **k)\nwarnings.warn = lambda *a, **k: None\n"
    ),
    "paths and variables": (
        "import os, sys\nsys.path.append('/nowhere')\nos.environ['X'] = '1'\n"
        "sys.dont_write_bytecode = True\nsys.setrecursionlimit(5000)\n"
    ),
    "much imported": (
        "import importlib.abc, importlib.metadata, importlib.resources, importlib.util, zipimport\n"
        "import ast, inspect, json, pkgutil, runpy, typing, unittest.mock\n"
    ),
    "patched and restored": (
        "import builtins, importlib\nfrom unittest import mock\n"
        "with mock.patch.object(builtins, '__import__'), mock.patch('importlib.import_module'):\n"
        "    pass\n"
    ),
    "package imported": "import pk.sub\n",
    "handlers": "import atexit, sys\natexit.register(print, end='')\nsys.excepthook = print\n",
}


@pytest.mark.parametrize("name", STARTS)
def test_start_up_code_that_leaves_imports_alone_stays_proven(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = Hostile.made(tmp_path, {"sitecustomize.py": STARTS[name]})
    assert hostile.truth() == "holds"
    judged("files", "holds", hostile.result().verdict)
