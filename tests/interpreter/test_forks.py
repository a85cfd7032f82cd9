"""Work that forks share: nothing is lost, whatever becomes of them."""

from __future__ import annotations

import os

import pytest

from rocmlint.interpreter.inside import forks

HERE = os.getpid()
TASKS = list(range(1000))


@pytest.fixture(autouse=True)
def _three_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "_processors", lambda: 3)


@pytest.mark.parametrize("number", [0, 1, 299, 300, 1000])
def test_the_answers_are_in_the_order_of_the_tasks(number: int) -> None:
    assert forks.spread(lambda each: [each], TASKS[:number]) == [[each] for each in TASKS[:number]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_many_tasks_are_shared() -> None:
    assert len(set(forks.spread(lambda _: os.getpid(), TASKS))) == 3
    assert set(forks.spread(lambda _: os.getpid(), TASKS[:199])) == {HERE}


def test_what_a_killed_fork_leaves_is_done_here() -> None:
    def dies_elsewhere(task: int) -> int:
        return task if os.getpid() == HERE else os._exit(1)

    assert forks.spread(dies_elsewhere, TASKS) == TASKS


def test_what_a_task_raises_is_raised() -> None:
    def fails_at_the_end(task: int) -> int:
        if task == TASKS[-1]:
            raise ValueError(task)
        return task

    with pytest.raises(ValueError, match=str(TASKS[-1])):
        forks.spread(fails_at_the_end, TASKS)
