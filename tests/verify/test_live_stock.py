"""Live code: untouched modules show no difference, and every single change of one shows."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.interpreter.ask import Interpreter
from rocmlint.interpreter.inside.live.compare import compare
from rocmlint.interpreter.inside.live.objects.fingerprints import fingerprint
from rocmlint.interpreter.inside.live.objects.reachable import ABSENT, value_at
from rocmlint.interpreter.inside.live.source.bindings import bindings
from rocmlint.verify.live.judge import result_of
from tests.support.tools import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, ModuleType

pytestmark = pytest.mark.slow

STANDARD = [
    *("abc", "argparse", "ast", "asyncio.futures", "asyncio.tasks", "bisect", "calendar", "cgitb"),
    *("collections", "configparser", "contextlib", "copy", "ctypes", "dataclasses", "datetime"),
    *("decimal", "difflib", "dis", "email.message", "enum", "fractions", "functools", "heapq"),
    *("http", "http.client", "importlib.metadata", "inspect", "io", "ipaddress", "json.decoder"),
    *("logging", "multiprocessing.context", "numbers", "operator", "os", "pathlib", "pickle"),
    *("queue", "random", "re", "selectors", "shutil", "signal", "socket", "ssl", "statistics"),
    *("string", "subprocess", "tarfile", "tempfile", "threading", "tokenize", "traceback"),
    *("types", "typing", "unittest.mock", "urllib.request", "uuid", "weakref", "xml.dom.minidom"),
    *("xml.etree.ElementTree", "zipfile", "zoneinfo"),
]
OF_TORCH = [
    *("torch._dynamo.polyfills.builtins", "torch._dynamo.polyfills.heapq", "torch.cuda.amp"),
    *("torch._inductor.bounds", "torch._inductor.loop_body", "torch.export._patches"),
    *("torch.optim.adam", "torch.utils._contextlib", "torch.utils.debug_log", "torch.utils.dlpack"),
    *("transformers.models.qwen3_5.modular_qwen3_5", "transformers.modeling_rope_utils"),
]
"""Modules whose decorators drop the function, make code of text, or work on classes."""
FAULTS = ("differing", "replaced", "missing", "stale", "literals", "altered")

AWKWARD = """\
from __future__ import annotations

import abc, asyncio, contextlib, enum, functools, sys, types, typing
from collections import namedtuple
from dataclasses import dataclass, field
from heapq import *
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    def only_for_types(): ...

try:
    from nothere import fast
except ImportError:
    def fast(): return 1

if sys.platform == "nowhere":
    def choice(): return "nowhere"
else:
    def choice(): return "here"

@overload
def over(a: int) -> int: ...
@overload
def over(a: str) -> str: ...
def over(a): return a

def gone(): return 0
del gone

def twice(): return 1
def twice(): return 2

def heappush(heap, item): return "before the import below"
from heapq import heappush

def renamed(): return 3
other_name, renamed = renamed, None

counter = 0
def count():
    global counter, later
    counter += 1
    later = lambda: counter
def later(): return -1
count()

def logged(function):
    @functools.wraps(function)
    def run(*arguments, **options):
        return function(*arguments, **options)
    return run

def forgetful(function):
    def instead(): return None
    return instead

class Holder:
    def __init__(self, function): self.function = function
    def __call__(self): return self.function()

@logged
@logged
def decorated(a=lambda: 1, *, b=lambda: 2): return a, b
@forgetful
def forgotten(): return 1
@Holder
def held(): return 1
@functools.lru_cache(maxsize=None)
def cached(): return frozenset({1, 2}), -0.0, 0.0, float, 1e400, (1, True, 1.0)
@contextlib.contextmanager
def managed(): yield 1
@functools.singledispatch
def single(a): return a
@single.register
def _(a: int): return a
@single.register
def _(a: str): return a
@types.coroutine
def old_coroutine(): yield
async def new_coroutine():
    async with contextlib.AsyncExitStack(): return [a async for a in b]
partial = functools.partial(lambda a: a, 1)

registry = {}
def register(function): registry[function.__name__] = function
@register
def registered(): return 1

