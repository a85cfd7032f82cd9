"""A package of a traceback requires another release of the one that it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.why.report import lines_of
from tests.support.fake_site import FakeSite, traceback

if TYPE_CHECKING:
    from pathlib import Path

FRAMES = ("PROJECT/t.py: run()", "SITE/uno/load.py: dos.open(x)", "SITE/dos/core.py: raise it")
STRANGE = "TypeError: the moon has no {} side"


@pytest.mark.parametrize(
    ("last", "requires", "verdict", "says"),
    [
        (STRANGE, "dos<2", "known", "uno 1.0 requires dos<2, and dos 2.5 is installed"),
        ("ValueError: the moon is full", "dos<2", "likely", "uno 1.0 requires dos<2"),
        (STRANGE, "dos>=2", "unknown", ""),
        (STRANGE, "tres<2", "unknown", ""),
        (STRANGE, "dos<2; extra == 'all'", "unknown", ""),
        ("MemoryError: the moon is full", "dos<2", "unknown", ""),
    ],
)
def test_a_requirement_that_is_not_met_is_told_last(
    last: str, requires: str, verdict: str, says: str, tmp_path: Path
) -> None:
    site = FakeSite(tmp_path, {"dos": "2.5", "tres": "3.0"})
    site.install("uno", "1.0", requires=requires)
    answer = site.why(traceback(last, *FRAMES))
    shown = "\n".join(lines_of(answer))
    assert answer.verdict == verdict, shown
    assert says in shown


def test_a_package_that_no_frame_is_of_is_not_blamed(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"dos": "2.5"})
    site.install("uno", "1.0", requires="dos<2")
    assert site.why(traceback(STRANGE, FRAMES[0], FRAMES[2])).verdict == "unknown"


def test_the_release_that_is_nearest_is_installed(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"accelerate": "0.20.3"})
    site.install("uno", "1.0", requires="accelerate>=0.26.0")
    frames = ("SITE/uno/load.py: open(x)", "SITE/accelerate/state.py: raise it")
    shown = "\n".join(lines_of(site.why(traceback(STRANGE, *frames))))
    assert "accelerate==0.26.0" in shown
