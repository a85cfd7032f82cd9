"""``verify patches``: packages around a patched module that lead its import elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.hostile_imports import Hostile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict]

TOP, SUB = "pk/__init__.py", "pk/sub/__init__.py"
LOADED = """\
import importlib.util, sys
spec = importlib.util.spec_from_file_location("pk.sub.mod", "OTHER/mod.py")
"""

PATHS = {
    "slice": "__path__[:] = ['OTHER']",
    "part of a slice": "__path__[:0] = ['OTHER']",
    "item": "__path__[0] = 'OTHER'",
    "annotated": "__path__: list = ['OTHER']",
    "tuple": "(__path__, x) = ['OTHER'], 1",
    "starred": "__path__, *x = ['OTHER'], 1",
    "list behind a name": "p = ['OTHER']\n__path__ = p",
    "walrus": "print(__path__ := ['OTHER'], file=open('/dev/null', 'w'))",
    "loop": "for __path__ in (['OTHER'],):\n    pass",
    "with": "import contextlib\nwith contextlib.nullcontext(['OTHER']) as __path__:\n    pass",
    "repeated": "__path__ *= 0\n__path__ += ['OTHER']",
    "deleted and appended": "del __path__[:]\n__path__.append('OTHER')",
    "insert": "__path__.insert(0, 'OTHER')",
    "in front of extend_path": (
        "import pkgutil\n__path__ = ['OTHER'] + pkgutil.extend_path(__path__, __name__)"
    ),
    "reversed": "__path__.append('OTHER')\n__path__.reverse()",
    "sort": "__path__.append('OTHER')\n__path__.sort(key=lambda it: 'other' not in it)",
    "globals": "globals()['__path__'] = ['OTHER']",
    "globals, update": "globals().update(__path__=['OTHER'])",
    "globals, a dict": "globals().update({'__path__': ['OTHER']})",
    "vars": "vars()['__path__'][0] = 'OTHER'",
    "name put together": "globals()['__pa' + 'th__'] = ['OTHER']",
    "setattr": "import sys\nsetattr(sys.modules[__name__], '__path__', ['OTHER'])",
    "setattr, name put together": (
        "import sys\nword = 'path'\nsetattr(sys.modules[__name__], f'__{word}__', ['OTHER'])"
    ),
    "attribute of sys.modules": "import sys\nsys.modules['pk'].__path__ = ['OTHER']",
    "module behind a name": "import sys\nme = sys.modules[__name__]\nme.__path__[:] = ['OTHER']",
    "modules behind a name": "from sys import modules as m\nm['pk'].__path__.insert(0, 'OTHER')",
    "path behind a name": "p = __path__\np.insert(0, 'OTHER')",
    "method behind a name": "put = __path__.insert\nput(0, 'OTHER')",
    "imports itself": "import pk\npk.__path__.insert(0, 'OTHER')",
    "import_module of itself": (
        "from importlib import import_module\nimport_module(__name__).__path__[0] = 'OTHER'"
    ),
    "function": "def put():\n    __path__.insert(0, 'OTHER')\nput()",
    "global in a function": "def put():\n    global __path__\n    __path__ = ['OTHER']\nput()",
    "function that gets it": "def put(p):\n    p.insert(0, 'OTHER')\nput(__path__)",
    "function that gives it": (
        "import sys\ndef me():\n    return sys.modules[__name__]\nme().__path__[:] = ['OTHER']"
    ),
    "partial": "from functools import partial\npartial(__path__.insert, 0)('OTHER')",
    "operator": "import operator\noperator.setitem(__path__, 0, 'OTHER')",
    "list's own method": "list.insert(__path__, 0, 'OTHER')",
    "comprehension": "[p.insert(0, 'OTHER') for p in [__path__]]",
    "lambda": "(lambda p: p.insert(0, 'OTHER'))(__path__)",
    "exec": "exec('__path__.insert(0, \"OTHER\")')",
    "exec of text from elsewhere": (
        "import base64\nexec(base64.b64decode(base64.b64encode(b'__path__[:]=[\"OTHER\"]')))"
    ),
    "of its spec": "__spec__.submodule_search_locations.insert(0, 'OTHER')",
    "of its spec in sys.modules": (
        "import sys\nsys.modules['pk'].__spec__.submodule_search_locations[:] = ['OTHER']"
    ),
    "class of it": (
        "import sys, types\nclass M(types.ModuleType):\n    __path__ = property("
        "lambda self: ['OTHER'])\ndel __path__\nsys.modules[__name__].__class__ = M"
    ),
}
"""What ``pk/__init__.py`` does."""


@pytest.mark.parametrize("name", PATHS)
def test_a_package_that_changes_its_path_is_not_proven(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = Hostile.made(tmp_path, {TOP: PATHS[name] + "\n"})
    result = hostile.result()
    assert hostile.truth() == "broken"
    judged("files", "broken", result.verdict)
    assert f"{hostile.environment.site / TOP}:" in result.reason
    assert result.action == "rocmlint verify live pk.sub.mod"


MODULES: dict[str, dict[str, str | None]] = {
    "module under its name": (
        {
            TOP: LOADED + "m = importlib.util.module_from_spec(spec)\n"
            "spec.loader.exec_module(m)\nsys.modules['pk.sub.mod'] = m\n"
        }
    ),
    "setdefault": (
        {
            TOP: LOADED + "m = importlib.util.module_from_spec(spec)\n"
            "spec.loader.exec_module(m)\nsys.modules.setdefault(__name__ + '.sub.mod', m)\n"
        }
    ),
    "update": (
        {
            TOP: LOADED + "m = importlib.util.module_from_spec(spec)\n"
            "spec.loader.exec_module(m)\nsys.modules.update({f'{__name__}.sub.mod': m})\n"
        }
    ),
    "under a name from a loop": (
        {
            TOP: LOADED
            + "for name in ('x', 'mod'):\n    m = importlib.util.module_from_spec(spec)\n"
            "    spec.loader.exec_module(m)\n    sys.modules['pk.sub.' + name] = m\n"
        }
    ),
    "under a name from a function": (
        {
            TOP: LOADED + "def put(name):\n    m = sys.modules[name] = "
            "importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(m)\n"
            "put('pk.sub.mod')\n"
        }
    ),
    "another package": (
        {
            TOP: "import sys, types\nm = types.ModuleType('pk.sub')\nm.__path__ = ['OTHER/sub']\n"
            "sys.modules['pk.sub'] = m\nsub = m\n"
        }
    ),
    "another object in its own place": (
        {
            SUB: "import sys, types\nm = types.ModuleType(__name__)\nm.__path__ = ['OTHER']\n"
            "sys.modules[__name__] = m\n"
        }
    ),
    "lazy class with another path": (
        {
            SUB: "import os, sys, types\nclass Lazy(types.ModuleType):\n"
            "    def __init__(self, name, file):\n        super().__init__(name)\n"
            "        self.__path__ = [os.path.dirname(file)]\n"
            "sys.modules[__name__] = Lazy(__name__, 'OTHER/__init__.py')\n"
        }
    ),
    "finder in front": (
        {
            TOP: LOADED
            + "class F:\n    @staticmethod\n    def find_spec(name, path=None, t=None):\n"
            "        return spec if name == 'pk.sub.mod' else None\nsys.meta_path.insert(0, F)\n"
        }
    ),
    "finder by assignment": (
        {
            TOP: LOADED
            + "class F:\n    @staticmethod\n    def find_spec(name, path=None, t=None):\n"
            "        return spec if name == 'pk.sub.mod' else None\n"
            "sys.meta_path[:0] = [F]\n"
        }
    ),
    "path hook": (
        {
            TOP: LOADED + "class F:\n    def __init__(self, path):\n"
            "        if not path.endswith('sub'): raise ImportError\n"
            "    def find_spec(self, name, target=None):\n"
            "        return spec if name == 'pk.sub.mod' else None\n"
            "sys.path_hooks.insert(0, F)\nsys.path_importer_cache.clear()\n"
        }
    ),
    "cache of finders": (
        {
            TOP: LOADED + "import os\nclass F:\n    def find_spec(self, name, target=None):\n"
            "        return spec if name == 'pk.sub.mod' else None\n"
            "sys.path_importer_cache[os.path.join(__path__[0], 'sub')] = F()\n"
        }
    ),
    "loader": (
        {
            TOP: "from importlib.machinery import SourceFileLoader as L\nget = L.get_data\n"
            "L.get_data = lambda self, path: get(self, path).replace(b'RIGHT', b'WRONG')\n"
        }
    ),
    "setattr of a loader": (
        {
            TOP: "import importlib.machinery as x\n"
            "def code(self, data, path, **k):\n"
            "    return compile(bytes(data).replace(b'RIGHT', b'WRONG'), path, 'exec')\n"
            "setattr(x.SourceFileLoader, 'source_to_code', code)\n"
        }
    ),
    "__import__": (
        {
            TOP: "import builtins\nreal = builtins.__import__\n"
            "def other(name, *rest):\n    m = real(name, *rest)\n"
            "    if name == 'pk.sub.mod': m.sub.mod.f = lambda: 'WRONG'\n    return m\n"
            "builtins.__import__ = other\n"
        }
    ),
    "import_module": (
        {
            TOP: "import importlib\nreal = importlib.import_module\n"
            "def other(name, package=None):\n    m = real(name, package)\n"
            "    m.f = lambda: 'WRONG'\n    return m\nimportlib.import_module = other\n"
        }
    ),
    "__getattr__": (
        {
            SUB: "def __getattr__(name):\n    if name == 'mod':\n        import sub_other\n"
            "        return sub_other\n    raise AttributeError(name)\n",
            "sub_other.py": "def f():\n    return 'WRONG'\n",
        }
    ),
    "__getattr__ that forwards": (
        {
            SUB: "import types, sub_other\ndef __getattr__(name):\n"
            "    return getattr(sub_other, name)\n",
            "sub_other.py": "class mod:\n    f = staticmethod(lambda: 'WRONG')\n",
        }
    ),
    "__getattr__ with a table": (
        {
            SUB: "import importlib\n_at = {'mod': 'sub_other'}\ndef __getattr__(name):\n"
            "    if name not in _at:\n        raise AttributeError(name)\n"
            "    return importlib.import_module(_at[name])\n",
            "sub_other.py": "def f():\n    return 'WRONG'\n",
        }
    ),
    "another object of its name": (
        {SUB: "import sub_other as mod\n", "sub_other.py": "def f():\n    return 'WRONG'\n"}
    ),
    "sibling that changes the path": (
        {
            TOP: "from . import _boot\n",
            "pk/_boot.py": "import sys\nsys.modules['pk'].__path__.insert(0, 'OTHER')\n",
        }
    ),
    "sibling's function gets the path": (
        {
            TOP: "from ._boot import start\nstart(__path__)\n",
            "pk/_boot.py": "def start(folders):\n    folders[:] = ['OTHER']\n",
        }
    ),
    "sibling's function": (
        {
            TOP: "from ._boot import start\nstart()\n",
            "pk/_boot.py": "import sys\ndef start():\n"
            "    sys.modules['pk'].__path__[0] = 'OTHER'\n",
        }
    ),
    "star import": (
        {
            TOP: "from ._boot import *\n",
            "pk/_boot.py": "__all__ = ['__path__']\n__path__ = ['OTHER']\n",
        }
    ),
    "import of a path": (
        {TOP: "from ._boot import __path__\n", "pk/_boot.py": "__path__ = ['OTHER']\n"}
    ),
    "package put in front of a folder": ({TOP: "__path__.append('OTHER')\n", SUB: None}),
}


def hostile_with(folder: Path, files: dict[str, str | None]) -> Hostile:
    """Install files; one that is None is taken away."""
    hostile = Hostile.made(folder, {name: text or "" for name, text in files.items()})
    for name, text in files.items():
        if text is None:
            (hostile.environment.site / name).unlink()
    return hostile


@pytest.mark.parametrize("name", MODULES)
def test_a_package_that_puts_other_modules_or_finders_in_is_not_proven(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = hostile_with(tmp_path, MODULES[name])
    result = hostile.result()
    assert hostile.truth() == "broken"
    judged("files", "broken", result.verdict)
    assert f"{hostile.environment.site}/pk/" in result.reason


CHANGED = {
    "function": {SUB: "from . import mod\nmod.f = lambda: 'WRONG'\n"},
    "setattr": {SUB: "from pk.sub import mod\nsetattr(mod, 'f', lambda: 'WRONG')\n"},
    "names": {SUB: "import pk.sub.mod as m\nvars(m)['f'] = lambda: 'WRONG'\n"},
    "update": {SUB: "from . import mod\nmod.__dict__.update(f=lambda: 'WRONG')\n"},
    "in a loop": {
        SUB: "from . import mod\nfor n in dir(mod):\n    if n == 'f':\n"
        "        setattr(mod, n, lambda: 'WRONG')\n"
    },
    "code": {SUB: "from .mod import f\nf.__code__ = (lambda: 'WRONG').__code__\n"},
    "through sys.modules": {
        SUB: "import sys\nfrom . import mod\nsys.modules['pk.sub.mod'].f = lambda: 'WRONG'\n"
    },
    "by a sibling": {
        SUB: "from . import patch\n",
        "pk/sub/patch.py": "from . import mod\nmod.f = lambda: 'WRONG'\n",
    },
    "by a function of a sibling": {
        TOP: "from .tools import patch\npatch()\n",
        "pk/tools.py": "def patch():\n    import pk.sub.mod\n    pk.sub.mod.f = lambda: 'WRONG'\n",
    },
    "by a function that gets it": {
        SUB: "from . import mod\nfrom .patch import apply\napply(mod)\n",
        "pk/sub/patch.py": "def apply(module):\n    module.f = lambda: 'WRONG'\n",
    },
    "by unittest.mock": {
        SUB: "from unittest import mock\nfrom . import mod\n"
        "mock.patch.object(mod, 'f', lambda: 'WRONG').start()\n"
    },
    "by unittest.mock with its name": {
        SUB: "from unittest import mock\nmock.patch('pk.sub.mod.f', lambda: 'WRONG').start()\n"
    },
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_package_that_changes_the_module_after_its_import_is_not_proven(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = Hostile.made(tmp_path, CHANGED[name])
    result = hostile.result()
    assert hostile.truth() == "broken"
    judged("files", "broken", result.verdict)
    assert result.action == "rocmlint verify live pk.sub.mod"
