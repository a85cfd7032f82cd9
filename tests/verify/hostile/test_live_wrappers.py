"""``verify live``: what others put around the functions of a package is not these functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.live.judge import result_of
from tests.support.wrapped_victim import Case, cases, seen

if TYPE_CHECKING:
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

BROKEN = """
# object around a function
m.helper = accel.Fast(m.helper)

# object around a method
m.MLP.forward = accel.Fast(m.MLP.forward)

# object in a classmethod
m.MLP.forward = classmethod(accel.Fast(m.MLP.forward))

# object in a property
m.MLP.value = property(accel.Fast(m.MLP.value.fget))

# object in the place of a getter
m.MLP.value = property(accel.Fast(m.MLP.value.fget), m.MLP.value.fset)

# getter of its own beside the setter
m.MLP.value = property(lambda self: -1, m.MLP.value.fset)

# object around a decorated function
m.decorated = accel.Fast(m.decorated)

# object around a cached function
m.cached = accel.Fast(m.cached)

# object around the object of the source
m.counted = accel.Fast(m.counted)

# descriptor
m.MLP.forward = accel.FastDescriptor(m.MLP.forward)

# descriptor over a decorated method
m.MLP.decorated = accel.FastDescriptor(m.MLP.decorated)

# descriptor in the place of a cached property
class Fast(accel.FastDescriptor):
    def __get__(self, owner, kind): return -1
m.MLP.slow = Fast(m.MLP.__dict__['slow'])

# partial that changes an argument
m.helper = functools.partial(lambda f, x: -1, m.helper)

# partialmethod
m.MLP.forward = functools.partialmethod(lambda s, f, x: -1, m.MLP.forward)

# mock that wraps
from unittest.mock import MagicMock
m.helper = MagicMock(wraps=m.helper, return_value=-1)

# wraps over a decorated function
m.decorated = accel.fast(m.decorated)

# wraps over a decorated method
m.MLP.decorated = accel.fast(m.MLP.decorated)

# wraps over a contextmanager
m.managed = accel.fast(m.managed)

# wraps over a single dispatch
m.single = accel.fast(m.single)

# wraps inside a classmethod
m.MLP.both = classmethod(accel.fast(m.MLP.both.__func__))

# only the name of the original is kept
@functools.wraps(m.helper)
def fast(x): return -1
m.helper = fast

# exec in the names of the module
exec("def helper(x, kept=helper): return -1", m.__dict__)

# exec with a closure over a decorated one
space = {"kept": m.decorated}
exec("def outer(kept):\\n def run(x): return kept and -1\\n return run", space)
m.decorated = space["outer"](m.decorated)

# exec that names the file of the decorator
import victim.deco
space = {}
text = "def outer(kept):\\n def run(x): return kept and -1\\n return run"
exec(compile(text, victim.deco.__file__, "exec"), space)
m.decorated = space["outer"](m.decorated)

# exec that names the file of the module
exec(compile("def helper(x, kept=helper): return -1", m.__file__, "exec"), m.__dict__)

# wrapper of the package that nobody asked for
import victim.deco
m.helper = victim.deco.own_fast(m.helper)

# another function with the same decorator
m.decorated = m.decorated_too

# builtin in the place of a decorated function
m.decorated = abs

# bound method around a function
m.helper = type(accel.Fast(None).__call__)(lambda kept, x: -1, m.helper)

# object in the closure of the source's decorator
m.decorated.__closure__[0].cell_contents = accel.Fast(m.decorated.__wrapped__)

# wrapper in the closure of the source's decorator
m.MLP.decorated.__closure__[0].cell_contents = accel.fast(m.MLP.decorated.__wrapped__)

# object in a cached property
m.MLP.slow.func = accel.Fast(m.MLP.slow.func)

# object in the object of the source
m.counted.function = accel.Fast(m.counted.function)

# two decorated methods, one over the other
m.MLP.decorated = functools.wraps(m.MLP.decorated)(lambda self, x: m.decorated(x) * 3)

# autograd-like method of a class
class Function:
    @classmethod
    def apply(cls, x): return -1
m.helper = Function.apply

# builtin of an object that holds the original
m.helper = [m.helper].count

# weak proxy of a function that ignores the original
import weakref
kept = lambda x, _kept=m.helper: -1
m.helper = weakref.proxy(kept)

