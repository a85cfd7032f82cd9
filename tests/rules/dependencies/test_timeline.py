"""The timeline of a file's commands: what is there when each runs, found in one reading."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocmlint.rule import install_of
from rocmlint.rules.dependencies._installs import timeline
from rocmlint.rules.dependencies._installs.timeline import are_alternatives, state_at
from rocmlint.source.document import Document
from tests.rules.dependencies.test_branches import block, bodies, lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from rocmlint.formats.model import Command
    from tests.rules.dependencies.test_branches import Statement
    from tests.support.repositories import Repository

ROCM = "pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4"
COMMANDS = (ROCM, "pip install timm", "python -m venv other", "git clone https://example.com/peft")

LEAVES: st.SearchStrategy[Statement] = st.sampled_from(
    [("run", []), ("run", []), ("run", []), ("exit", [])]
)
SCRIPTS = bodies(st.recursive(LEAVES, block, max_leaves=12))


def script(body: list[Statement], chosen: list[int]) -> Document:
    """Write a script whose commands are chosen among those above."""
    text = "\n".join(lines(body, iter(range(1000))))
    for number, command in enumerate(chosen):
        text = text.replace(f"run {number}\n", f"{COMMANDS[command]}\n")
    return Document("script.sh", f"{text}\n")


def is_from_rocm(command: Command) -> bool:
    return command.words[-1].text.endswith("rocm6.4")


@settings(max_examples=200, deadline=None)
@given(SCRIPTS, st.lists(st.sampled_from(range(len(COMMANDS))), min_size=40, max_size=40))
def test_a_state_is_what_a_walk_over_all_commands_finds(
    body: list[Statement], chosen: list[int]
) -> None:
    file = script(body, chosen)
    commands = sorted(file.parts.commands, key=lambda each: each.span)
    for at, command in enumerate(commands):
        above, below = commands[:at], commands[at + 1 :]
        made = [number for number, each in enumerate(above) if each.words[0].text == "python"]
        here = above[made[-1] if made else 0 :]
        torches = [each for each in here if is_from_rocm(each)]
        there = [each for each in torches if not are_alternatives(each, command, file)]
        state = state_at(command, file)
        where = None if state.torch is None else state.torch.where
        assert where == (f"line {there[-1].span.line}" if there else None)
        later = [each for each in below if is_from_rocm(each)]
        assert state.torch_comes_later == any(
            not are_alternatives(command, each, file) for each in later
        )
        names = {name for each in above if (found := install_of(each)) for name in found.names}
        clones = [each for each in above if each.words[0].text == "git"]
        assert state.packages == names | ({"peft"} if clones else set())


SHAPES: dict[str, Callable[[int], str]] = {
    "one behind another": lambda n: f"{ROCM}\npip install vllm==0.11.2\n" * n,
    "branches that leave": lambda n: (
        "".join(f"if a{at}; then\n  {ROCM}\n  exit\nfi\n" for at in range(n))
        + "pip install vllm==0.11.2\n" * n
    ),
    "cases": lambda n: (
        "case $x in\n"
        + "".join(f"a{at})\n  pip install vllm==0.11.2\n  {ROCM}\n  ;;\n" for at in range(n))
        + "esac\n"
    ),
    "environments": lambda n: f"python -m venv a\n{ROCM}\npip install vllm==0.11.2\n" * n,
    "lists": lambda n: "".join(f"cp a r{at}.txt\npip install -r r{at}.txt\n" for at in range(n)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_grows_with_the_commands(repository: Repository, shape: str) -> None:
    folder = timeline.__file__.removesuffix("timeline.py")

    def calls(count: int) -> int:
        found = 0

        def note(frame: FrameType, event: str, _: object) -> None:
            nonlocal found
            found += event == "call" and frame.f_code.co_filename.startswith(folder)

        sys.setprofile(note)
        try:
            repository.lint("rocm.sh", SHAPES[shape](count), preview=True)
        finally:
            sys.setprofile(None)
        return found

    calls(2)
    assert calls(240) < 2.3 * calls(120)
