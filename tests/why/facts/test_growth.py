"""What a question about the project parses: the files that it is about, however many others."""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.lint import linter
from rocmlint.why.facts.all import functions_of
from rocmlint.why.facts.context import Context
from rocmlint.why.facts.project.definitions import definitions
from rocmlint.why.log.log_reader import read_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ONE_MODEL = "class Model:\n    def forward(self, x):\n        return x\n"
ANOTHER = "class Other:\n    def forward(self, model: Model):\n        return model\n"
KEEPS_GRAPH = """\
import torch


def train(model, data, optimizer):
    total = 0
    for batch in data:
        loss = model(batch).loss
        loss.backward()
        optimizer.step()
        total += loss
    return total
"""


def project_of(folder: Path, first: str, others: str, number: int) -> str:
    folder.mkdir()
    (folder / "a.py").write_text(first)
    for each in range(number):
        (folder / f"b{each}.py").write_text(others)
    return str(folder)


def counted(monkeypatch: pytest.MonkeyPatch, holder: object, name: str) -> list[object]:
    """Count the calls of a function."""
    calls: list[object] = []
    original: Callable[..., object] = getattr(holder, name)

    def called(*args: object, **kwargs: object) -> object:
        calls.append(args)
        return original(*args, **kwargs)

    monkeypatch.setattr(holder, name, called)
    return calls


@pytest.mark.parametrize("number", [4, 8, 16])
def test_a_definition_is_looked_for_where_all_of_its_name_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    project = project_of(tmp_path / "project", ONE_MODEL, ANOTHER, number)
    parsed = counted(monkeypatch, ast, "parse")
    found = list(definitions(project, "Model.forward"))
    assert [each.file for each in found] == ["a.py"]
    assert len(parsed) == 1


@pytest.mark.parametrize("number", [4, 8, 16])
def test_a_rule_looks_no_further_than_its_first_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    project = project_of(tmp_path / "project", KEEPS_GRAPH, KEEPS_GRAPH, number)
    monkeypatch.setattr("rocmlint.lint.workers.guarded", one_by_one)
    analysed = counted(monkeypatch, linter.Linter, "analyse")
    rule_finds = functions_of(Context(read_text("ValueError: no"), project))["rule_finds"]
    assert rule_finds("ROC507") == "a.py:10"
    assert len(analysed) == 1


def one_by_one(do: Callable[[object], object], tasks: list[object]) -> object:
    """Yield what ``guarded`` yields, without another process, in which nobody could count."""
    return ((each, do(each)) for each in tasks)


def test_one_rule_is_loaded_without_the_others() -> None:
    code = (
        "import sys; from rocmlint.rule.registry import load_rule; print(load_rule('ROC507').code,"
        " sum(each.startswith('rocmlint.rules.') and each.count('.') > 2 for each in sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name, number = ran.stdout.split()
    assert name == "ROC507"
    assert int(number) < 10
