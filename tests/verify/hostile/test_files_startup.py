"""``verify patches``: start-up code that changes what an import does, or has imported already."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.hostile_imports import INSTALLED, WRONG, Hostile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict]

LOADER = "from importlib.machinery import SourceFileLoader as L\n"
SWAP = ".replace(b'RIGHT', b'WRONG')"
AFTER = """\
    if name == 'pk.sub.mod' or (name == 'pk.sub' and rest[2]):
        import pk.sub
        pk.sub.__dict__['mod'].f = lambda: 'WRONG'
"""
FINDER = """\
import sys
from importlib.machinery import PathFinder, SourceFileLoader
class L:
    def __init__(self, name): self.name = name
    def load_module(self, name):
        m = SourceFileLoader(name, 'OTHER/mod.py').load_module()
        return m
class F:
    def {method}(self, name, path=None, target=None):
        if name == 'pk.sub.mod':
            {body}
sys.meta_path.insert(0, F())
"""
CHANGES = {
    "get_data": LOADER
    + f"get = L.get_data\nL.get_data = lambda self, path: get(self, path){SWAP}\n",
    "get_data of a base class": (
        "from importlib._bootstrap_external import FileLoader as L\n"
        f"get = L.get_data\nL.get_data = lambda self, path: get(self, path){SWAP}\n"
    ),
    "get_code": LOADER + "get = L.get_code\ndef code(self, name):\n"
    "    text = self.get_data(self.path)" + SWAP + "\n    return compile(text, self.path, 'exec')\n"
    "L.get_code = code\n",
    "source_to_code": LOADER + "def code(self, data, path, *rest, **k):\n"
    f"    return compile(bytes(data){SWAP}, path, 'exec')\nL.source_to_code = code\n",
    "exec_module": LOADER + "real = L.exec_module\ndef run(self, module):\n    real(self, module)\n"
    "    if module.__name__ == 'pk.sub.mod': module.f = lambda: 'WRONG'\nL.exec_module = run\n",
    "path_stats": LOADER + "L.path_stats = lambda self, path: (_ for _ in ()).throw(OSError())\n"
    "import importlib._bootstrap_external as x\n"
    "x._compile_bytecode = None\n"
    f"get = L.get_data\nL.get_data = lambda self, path: get(self, path){SWAP}\n",
    "global name of the machinery": (
        "import importlib._bootstrap_external as x\nreal = compile\n"
        "def other(text, *rest, **k):\n"
        f"    return real(bytes(text){SWAP} if type(text) is bytes else text, *rest, **k)\n"
        "x.compile = other\n"
    ),
    "builtin compile": (
        "import builtins\nreal = compile\ndef other(text, *rest, **k):\n"
        f"    return real(bytes(text){SWAP} if type(text) is bytes else text, *rest, **k)\n"
        "builtins.compile = other\n"
    ),
    "builtin exec": (
        "import builtins\nreal = exec\ndef other(code, names, *rest):\n"
        "    real(code, names, *rest)\n"
        "    if names.get('__name__') == 'pk.sub.mod': names['f'] = lambda: 'WRONG'\n"
        "builtins.exec = other\n"
    ),
    "__import__": (
        "import builtins\nreal = builtins.__import__\ndef other(name, *rest):\n"
        f"    m = real(name, *rest)\n{AFTER}    return m\nbuiltins.__import__ = other\n"
    ),
    "__import__, an object": (
        "import builtins, functools\nreal = builtins.__import__\ndef other(real, name, *rest):\n"
        f"    m = real(name, *rest)\n{AFTER}    return m\n"
        "builtins.__import__ = functools.partial(other, real)\n"
    ),
    "import_module": (
        "import importlib\nreal = importlib.import_module\ndef other(name, package=None):\n"
        "    m = real(name, package)\n"
        "    if name == 'pk.sub.mod': m.f = lambda: 'WRONG'\n    return m\n"
        "importlib.import_module = other\n"
    ),
    "marshal.loads": (
        "import marshal, functools\nreal = marshal.loads\n"
        f"def loads(data):\n    return real(bytes(data){SWAP})\n"
        "marshal.loads = functools.partial(loads)\n"
    ),
    "PathFinder": (
        "from importlib.machinery import PathFinder, ModuleSpec, SourceFileLoader\n"
        "real = PathFinder.find_spec\ndef find(name, path=None, target=None):\n"
        "    if name == 'pk.sub.mod': path = ['OTHER']\n    return real(name, path, target)\n"
        "PathFinder.find_spec = staticmethod(find)\n"
    ),
    "FileFinder": (
        "from importlib.machinery import FileFinder, SourceFileLoader\n"
        "real = FileFinder.find_spec\ndef find(self, name, target=None):\n"
        "    spec = real(self, name, target)\n"
        "    if name == 'pk.sub.mod': spec.loader.path = 'OTHER/mod.py'\n    return spec\n"
        "FileFinder.find_spec = find\n"
    ),
    "finder, whose loader reads another file": FINDER.format(
        method="find_spec",
        body="spec = PathFinder.find_spec(name, path)\n"
        "            spec.loader.path = 'OTHER/mod.py'\n            return spec",
    ),
    "finder, whose loader has a method of its own": FINDER.format(
        method="find_spec",
        body="spec = PathFinder.find_spec(name, path)\n"
        "            spec.loader.get_code = lambda name: compile("
        "\"def f(): return 'WRONG'\", 'x', 'exec')\n            return spec",
    ),
    "finder in place of all": (
        "import sys\nfrom importlib.machinery import PathFinder as P\n"
        "real = list(sys.meta_path)\nclass F:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pk.sub.mod': path = ['OTHER']\n"
        "        for each in real:\n            spec = each.find_spec(name, path, target)\n"
        "            if spec is not None: return spec\nsys.meta_path[:] = [F()]\n"
    ),
    "path hook": (
        "import sys\nfrom importlib.machinery import FileFinder, SourceFileLoader\n"
        "class S(SourceFileLoader):\n    def get_data(self, path):\n"
        f"        return super().get_data(path){SWAP}\n"
        "    def get_code(self, name):\n"
        "        return compile(self.get_data(self.path), self.path, 'exec')\n"
        "real = FileFinder.path_hook((S, ['.py']))\ndef hook(path):\n"
        "    if not path.endswith('/pk/sub'): raise ImportError\n    return real(path)\n"
        "sys.path_hooks.insert(0, hook)\n"
    ),
    "cache of finders": (
        "import sys, os, sysconfig\nfrom importlib.machinery import FileFinder, SourceFileLoader\n"
        "place = os.path.join(sysconfig.get_path('purelib'), 'pk', 'sub')\n"
        "finder = FileFinder('OTHER', (SourceFileLoader, ['.py']))\n"
        "sys.path_importer_cache[place] = finder\n"
    ),
    "sys.path": "import sys\nsys.path.insert(0, 'OTHER/path')\n",
    "module changed": "import pk.sub.mod\npk.sub.mod.f = lambda: 'WRONG'\n",
    "module put in": (
        "import sys, types\nm = types.ModuleType('pk.sub.mod')\nm.f = lambda: 'WRONG'\n"
        "sys.modules['pk.sub.mod'] = m\nimport pk.sub\npk.sub.mod = m\n"
    ),
    "path of a package changed": "import pk.sub\npk.sub.__path__[:] = ['OTHER']\n",
    "package put in": (
        "import sys, types, pk\nm = types.ModuleType('pk.sub')\nm.__path__ = ['OTHER']\n"
        "sys.modules['pk.sub'] = pk.sub = m\n"
    ),
    "package of a class": (
        "import sys, types, pk.sub\nclass M(types.ModuleType):\n"
        "    def __getattribute__(self, name):\n"
        "        return ['OTHER'] if name == '__path__' else super().__getattribute__(name)\n"
        "pk.sub.__class__ = M\n"
    ),
    "profile function": (
        "import sys\ndef look(frame, event, argument):\n"
        "    if event == 'return' and frame.f_globals.get('__name__') == 'pk.sub.mod':\n"
        "        frame.f_globals['f'] = lambda: 'WRONG'\nsys.setprofile(look)\n"
    ),
}
"""What ``sitecustomize`` does."""
OLD = {
    "finder before PEP 451": FINDER.format(method="find_module", body="return L(name)"),
    "hook for folders before PEP 451": (
        FINDER.split("class F", maxsplit=1)[0] + "class F:\n    def __init__(self, path):\n"
        "        if not path.endswith('/pk/sub'): raise ImportError\n"
        "    def find_module(self, name):\n"
        "        return L(name) if name == 'pk.sub.mod' else None\n"
        "sys.path_hooks.insert(0, F)\n"
    ),
}
"""Python 3.12 and later no longer ask these."""


def started(folder: Path, code: str) -> Hostile:
    """Return an environment of which every process runs the code at its start."""
    hostile = Hostile.made(folder, {})
    for name, text in INSTALLED.items():
        path = hostile.other / "path" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WRONG if name.endswith("mod.py") else text)
    text = code.replace("OTHER", str(hostile.other))
    hostile.environment.write("sitecustomize.py", text)
    return hostile


@pytest.mark.parametrize("name", CHANGES)
def test_start_up_code_that_changes_imports_is_never_proven(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = started(tmp_path, CHANGES[name])
    if name == "marshal.loads":  # bytecode is what that reads
        hostile.environment.run("-S", "-m", "compileall", "-q", str(hostile.environment.site))
    result = hostile.result()
    assert hostile.truth() == "broken"
    judged("files", "broken", result.verdict)
    if result.seen == "right bytes, imports changed":
        assert f"{hostile.environment.site / 'sitecustomize.py'}:" in result.reason


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python no longer asks for find_module")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OLD)
def test_finders_of_the_protocol_before_pep_451_are_asked(
    name: str, tmp_path: Path, judged: Judged
) -> None:
    hostile = started(tmp_path, OLD[name])
    result = hostile.result()
    assert hostile.truth() == "broken"
    judged("files", "broken", result.verdict)


STARTS = {
    ".pth": "import hook\n",
    ".pth with code": "import importlib.machinery as x; L = x.SourceFileLoader; "
    f"L.get_data = lambda self, path, get=L.get_data: get(self, path){SWAP}\n",
}


@pytest.mark.parametrize("name", STARTS)
def test_a_pth_file_is_start_up_code_too(name: str, tmp_path: Path, judged: Judged) -> None:
    hostile = Hostile.made(tmp_path, {})
    hostile.environment.write("hook.py", CHANGES["get_data"])
    hostile.environment.write("hook.pth", STARTS[name])
    result = hostile.result()
    if name == ".pth":
        assert f"{hostile.environment.site / 'hook.py'}:3" in result.reason
    judged("files", hostile.truth(), result.verdict)
