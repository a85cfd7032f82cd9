"""The variables that files set in the environment of what they start."""

from __future__ import annotations

import pytest

from rocmlint.formats import parse
from rocmlint.formats.model import Setting


def read(path: str, text: str) -> list[Setting]:
    return list(parse(path, text).settings)


def shown(path: str, text: str) -> list[tuple[str, str | None]]:
    return [(each.name, each.value.text if each.value else None) for each in read(path, text)]


def test_a_script_sets_what_it_exports_and_what_stands_before_a_command() -> None:
    text = "A=1\nexport B=$A C='2 3'\nB=4\nD=5 E=$HOME/x python run.py\nunset B\n"
    assert shown("run.sh", text) == [
        ("B", "1"),
        ("C", "2 3"),
        ("B", "4"),
        ("D", "5"),
        ("E", "$HOME/x"),
        ("B", None),
    ]


def test_a_value_that_only_the_run_knows_tells_what_it_comes_from() -> None:
    (setting,) = read("run.sh", "gpus=$(seq -s, 0 7)\nexport GPUS=$gpus\n")
    assert setting.value is not None
    assert not setting.value.known
    assert setting.value.origin == "$(seq -s, 0 7)"


def test_what_one_command_gets_has_its_place() -> None:
    everywhere, first, second, third = read("run.sh", "export A=1\nB=2 C=3 run\nD=4 run\n")
    assert everywhere.holder is None
    assert first.holder == second.holder != third.holder


@pytest.mark.parametrize(
    "command",
    [
        "env A=1 B=2 python run.py",
        "docker run --rm -e A=1 --env B=2 image python run.py",
        "sudo podman run -e A=1 --env=B=2 image",
    ],
)
def test_a_command_hands_variables_over(command: str) -> None:
    assert shown("run.sh", command) == [("A", "1"), ("B", "2")]


def test_settings_tell_the_branches_that_they_stand_in() -> None:
    outer, first, second = read(
        "run.sh", "export A=1\nif x; then\n  export A=2\nelse\n  export A=3\nfi\n"
    )
    assert not outer.branches
    assert first.branches[0].block == second.branches[0].block
    assert first.branches[0].arm != second.branches[0].arm


def test_each_stage_of_an_image_has_its_own() -> None:
    text = 'ARG V=7\nFROM a\nARG V\nENV A=1 B="2 $V"\nENV C=$V\nFROM b\nENV A=3\n'
    settings = read("Dockerfile", text)
    assert [each.name for each in settings] == ["A", "B", "C", "A"]
    assert [each.value and each.value.text for each in settings] == ["1", "2 7", "7", "3"]
    assert settings[0].holder == settings[2].holder != settings[3].holder


def test_each_service_has_its_own() -> None:
    text = (
        "services:\n  one:\n    environment:\n      A: '1'\n      B: ${B:-2}\n"
        "  two:\n    environment:\n      - A=3\n"
    )
    settings = read("compose.yaml", text)
    assert [each.value and each.value.text for each in settings] == ["1", "2", "3"]
    assert settings[0].holder == settings[1].holder != settings[2].holder


def test_a_job_of_a_workflow_sets_variables() -> None:
    text = (
        "on: push\njobs:\n  a:\n    env:\n      A: '1'\n      B: ${{ secrets.B }}\n    steps: []\n"
    )
    first, second = read(".github/workflows/ci.yml", text)
    assert (first.name, first.value and first.value.known) == ("A", True)
    assert (second.name, second.value and second.value.known) == ("B", False)
