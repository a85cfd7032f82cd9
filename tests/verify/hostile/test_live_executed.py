"""``verify live --executed``: whether calls of a wrapper run the function that it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.live import wrappers
from rocmlint.verify.live.imported import executed
from rocmlint.verify.live.judge import result_of
from tests.support.wrapped_victim import Case, cases, seen
from tests.verify.test_live_stock import PYTHONS

if TYPE_CHECKING:
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

HOLDS = """
# timing
m.helper = accel.timed(m.helper)
run:
m.helper(1)
m.helper(2)

# timing of a method that has a decorator
m.MLP.decorated = accel.timed(m.MLP.decorated)
run:
m.MLP().decorated(1)

# timing of a class method and of a property
m.MLP.of_class = classmethod(accel.timed(m.MLP.of_class.__func__))
m.MLP.value = property(accel.timed(m.MLP.value.fget), m.MLP.value.fset)
run:
m.MLP.of_class(1)
m.MLP().value

# object that calls
m.helper = accel.Timer(m.helper)
run:
m.helper(1)

# two objects of one class
m.helper, m.other = accel.Timer(m.helper), accel.Timer(m.other)
run:
m.helper(1)
m.other(1)

# two wrappers of one code
m.helper, m.other = accel.timed(m.helper), accel.timed(m.other)
run:
m.helper(1)
m.other(1)

# wrapper in a wrapper
m.helper = accel.timed(accel.Timer(accel.timed(m.helper)))
run:
m.helper(1)

# wrapper that throws the result away
def silent(kept):
    def run(x):
        kept(x)
    return run
m.helper = silent(m.helper)
run:
m.helper(1)

# original in a global name
kept = m.helper
def counting(x):
    return kept(x)
m.helper = counting
run:
m.helper(1)

# partial
m.helper = functools.partial(m.helper)
run:
m.helper(1)

# partial method
m.MLP.forward = functools.partialmethod(m.MLP.forward)
run:
m.MLP().forward(1)

# cache put around later
m.helper = functools.lru_cache(m.helper)
run:
m.helper(1)
m.helper(1)

# spy
from unittest.mock import MagicMock
m.helper = MagicMock(wraps=m.helper)
run:
m.helper(1)

# descriptor that binds
class Binding:
    def __init__(self, kept): self.kept = kept
    def __get__(self, owner, kind): return functools.partial(self.kept, owner)
m.MLP.forward = Binding(m.MLP.forward)
run:
m.MLP().forward(1)

# generator through a function
m.steps = accel.timed(m.steps)
run:
list(m.steps(1))

# coroutine through a coroutine
def waiting(kept):
    async def run(x):
        import asyncio
        await asyncio.sleep(0)
        return await kept(x)
    return run
m.later = waiting(m.later)
run:
import asyncio
asyncio.run(m.later(1))
asyncio.run(m.later(2))

# thread
import threading
def threaded(kept):
    def run(x):
        thread = threading.Thread(target=kept, args=(x,))
        thread.start()
        thread.join()
    return run
m.helper = threaded(m.helper)
run:
m.helper(1)

# recursion through the wrapper
def again(kept):
    def run(x):
        kept(x)
        return run(x - 1) if x else 0
    return run
m.helper = again(m.helper)
run:
m.helper(3)
"""
BROKEN = """
# not called
m.helper = accel.timed(m.helper)
run:
m.other(1)

# ran and never called it
m.helper = accel.fast(m.helper)
run:
m.helper(1)
m.other(1)

# object that never calls it
m.helper = accel.Fast(m.helper)
run:
m.helper(1)
m.other(1)

# called it in some calls
def choosing(kept):
    def run(x):
        return kept(x) if x else -1
    return run
m.helper = choosing(m.helper)
run:
m.helper(0)
m.helper(1)

# original called by another module only
from victim.mod import helper
m.helper = accel.fast(m.helper)
run:
m.helper(1)
helper(1)

# original called by another module only, around an object of C
from victim.mod import helper
m.helper = functools.partial(lambda kept, x: -1, m.helper)
run:
m.helper(1)
helper(1)

# one of two was called
m.helper, m.MLP.forward = accel.timed(m.helper), accel.timed(m.MLP.forward)
run:
m.helper(1)

# two wrappers of one code, of which one ignores
def maybe(kept, uses):
    def run(x):
        return kept(x) if uses else -1
    return run
m.helper, m.other = maybe(m.helper, True), maybe(m.other, False)
run:
m.helper(1)
m.other(1)

# two objects of one class, of which one ignores
class Maybe:
    def __init__(self, kept, uses): self.kept, self.uses = kept, uses
    def __call__(self, x): return self.kept(x) if self.uses else -1
m.helper, m.other = Maybe(m.helper, True), Maybe(m.other, False)
run:
m.helper(1)
m.other(1)

# called once, before the watched call
def once(kept):
    known = kept(1)
    def run(x):
        return known if kept else 0
    return run
m.helper = once(m.helper)
run:
m.helper(1)
m.other(1)

# put there while the call ran, after a direct call
run:
m.helper(1)
m.helper = accel.Fast(m.helper)
m.helper(1)

# exchanged while the call ran
m.helper = accel.timed(m.helper)
run:
m.helper(1)
m.helper = accel.fast(m.helper)
m.helper(1)

# the original has another's globals
import types
kept = m.helper
def fast(x):
    types.FunctionType(kept.__code__, {})
    return -1
m.helper = fast
run:
m.helper(1)
m.other(1)

# descriptor that ignores, and another way to the original
kept = m.MLP.forward
m.MLP.forward = accel.FastDescriptor(kept)
run:
m.MLP().forward(1)
kept(m.MLP(), 1)
"""
CASES = [*cases("holds", HOLDS), *cases("broken", BROKEN)]
NEW = [python for python in PYTHONS if "3.12" in python][:1]


@pytest.fixture(scope="module", params=[None, *NEW], ids=["profile", "monitoring"][: 1 + len(NEW)])
def answers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """Ask one process for all cases, with each of the two ways to see what runs."""
    return seen(tmp_path_factory.mktemp("executed"), CASES, request.param)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_runs_behind_a_wrapper_is_judged(
    case: Case, answers: dict[str, dict[str, Any]], judged: Judged
) -> None:
    answer = answers[case.name]
    assert "error" not in answer, answer
    facts = wrappers.decided(answer["facts"]["comparisons"][0])
    result = executed(result_of(facts), facts, "job:run")
    judged("live", case.truth, result.verdict)
    names = {each.name for each in result.evidence}
    assert ("ran behind a wrapper" in names) >= (case.truth == "holds")
    assert (result.strength == "executed") >= (case.truth == "holds")
