"""Random functions do the same before and after rewriting, whatever they get."""

from __future__ import annotations

import ast

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from rocmlint.models.control_flow.rewrite import rewrite
from tests.control_flow.programs import instead_of_torch, programs, run

NUMBERS = st.sampled_from([-2.0, 0.0, 1.0, 3.0, float("nan")])


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(), NUMBERS, NUMBERS, st.booleans(), st.integers(0, 2))
def test_a_rewritten_function_gives_and_raises_the_same(
    text: str, x: float, y: float, flag: bool, n: int
) -> None:
    rewritten = rewrite(text).text
    note(text)
    note(rewritten)
    with instead_of_torch():
        before = run(text, x, y, flag=flag, n=n)
        after = run(rewritten, x, y, flag=flag, n=n)
    assert repr(after) == repr(before)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_rewriting_twice_changes_nothing_more(text: str) -> None:
    once = rewrite(text).text
    ast.parse(once)
    assert rewrite(once).text == once
