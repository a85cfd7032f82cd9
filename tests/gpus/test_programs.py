"""Programs of ROCm that are asked, and what they may do wrong."""

from __future__ import annotations

import pytest

from rocmlint.gpus.programs import Printed, ask_program


def ask(script: str, seconds: float = 30) -> Printed:
    return ask_program(["sh", "-c", script], seconds=seconds)


def test_an_answer_is_what_stands_on_stdout() -> None:
    assert ask("echo warning >&2; echo gfx942") == Printed("gfx942\n")


def test_a_failure_is_told_with_the_last_line_that_says_why() -> None:
    assert ask("echo gfx942; echo no driver >&2; exit 3") == Printed(
        "gfx942\n", "failed with exit code 3: no driver"
    )


@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_program_that_prints_without_end_is_ended(stream: str) -> None:
    answer = ask(f"exec yes >&{stream}")
    assert answer.stdout == ""
    assert "printed more than 10,000,000 bytes" in answer.problem


@pytest.mark.parametrize(
    "script", ["exec sleep 60", "exec >&- 2>&-; exec sleep 60", "sleep 60 & echo gfx942"]
)
def test_a_program_that_does_not_end_is_no_answer(script: str) -> None:
    assert "did not answer within 0.5 s" in ask(script, seconds=0.5).problem