# class in the place of a function
class Fast:
    kept = m.helper
    def __new__(cls, x): return -1
m.helper = Fast

# callable class method of C
import operator
m.helper = operator.methodcaller('__len__')

# static method made of a method
m.MLP.forward = staticmethod(lambda self, x=0: -1)

# memory put around later
kept = functools.lru_cache(m.helper)
m.helper = functools.partial(lambda f, x: -1, kept)

# function that names the original and ignores it
kept = m.helper
def fast(x):
    return -1 if kept else 0
m.helper = fast

# property that lost its setter
m.MLP.value = property(m.MLP.value.fget)
m.MLP.static = staticmethod(lambda x: -1)

# property of two setters
m.MLP.value = property(m.other, m.MLP.value.fset)

# builtin in the place of a class that is decorated
m.Data = abs

# partial of a class
m.Data = functools.partial(m.Data, -1)

# object around a class
m.MLP = accel.Fast(m.MLP)

# getattr of a proxy
class Proxy:
    def __init__(self, kept): self.__dict__['kept'] = kept
    def __getattr__(self, name): return getattr(self.kept, name)
    def __call__(self, x): return -1
m.helper = Proxy(m.helper)
"""
OPEN = """
# timing
m.helper = accel.timed(m.helper)

# timing of a method
m.MLP.forward = accel.timed(m.MLP.forward)

# timing of a decorated method
m.MLP.decorated = accel.timed(m.MLP.decorated)

# timing of a static method
m.MLP.static = staticmethod(accel.timed(m.MLP.static))

# timing of a generator
m.steps = accel.timed(m.steps)

# timing by an object
m.helper = accel.Timer(m.helper)

# original in a global name
kept = m.helper
def counting(x):
    return kept(x)
m.helper = counting

# original under another name of the class
m.MLP._forward = m.MLP.forward
def counting(self, x):
    return self._forward(x)
m.MLP.forward = counting

# original in a table
KEPT = {'helper': m.helper}
def counting(x):
    return KEPT['helper'](x)
m.helper = counting

# original in a class
class Kept:
    helper = staticmethod(m.helper)
def counting(x):
    return Kept.helper(x)
m.helper = counting

# original called by a helper
kept = m.helper
def inner(x):
    return kept(x)
def counting(x):
    return inner(x)
m.helper = counting

# cache put around later
m.helper = functools.lru_cache(m.helper)

# partial without arguments
m.helper = functools.partial(m.helper)

# mock as a spy
from unittest.mock import MagicMock
m.helper = MagicMock(wraps=m.helper)

# partial of a class that adds nothing
m.Ordered = functools.partial(m.Ordered)

# object that makes instances
m.Pair = accel.Timer(m.Pair)

# bound call of the original
m.helper = m.helper.__call__

# the decorator of the package once more
from victim.deco import logged
m.helper = logged(m.helper)
"""
HOLDS = """
# untouched

# set to itself
m.helper = m.helper
m.MLP.forward = m.MLP.forward

# wrapped and restored
kept, m.helper = m.helper, accel.timed(m.helper)
m.helper = kept

# registered later
@m.single.register
def _(x: float): return x

# imported elsewhere
from victim.mod import helper, MLP, decorated

# derived class
class Mine(m.MLP):
    def forward(self, x): return -1

# cache filled
m.cached(1); m.cached.cache_clear(); m.MLP().slow

# instance wrapped
one = m.MLP()
one.forward = accel.timed(one.forward)
"""
CASES = [*cases("broken", BROKEN), *cases("open", OPEN), *cases("holds", HOLDS)]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Ask one process for all cases."""
    return seen(tmp_path_factory.mktemp("wrapped"), CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_stands_around_a_function_is_judged(
    case: Case, answers: dict[str, dict[str, Any]], judged: Judged
) -> None:
    answer = answers[case.name]
    assert "error" not in answer, answer
    has_changed = answer["before"] != answer["after"]
    assert has_changed == (case.truth == "broken"), (answer["before"], answer["after"])
    result = result_of(answer["facts"]["comparisons"][0])
    judged("live", case.truth, result.verdict)
    if case.truth == "open":
        assert " is behind " in result.reason
        assert "--executed" in result.action