class Base:
    def __init_subclass__(cls):
        for name, value in list(vars(cls).items()):
            if isinstance(value, types.FunctionType): setattr(cls, name, logged(value))

class Derived(Base):
    def wrapped_by_the_base(self): return 1

class Plain:
    TABLE = {"a": lambda x: x}
    ITEMS = list(x for x in range(3))
    __slots__ = ("_value",)
    def __private(self): return self.__private
    @property
    def value(self): return self._value
    @value.setter
    def value(self, new): self._value = new
    @value.deleter
    def value(self): del self._value
    @staticmethod
    def static(): return 1
    @classmethod
    def of_class(cls): return super().__init__, __class__
    class Inner:
        def deep(self):
            def deeper(): return (y for y in (lambda: 1)())
            return deeper
    alias = static
    if True:
        def conditional(self): return 1
    part = functools.partialmethod(lambda self, a: a, 1)

class _Private:
    def __hidden(self): return 1

class Cached:
    @functools.cached_property
    def slow(self): return 1

@dataclass(order=True)
class Data:
    a: int = 1
    b: list = field(default_factory=list)
    def method(self): return self.a

@functools.total_ordering
class Ordered:
    def __lt__(self, other): return True
    def __eq__(self, other): return True

class Color(enum.Enum):
    RED = 1
    def __new__(cls, value): return object.__new__(cls)
    @property
    def bright(self): return True

class Tuple(NamedTuple):
    a: int = 1
    def method(self): return self.a

class Abstract(abc.ABC):
    @abc.abstractmethod
    def todo(self): ...

class Dropping(type):
    def __new__(mcs, name, bases, space):
        space.pop("dropped", None)
        return super().__new__(mcs, name, bases, space)

class Dropped(metaclass=Dropping):
    def dropped(self): return 1
    def kept(self): return 1

@lambda cls: cls()
class Instance:
    def method(self): return 1

@dataclass
class Patched:
    def method(self): return 1
Patched.method = lambda self: 2
Patched.__module__ = "elsewhere"

Pair = namedtuple("Pair", "a b")
class Later:
    @property
    def set_later(self): ...
def set_it(name): setattr(Later, name, property(lambda self: 1))
set_it("set_later")

def put_away(): return 1
class PutAway: pass
away = [globals().pop(name) for name in ("put_away", "PutAway")]
text = "\\ud800 \\N{DIGIT ONE}"
"""
GENERIC = (
    "def f[T](a: T) -> T: return a\nclass C[T: int]:\n    def g[U](self): return 1\ntype A = int\n"
)


def pythons() -> list[str]:
    """Return one interpreter for each other version that is installed here, and this one."""
    found = {sys.version_info[:2]: sys.executable}
    names = [path_of(f"python3.{minor}") for minor in range(9, 16)]
    pyenv = path_of("pyenv")
    if pyenv is not None:
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
        names += sorted(map(str, Path(root.stdout.strip()).glob("versions/3.*/bin/python")))
    names += sorted(map(str, Path.home().glob(".pyenv/versions/3.*/bin/python")))
    for each in filter(None, names):
        asked = [each, "-c", "import sys; print(*sys.version_info[:2])"]
        ran = subprocess.run(asked, capture_output=True, text=True, check=False)
        version = tuple(map(int, ran.stdout.split()))
        if version >= (3, 9):
            found.setdefault(version[:2], each)  # type: ignore[arg-type]
    return list(found.values())


PYTHONS = pythons()


def faults(comparison: dict[str, Any]) -> dict[str, Any]:
    return {name: comparison[name] for name in FAULTS if comparison[name]}


@pytest.mark.parametrize("optimise", ["", "2"])
@pytest.mark.parametrize("python", PYTHONS)
def test_the_standard_library_shows_no_difference(python: str, optimise: str) -> None:
    asked = Interpreter(python, environment={"PYTHONOPTIMIZE": optimise})
    answer = asked.ask("job.loaded", {"modules": STANDARD, "files": [], "call": None})
    assert sum(each["matched"] for each in answer["comparisons"]) > 3000
    found = {each["module"]: faults(each) for each in answer["comparisons"] if faults(each)}
    assert found == {}
    results = [result_of(each) for each in answer["comparisons"]]
    assert not [each for each in results if each.verdict == "contradicted"]


@pytest.mark.parametrize("python", PYTHONS)
def test_awkward_code_shows_no_difference(python: str, tmp_path: Path) -> None:
    (tmp_path / "awkward.py").write_text(AWKWARD)
    (tmp_path / "generic.py").write_text(GENERIC)
    asked = Interpreter(python, environment={"PYTHONPATH": str(tmp_path)})
    answer = asked.ask("job.loaded", {"modules": ["awkward", "generic"], "files": [], "call": None})
    awkward, *generic = answer["comparisons"]
    assert faults(awkward) == {}
    assert awkward["matched"] > 50
    assert [faults(each) for each in generic] in ([], [{}])  # before 3.12 it does not compile


def test_torch_and_transformers_show_no_difference() -> None:
    answer = Interpreter(sys.executable).ask(
        "job.loaded", {"modules": OF_TORCH, "files": [], "call": None}
    )
    found = {
        each["module"]: faults(each) or each["behind"]
        for each in answer["comparisons"]
        if faults(each) or each["behind"]
    }
    assert found == {}
    assert sum(each["matched"] for each in answer["comparisons"]) > 100


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Yield the awkward module, imported here."""
    (tmp_path / "awkward.py").write_text(AWKWARD)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield importlib.import_module("awkward")
    del sys.modules["awkward"]


