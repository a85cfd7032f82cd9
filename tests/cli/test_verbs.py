"""The frame of the verbs below ``verify`` and ``stack``."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.cli import stack, verify
from rocmlint.cli.verbs import Help, run_verb
from rocmlint.cli.verify import model
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from argparse import ArgumentParser

VERBS = [
    "why",
    *(f"verify {each}" for each in verify.VERBS),
    *(f"verify model {each}" for each in model.CHECKS),
    *(f"stack {each}" for each in stack.VERBS),
]


class Echo:
    """A verb that keeps its flags."""

    def __init__(self, *, command: bool) -> None:
        self.HELP = Help("[NAME ...]", "Keep the names.", "exit codes: 0 always", command)
        self.flags = SimpleNamespace()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*")

    def run(self, flags: SimpleNamespace) -> int:
        self.flags = flags
        return 3


def test_a_verb_gets_its_flags_and_gives_the_exit_code() -> None:
    echo = Echo(command=False)
    assert run_verb("stack echo", echo, ["a", "b"]) == 3
    assert echo.flags.names == ["a", "b"]


def test_what_stands_behind_two_dashes_is_the_command() -> None:
    echo = Echo(command=True)
    run_verb("verify echo", echo, ["a", "--", "python", "--", "-x"])
    assert (echo.flags.names, echo.flags.command) == (["a"], ["python", "--", "-x"])


def test_a_verb_without_a_command_takes_it_for_names() -> None:
    echo = Echo(command=False)
    run_verb("verify echo", echo, ["a", "--", "b"])
    assert (echo.flags.names, echo.flags.command) == (["a", "b"], [])


def test_what_a_verb_does_not_know_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown argument --nmaes"):
        run_verb("stack echo", Echo(command=False), ["--nmaes"])


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_a_verb_says_its_usage_and_exit_codes(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = name.replace(" ", ".").replace("-", "_")
    module: Any = import_module(f"rocmlint.cli.{path}")
    with pytest.raises(SystemExit):
        run_verb(name, module, ["--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith(f"usage: rocmlint {name} {module.HELP.arguments} ")
    assert " ".join(module.HELP.exit_codes.split()) in shown
