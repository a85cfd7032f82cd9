"""``verify live``: names that several statements set, registered entries, bases, kept functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.branched_victim import BRANCHED
from tests.support.live_cases import Case, run_cases

if TYPE_CHECKING:
    from tests.support.live_cases import Seen
    from tests.support.verdicts import Judged

pytestmark = [pytest.mark.slow, pytest.mark.verdict, pytest.mark.xdist_group("live")]

OF_PROJECT = (
    "import functools, victim.mod as core, victim as vic\n"
    "def timed(f):\n"
    "    @functools.wraps(f)\n"
    "    def run(*a, **k): return f(*a, **k)\n"
    "    return run\n"
)
ACTING = "class P(m.Meta):\n    def __call__(cls, *a, **k): return 'P'\n"


def case(
    change: str, call: str = "m.run()", *, of: str = "victim.mod", needless: bool = False
) -> Case:
    name = change.rpartition("\n")[2] if needless else change.replace("\n", "; ")
    return Case(name, change, call, module=of, imports=("victim.mod",), needless=needless)


CASES = [
    # Several statements may set the name.
    case("import outer; m.times = outer.zero"),
    case("m.times = m.times3"),
    case("m.HAVE = True", "m.flag()"),
    case("m.MODE = 'a'", "m.flag()"),
    case("import outer; m.fast = outer.add", "m.fast.__module__"),
    case("m.fast = None", "m.fast"),
    case("import outer; m.root = outer.zero", "m.root(4)"),
    case("import math; m.root = math.floor", "m.root(5)"),
    case("del m.pick", "m.pick(1)"),
    case("import outer; del m.pick; m.__getattr__ = lambda n: outer.zero", "m.pick(1)"),
    # Statements after the class set it.
    case("import outer; m.Number.later = outer.zero", "m.Number(2).later()"),
    case("m.Number.later = m.Number.inc", "m.Number(2).later()"),
    case("m.Number.alias = m.Number.dec", "m.Number(2).alias()"),
    case("import outer; m.Number.double = outer.zero", "m.Number(2).double()"),
    case("m.Number.scale = 9", "m.Number.scale"),
    # globals() sets it.
    case("import outer; m.made_up = outer.zero", "m.made_up(2)"),
    case("import outer; m.a1 = outer.zero", "m.a1(2)"),
    # Bases and metaclasses.
    case("import outer; m.Layer.__bases__ = (outer.Mixin, m.Base)", "m.Layer().run()"),
    case("m.Layer.__bases__ = (m.OtherBase, m.Base)", "m.Layer().run()"),
    case(f"{ACTING}m.Layer.__class__ = P", "m.Layer()"),
    case(f"{ACTING}m.Auto.__class__ = P", "m.Auto()"),
    # What is registered.
    case("m.FALL['inc'], m.FALL['dec'] = m.FALL['dec'], m.FALL['inc']"),
    case("del m.FALL['inc']"),
    case("m.FALL['inc'] = m.other"),
    case("m.FALL.clear()"),
    case(
        "e = m.REG.entries; e['relu'], e['gelu'] = e['gelu'], e['relu']",
        "m.REG['gelu'](3)",
    ),
    case("del m.REG.entries['relu']", "m.REG['relu'](3)"),
    case("import operator; m.REG.entries['neg'] = operator.pos", "m.REG['neg'](-3)"),
    case("m.TABLE['half'] = m.dec", "m.TABLE['half'](1)"),
    case("del m.TABLE['half']", "m.TABLE['half'](1)"),
    # Functions that are kept as defaults.
    case("m.seven.__defaults__ = (m.other,)", "m.seven(1)"),
    case("m.seven.__defaults__ = (3,)", "m.seven(1)"),
    case("import outer; m.gonedef.__defaults__ = (outer.zero,)", "m.gonedef(1.5)"),
    # What pure functions gave.
    case("import re; m.WORD = re.compile('[0-9]+')", "m.WORD.pattern"),
    case("m.FROZEN = frozenset({'z'})", "m.FROZEN"),
    case("import operator; m.GET = operator.itemgetter(1)", "m.GET([1, 2])"),
    case("m.Color._value2member_map_[1] = m.Color.BLUE", "m.Color(1)"),
    # Nothing is changed that the source does not leave open.
    case("pass"),
    case("import outer; m.FALL['new'] = outer.zero"),
    case("m.REG.entries['new'] = m.inc"),
    case("m.LIST.append(4)"),
    case("import importlib; importlib.reload(m)"),
    # A wrapper is seen where the name is only imported.
    case(f"{OF_PROJECT}core.helper = vic.helper = timed(core.helper)", of="victim", needless=True),
    case(f"{OF_PROJECT}vic.helper = timed(core.helper)", of="victim", needless=True),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    return run_cases(CASES, tmp_path_factory.mktemp("branches"), BRANCHED)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_true_of_a_module_decides_its_verdict(
    case: Case, seen: dict[str, Seen], judged: Judged
) -> None:
    found = seen[case.name]
    judged("live", found.truth, found.result.verdict, needless=case.needless)