def foreign(*_arguments: object, **_options: object) -> None:
    """Stand for the code of somebody else."""


def test_each_replaced_attribute_is_seen(module: ModuleType) -> None:
    unseen = []
    opaque = set(compare("awkward")["opaque"])
    for each in bindings(AWKWARD.encode()).expected:
        owner: Any = value_at(module, each.path[:-1])
        before = value_at(module, each.path)
        if before is ABSENT or not isinstance(owner, type(module) | type):
            continue
        setattr(owner, each.path[-1], foreign)
        if each.name not in [entry["name"] for entry in compare("awkward")["replaced"]]:
            unseen.append(each.name)
        setattr(owner, each.path[-1], before)
    assert faults(compare("awkward")) == {}
    # Of these not even the stock module shows what they were made of; Color.__new__ is the enum's.
    assert set(unseen) <= opaque


def changed_sources(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text with one statement more in one function, for each function."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not hasattr(node.body[0], "body"):
            at = node.body[0].lineno - 1, node.body[0].col_offset
            line = lines[at[0]]
            changed = line[: at[1]] + "'new'; new = 1; " + line[at[1] :]
            yield node.name, "".join([*lines[: at[0]], changed, *lines[at[0] + 1 :]])


def test_each_changed_function_of_the_file_is_seen(module: ModuleType) -> None:
    path, unseen = Path(str(module.__file__)), []
    for name, text in changed_sources(AWKWARD):
        path.write_text(text)
        comparison = compare("awkward")
        assert comparison["unprovable"] is None, name
        if not comparison["differing"] and not comparison["missing"]:
            unseen.append(name)
    # What no live object can be made of, or only one that an unknown wrapper threw away.
    dead = {
        "only_for_types",
        "over",
        "gone",
        "twice",
        "heappush",
        "choice",
        "later",
        "dropped",
        "set_later",
    }
    assert set(unseen) <= dead | {"forgotten", "method", "__new__"}


def test_equal_looking_constants_are_different_code() -> None:
    constants = ["1", "True", "1.0", "1j", "0.0", "-0.0", "'1'", "b'1'", "(1,)", "(True,)", "None"]
    constants += ["a in {1}", "a in {True}", "a in {1.0}", "...", "1e400 - 1e400", "''"]
    prints = {fingerprint(code(f"lambda a: {each}")) for each in constants}
    assert len(prints) == len(constants)


def code(text: str) -> CodeType:
    return compile(text, "somewhere", "eval")


def test_the_file_name_is_no_part_of_the_code() -> None:
    text = "def f():\n    return lambda: 1\n"
    one, other = (compile(text, name, "exec") for name in ("a.py", "b.py"))
    assert fingerprint(one) == fingerprint(other)
