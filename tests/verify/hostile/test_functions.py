"""Functions that must be those of a file: what is called, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.function_cases import Case, run

if TYPE_CHECKING:
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.verdict, pytest.mark.slow]

EVIL = "def evil(*arguments, **more):\n    return 'evil'\n"
WRAP = (
    "import functools\ndef wrap(function):\n    @functools.wraps(function)\n"
    "    def wrapper(*arguments):\n        return 'wrapped'\n    return wrapper\n"
)
METHOD = {"attribute": "Base.forward", "call": "m.Base().forward(0)"}
NAMED = {"function": "fast"}
OLDER = "is still the original"
HEALTHY = [
    Case("plain", "holds", "proven", "import ops; m.f = ops.fast"),
    Case("named", "holds", "proven", "import ops; m.f = ops.fast", **NAMED),
    Case("method", "holds", "proven", "import ops; m.Base.forward = ops.fast", **METHOD),
    Case(
        "static", "holds", "proven", "import ops; m.Base.fixed = staticmethod(ops.fast)",
        "Base.fixed", "m.Base.fixed(0)",
    ),
    Case(
        "class method", "holds", "proven", "import ops; m.Base.made = classmethod(ops.fast)",
        "Base.made", "m.Sub.made(0)",
    ),
    Case(
        "property", "holds", "proven", "import ops; m.Base.value = property(ops.fast)",
        "Base.value", "m.Base().value",
    ),
    Case(
        "private", "holds", "proven", "import ops; m.Base._Base__hidden = ops.fast",
        "Base.__hidden", "m.Base()._Base__hidden()",
    ),
    Case(
        "set where it is inherited", "holds", "proven", "import ops; m.Sub.forward = ops.fast",
        "Sub.forward", "m.Sub().forward(0)",
    ),
    Case(
        "inherited from a replaced one", "holds", "proven", "import ops; m.Base.forward = ops.fast",
        "Sub.forward", "m.Sub().forward(0)", module="contradicted",
    ),
    Case(
        "whole class", "holds", "proven",
        "import ops; m.Own = ops.FastBase", "Own", "m.Own().forward(0)",
    ),
    Case(
        "named class", "holds", "proven", "import ops; m.Own = ops.FastBase", "Own",
        "m.Own().forward(0)", "FastBase",
    ),
    Case(
        "closure", "holds", "proven",
        "import ops; m.f = ops.make(3)", function="make.<locals>.made",
    ),
    Case("lambda", "holds", "proven", "import ops; m.f = ops.nothing"),
    Case(
        "own decorator", "holds", "proven",
        "import ops; m.f = ops.decorated", function="decorated",
    ),
    Case("installed decorator", "holds", "proven", "import ops; m.f = ops.timed_fast"),
    Case("cache", "holds", "proven", "import ops; m.f = ops.cached"),
    Case("partial in the file", "holds", "proven", "import ops; m.f = ops.bound"),
    Case(
        "partialmethod in the file", "holds", "proven",
        "import ops; m.Base.forward = ops.as_method", **METHOD,
    ),
    Case(
        "partialmethod in a class", "holds", "proven",
        "import ops; m.Base.forward = vars(ops.Names)['run']", **METHOD,
    ),
    Case("twice", "holds", "proven", "import ops; m.f = ops.faster; m.f = ops.fast", **NAMED),
    Case("object of the file", "holds", "proven", "import ops; m.f = ops.Op()"),
    Case("bound method", "holds", "proven", "import ops; m.f = ops.Op().__call__"),
    Case("coroutine", "holds", "proven", "import ops; m.f = ops.later", call="m.f(0).send(None)"),
    Case("disguised as the original", "holds", "proven", "import ops; m.f = ops.own(m.f)"),
    Case(
        "not registered as a module", "holds", "proven",
        "import importlib.util as u\nspec = u.spec_from_file_location('ops_again', 'ops.py')\n"
        "ops = u.module_from_spec(spec)\nspec.loader.exec_module(ops)\nm.f = ops.fast",
    ),
    Case(
        "through a link", "holds", "proven",
        "import os; os.symlink('ops.py', 'linked.py'); import linked; m.f = linked.fast",
    ),
    Case(
        "reloaded", "holds", "proven",
        "import importlib, ops; importlib.reload(ops); m.f = ops.fast",
    ),
    Case("original kept", "holds", "proven", "import ops; _old_f = m.f; m.f = ops.fast"),
    Case("setting changed", "holds", "proven", "import ops; ops.ENABLED = True; m.f = ops.fast"),
    Case(
        "key of a table", "holds", "proven", "import ops; m.TABLE['sdpa'] = ops.fast",
        'TABLE["sdpa"]', "m.TABLE['sdpa'](0)",
    ),
    Case(
        "key of a registry", "holds", "proven", "import ops; m.REGISTRY['sdpa'] = ops.fast",
        'REGISTRY["sdpa"]', "m.REGISTRY['sdpa'](0)",
    ),
]  # fmt: skip
HOSTILE = [
    Case("never replaced", "broken", "contradicted", "import ops", said="is the original"),
    Case("not even imported", "broken", "contradicted", "", said="is the original"),
    Case(
        "set back", "broken", "contradicted", "import ops; old = m.f; m.f = ops.fast; m.f = old",
        said="it was set back",
    ),
    Case("code of another file", "broken", "contradicted", EVIL + "m.f = evil", said="case.py:3"),
    Case(
        "file changed after the import", "broken", "contradicted",
        "import ops; text = open('ops.py').read()\n"
        "open('ops.py', 'w').write(text.replace('{_kernel()} {scale}', 'new'))\nm.f = ops.fast",
        said="has no such code now",
    ),
    Case(
        "forged file", "broken", "contradicted",
        EVIL + "import ops\nm.f = evil\n"
        "evil.__code__ = evil.__code__.replace(co_filename=ops.__file__)",
        said="has no such code now",
    ),
    Case(
        "forged file, name and line", "broken", "contradicted",
        EVIL + "import ops\nold = ops.fast.__code__\nfast = ops.fast\n"
        "fast.__code__ = evil.__code__.replace(co_filename=ops.__file__, co_name='fast', "
        "co_firstlineno=old.co_firstlineno)\nm.f = fast",
        said="has no such code now",
    ),
    Case(
        "code swapped", "broken", "contradicted",
        EVIL + "import ops; m.f = ops.fast; m.f.__code__ = evil.__code__", said="case.py:3",
    ),
    Case(
        "code in other names", "broken", "unproven",
        EVIL + "import ops, types\nnames = {**vars(ops), '_kernel': evil}\n"
        "m.f = types.FunctionType(ops.fast.__code__, names)\nm.f.__kwdefaults__ = {'scale': 1}",
        said="_kernel is not what the file says",
    ),
    Case(
        "helper of the file replaced", "open", "unproven",
        EVIL + "import ops; ops._kernel = evil; m.f = ops.fast",
        said="_kernel is not what the file says",
    ),
    Case(
        "defaults changed", "broken", "unproven",
        "import ops; ops.fast.__kwdefaults__ = {'scale': 99}; m.f = ops.fast",
    ),
    Case(
        "another function", "broken", "contradicted", "import ops; m.f = ops.faster", **NAMED,
        said="is faster of",
    ),
    Case(
        "another of the same name", "broken", "contradicted",
        "import ops; m.Base.forward = ops.Names.forward", **METHOD, function="FastBase.forward",
        said="is Names.forward of",
    ),
    Case(
        "decorator of the file around other code", "broken", "contradicted",
        EVIL + "import ops; m.f = ops.own(evil)", function="decorated", said="not decorated",
    ),
    Case(
        "wrapped", "broken", "unproven", WRAP + "import ops; m.f = wrap(ops.fast)",
        said="case.py:5",
    ),
    Case(
        "wrapped in place", "broken", "unproven",
        WRAP + "import ops; m.f = ops.fast; m.f = wrap(m.f)",
        said="only a run can show",
    ),
    Case(
        "callable object around it", "broken", "unproven",
        "import ops\nclass Around:\n    def __init__(s, o): s.o = o\n"
        "    def __call__(s, *a): return 'around'\nm.f = Around(ops.fast)", said="a Around at",
    ),
    Case(
        "descriptor around it", "broken", "unproven",
        "import ops\nclass Around:\n    def __init__(s, o): s.o = o\n"
        "    def __get__(s, i, k=None): return lambda *a: 'around'\n"
        "m.Base.forward = Around(ops.fast)", **METHOD,
    ),
    Case(
        "subclass of staticmethod", "broken", "unproven",
        "import ops\nclass Static(staticmethod):\n"
        "    def __get__(s, i, k=None): return lambda *a: 1\n"
        "m.Base.fixed = Static(ops.fast)", "Base.fixed", "m.Base.fixed(0)",
    ),
    Case(
        "mock", "broken", "unproven",
        "import ops\nfrom unittest import mock\n"
        "m.f = mock.MagicMock(wraps=ops.fast, return_value=1)",
    ),
    Case(
        "arguments bound elsewhere", "open", "unproven",
        "import functools, ops; m.f = functools.partial(ops.fast, scale=99)", said="partial",
    ),
    Case(
        "partial of the file overwritten", "broken", "unproven",
        "import functools, ops; ops.bound = functools.partial(ops.fast, scale=99); m.f = ops.bound",
    ),
    Case(
        "partial of the file changed", "broken", "unproven",
        "import ops; ops.bound.keywords['scale'] = 99; m.f = ops.bound",
    ),
    Case(
        "decorated name overwritten", "broken", "unproven",
        WRAP + "import ops; ops.timed_fast = wrap(ops.timed_fast); m.f = ops.timed_fast",
    ),
    Case(
        "called by name", "open", "unproven", "import ops; m.f = lambda *a: ops.fast(*a)",
        said="case.py:3",
    ),
    Case(
        "method of a base, bound to a class of the file", "open", "unproven",
        "import ops; m.f = ops.Inherits.apply", said="Inherits.run",
    ),
    Case(
        "object whose base is called", "open", "unproven", "import ops; m.f = ops.Inherits()",
        said="Inherits.run",
    ),
    Case(
        "wrapper around the original", "broken", "contradicted", WRAP + "m.f = wrap(m.f)",
        said="around the original",
    ),
    Case(
        "module held from before", "broken", "contradicted",
        "import ops, types\nnew = types.ModuleType('victim.mod')\nvars(new).update(vars(m))\n"
        "new.f = ops.fast\nsys.modules['victim.mod'] = new", said=OLDER, module="",
    ),
    Case(
        "held from before", "broken", "contradicted", "import user, ops; m.f = ops.fast",
        call="user.f(0)", said=f"user.f {OLDER}",
    ),
    Case(
        "held under another name", "broken", "contradicted",
        "import user, ops; del user.f; m.f = ops.fast", call="user.g2(0)", said=f"user.g2 {OLDER}",
    ),
    Case(
        "on a copy of the class", "broken", "contradicted",
        "import ops\nCopy = type('Base', (), dict(vars(m.Base)))\nCopy.forward = ops.fast",
        **METHOD,
        said="is the original", module="",
    ),
    Case(
        "copy of the class in its place", "broken", "contradicted",
        "import user, ops\nkept = {k: v for k, v in vars(m.Base).items() if k[:6] != '__dict'}\n"
        "kept.pop('__weakref__')\nm.Base = type('Base', (), kept)\nm.Base.forward = ops.fast",
        "Base.forward", "user.Base().forward(0)", said=f"user.Base {OLDER}", module="contradicted",
    ),
    Case(
        "class held from before", "broken", "contradicted",
        "import user, ops; m.Base = ops.FastBase",
        "Base", "user.Base().forward(0)", said=f"user.Base {OLDER}",
    ),
    Case(
        "method of the new class replaced", "broken", "contradicted",
        EVIL + "import ops; ops.FastBase.forward = evil; m.Own = ops.FastBase", "Own",
        "m.Own().forward(0)", said="case.py:3",
    ),
    Case(
        "base replaced, and the class has its own", "broken", "contradicted",
        "import ops; m.Base.forward = ops.fast", "Own.forward", "m.Own().forward(0)",
        said="is the original", module="contradicted",
    ),
    Case(
        "on an instance", "broken", "contradicted",
        "import ops; one = m.Base(); one.forward = ops.fast", **METHOD, said="is the original",
    ),
    Case(
        "attributes intercepted", "broken", "unproven",
        "import ops; m.Base.forward = ops.fast\n"
        "m.Base.__getattribute__ = lambda s, n: lambda *a: 'other'", **METHOD,
        said="__getattribute__", module="",
    ),
    Case(
        "module intercepted", "broken", "unproven",
        "import ops, types\nclass M(types.ModuleType):\n    def __getattribute__(s, n):\n"
        "        return (lambda *a: 1) if n == 'f' else object.__getattribute__(s, n)\n"
        "m.f = ops.fast; m.__class__ = M", said="__getattribute__", module="",
    ),
    Case("deleted", "broken", "contradicted", "import ops; del m.f", said="has no f"),
    Case(
        "same content at another path", "open", "unproven",
        "import os, shutil; os.mkdir('x'); shutil.copy('ops.py', 'x/copied.py')\n"
        "sys.path.insert(0, 'x'); import copied; m.f = copied.fast",
        said="in another file than",
    ),
    Case(
        "other key of a registry", "broken", "contradicted",
        "import ops; m.REGISTRY['eager'] = ops.fast", 'REGISTRY["sdpa"]', "m.REGISTRY['sdpa'](0)",
        module="",
    ),
    Case(
        "registry answers otherwise", "broken", "contradicted",
        EVIL + "import ops; m.Registry.first['sdpa'] = ops.fast; m.REGISTRY['sdpa'] = evil",
        'REGISTRY["sdpa"]', "m.REGISTRY['sdpa'](0)", said="case.py:3", module="",
    ),
    Case(
        "no such file", "open", "unproven",
        "import ops; m.f = ops.fast", file="gone.py", said="cannot be read",
    ),
    Case(
        "other hash", "broken", "contradicted", "import ops; m.f = ops.fast", sha256="0" * 64,
        said="other content than the manifest",
    ),
    Case(
        "file does not compile", "open", "unproven",
        "open('bad.py', 'w').write('def')", file="bad.py",
    ),
    Case(
        "module removed", "open", "unproven",
        "import ops; m.f = ops.fast; del sys.modules['victim.mod']", module="",
    ),
    Case(
        "another function replaced too", "holds", "proven",
        EVIL + "import ops; m.f = ops.fast; m.g = evil",
        module="contradicted",
    ),
    Case(
        "the same on another class", "holds", "proven",
        "import ops; m.Base.forward = ops.fast; m.Own.forward = ops.fast", **METHOD,
        module="contradicted",
    ),
    Case(
        "another method of the class too", "holds", "proven",
        EVIL + "import ops; m.Base.forward = ops.fast; m.Base.fixed = staticmethod(evil)", **METHOD,
        module="contradicted",
    ),
]  # fmt: skip
CASES = [*HEALTHY, *HOSTILE]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return run(CASES, tmp_path_factory.mktemp("functions"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_function_of_a_manifest(
    case: Case, answers: dict[str, dict[str, Any]], judged: Judged
) -> None:
    answer = answers[case.name]
    assert "error" not in answer, answer["error"]
    verdict, seen, reason = answer["results"][f"victim.mod:{case.attribute}"]
    judged("functions", case.truth, verdict)
    assert (verdict, case.said in reason) == (case.verdict, True), (seen, reason)


@pytest.mark.parametrize("case", [it for it in CASES if it.module], ids=lambda case: case.name)
def test_the_module_of_a_function_is_what_it_was_but_for_that(
    case: Case, answers: dict[str, dict[str, Any]]
) -> None:
    verdict, seen, reason = answers[case.name]["results"]["victim.mod"]
    assert verdict == case.module, (seen, reason)


DECORATED = {"installed decorator", "cache"}
"""A call of these enters the decorator first, as their source asks for."""


@pytest.mark.parametrize("case", HEALTHY, ids=lambda case: case.name)
def test_what_is_called_healthy_enters_the_file(
    case: Case, answers: dict[str, dict[str, Any]]
) -> None:
    entered = answers[case.name]["entered"].rpartition("/")[2]
    allowed = {"ops.py", "linked.py"} if case.name not in DECORATED else {"__init__.py", "ops.py"}
    assert entered in ({"functools.py"} if "partialmethod" in case.name else allowed) | (
        {"mod.py"} if "registry" in case.name else set()
    )
