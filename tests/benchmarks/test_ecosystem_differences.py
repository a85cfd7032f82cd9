"""What two versions find differently: new, gone, moved, and said in other words."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.ecosystem.differences import compare, report
from benchmarks.ecosystem.judgements import Judgement
from benchmarks.ecosystem.runs import Found, Run

DROPPED = Found(
    package="loader==1.0",
    path="load.py",
    cell=None,
    line=20,
    end_line=20,
    code="ROC602",
    name="exif-transpose-discarded",
    severity="warning",
    message="the turned image is thrown away",
    help="Assign it.",
    fingerprint="0123456789abcdef",
)
OTHER = replace(DROPPED, path="show.py", fingerprint="fedcba9876543210")


def test_the_same_findings_differ_in_nothing() -> None:
    found = compare([DROPPED, OTHER], [DROPPED, OTHER])
    assert (found.new, found.gone, found.moved, found.reworded) == ((), (), (), ())


def test_what_only_one_of_them_finds_is_new_or_gone() -> None:
    found = compare([DROPPED], [OTHER])
    assert (found.new, found.gone) == ((OTHER,), (DROPPED,))


def test_the_same_fingerprint_in_another_package_is_another_finding() -> None:
    elsewhere = replace(DROPPED, package="loader==2.0")
    assert compare([DROPPED], [DROPPED, elsewhere]).new == (elsewhere,)


def test_a_finding_that_points_to_a_line_nearby_has_moved() -> None:
    below = replace(DROPPED, line=22, fingerprint="1111111111111111")
    found = compare([DROPPED], [below])
    assert (found.new, found.gone, found.moved) == ((), (), ((DROPPED, below),))


def test_of_several_nearby_the_nearest_is_the_one_that_moved() -> None:
    near, far = (replace(DROPPED, line=line, fingerprint=str(line) * 8) for line in (21, 28))
    found = compare([DROPPED], [far, near])
    assert (found.new, found.moved) == ((far,), ((DROPPED, near),))


def test_a_finding_far_away_or_of_another_rule_has_not_moved() -> None:
    far = replace(DROPPED, line=90, fingerprint="1111111111111111")
    ruled = replace(DROPPED, code="ROC601", fingerprint="2222222222222222")
    found = compare([DROPPED], [far, ruled])
    assert (found.new, found.gone, found.moved) == ((far, ruled), (DROPPED,), ())


def test_other_words_for_the_same_are_neither_new_nor_gone() -> None:
    again = replace(DROPPED, message="its result is discarded")
    found = compare([DROPPED], [again])
    assert (found.new, found.gone, found.reworded) == ((), (), (again,))


def test_the_report_counts_by_rule_and_says_what_was_judged() -> None:
    judgement = Judgement(
        *DROPPED.key[:1], "load.py", 20, "ROC602", *DROPPED.key[1:], "wrong", "no"
    )
    base = Run("base", (DROPPED,), files=3, wall=2.0, cpu=3.0)
    head = Run("head", (OTHER,), files=3, wall=1.0, cpu=1.5)
    lines = list(report(base, head, {DROPPED.key: judgement}))
    assert "| base | 3 | 1 | 2.0 | 3.0 |" in lines
    assert "| ROC602 | 1 | 1 | 1 | 1 | 0 |" in lines
    assert "- loader==1.0/load.py:20: ROC602 the turned image is thrown away (wrong: no)" in lines
    assert "- loader==1.0/show.py:20: ROC602 the turned image is thrown away" in lines
