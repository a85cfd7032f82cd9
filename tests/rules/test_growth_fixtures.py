"""Each rule takes time in proportion to the size of a file that repeats its own bad fixture."""

from __future__ import annotations

import re
import time

import pytest

from rocmlint.testing.code import Fixture
from tests.support.fixtures import fixtures

SIZE = 4_000
"""Characters of the smallest file; the others have twice and four times as many."""
_FACTOR = 8
"""How much longer four times as much may take: 4 if time grows with size, 16 with its square."""
_UNNOTICED = 0.4
_TRIES = 3
_DEFINED = re.compile(r"^(?:async )?(?:def|class) (\w+)", re.MULTILINE)

pytestmark = pytest.mark.slow


def one_for_each_rule() -> list[Fixture]:
    """Return the longest bad fixture of each rule."""
    found: dict[str, Fixture] = {}
    for each in fixtures("bad"):
        known = found.get(each.rule.code)
        if known is None or each.path.stat().st_size > known.path.stat().st_size:
            found[each.rule.code] = each
    return [found[code] for code in sorted(found)]


def repeated(text: str, suffix: str, times: int) -> str:
    """Return a text several times, in Python with names of their own for what it defines."""
    names = "|".join(map(re.escape, _DEFINED.findall(text)))
    if suffix != ".py" or not names:
        return text * times
    defined = re.compile(rf"(?<![\w.])(?:{names})\b")
    return "\n".join(defined.sub(rf"\g<0>_{number}", text) for number in range(times))


def seconds(fixture: Fixture, text: str) -> float:
    """Return the CPU time of linting a text once with the rule of a fixture."""
    start = time.process_time()
    fixture.lint(text)
    return time.process_time() - start


@pytest.mark.parametrize("fixture", one_for_each_rule(), ids=lambda each: each.rule.code)
def test_four_times_the_bad_code_takes_about_four_times_as_long(fixture: Fixture) -> None:
    text = fixture.copy.read_text(encoding="utf-8")
    times = max(1, SIZE // len(text))
    texts = [repeated(text, fixture.copy.suffix, times * each) for each in (1, 2, 4)]
    seconds(fixture, text)  # loads the rule and its tables
    grown: list[float] = []
    for _ in range(_TRIES):
        grown = [seconds(fixture, each) for each in texts]
        if grown[2] <= _FACTOR * grown[0] + _UNNOTICED:
            return
    pytest.fail(", ".join(f"{each:.2f} s" for each in grown) + " for n, 2n and 4n")
