"""What is said of files and cells that cannot be read: an error, or a warning where it is usual."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.linter import Linter

if TYPE_CHECKING:
    from rocmlint.findings import Finding

BROKEN = "import torch\ntorch.cuda.synchronize(\n"


def unread(path: str, text: str) -> Finding:
    (finding,) = Linter(Settings(check_syntax=True)).lint_text(path, text).findings
    assert finding.code == "ROC900"
    return finding


def notebook(*cells: str) -> str:
    made = [
        {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": 1}
        for cell in cells
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


@pytest.mark.parametrize(
    "text",
    [
        BROKEN,
        "def load(path:\n    return path\n",
        "sizes = {'a': {'b': 1}}\nreturn = 2\n",
        "print(1)\nprint = (\n",
    ],
)
def test_python_that_cannot_be_parsed_is_an_error(text: str) -> None:
    finding = unread("train.py", text)
    assert finding.severity == "error"
    assert finding.message.startswith("This file cannot be parsed: ")
    assert finding.help == "Not checked: fix it, or exclude the file."


def test_a_line_that_pip_refuses_hides_no_other_of_its_list() -> None:
    finding = unread("requirements.txt", "torch=>2\npeft\n")
    assert finding.severity == "error"
    assert finding.help == "pip stops here: fix the line. The other lines were checked."


@pytest.mark.parametrize(
    ("requirement", "who"),
    [
        ("torchaudio>=2.1.0+rocm5.6", "pip 24.1 and later stop here"),
        ("torch>=2.1.0+rocm5.6,<3; python_version < '3.12'", "pip 24.1 and later stop here"),
        ("torch[opt] < 2.2+rocm5.6", "pip 24.1 and later stop here"),
        ("torch~=2.1.0+rocm5.6", "pip stops here"),
        ("torch=>2.1.0+rocm5.6", "pip stops here"),
        ("torch>=2.1.0+rocm5.6,=>2", "pip stops here"),
    ],
)
def test_a_local_version_behind_an_inequality_is_refused_since_pip_24_1(
    requirement: str, who: str
) -> None:
    finding = unread("requirements.txt", f"{requirement}\n")
    assert finding.help == f"{who}: fix the line. The other lines were checked."


def test_a_cell_that_cannot_be_parsed_is_a_warning() -> None:
    finding = unread("train.ipynb", notebook("import torch", "state = torch.load("))
    assert finding.severity == "warning"
    assert finding.message.startswith("This cell cannot be parsed: ")


def test_a_notebook_that_cannot_be_read_is_an_error() -> None:
    assert unread("train.ipynb", notebook("import torch")[:-3]).severity == "error"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("{{cookiecutter.name}}/train.py", BROKEN),
        ("templates/train.py.j2.py", BROKEN),
        ("train.py", "import {{ cookiecutter.package }}\n"),
        ("train.py", "import torch\n{% if cuda %}\ntorch.cuda.synchronize()\n{% endif %}\n"),
    ],
)
def test_a_template_is_a_warning_that_says_so(path: str, text: str) -> None:
    finding = unread(path, text)
    assert finding.severity == "warning"
    assert "template" in finding.help


def test_an_expression_of_github_is_no_template() -> None:
    """It is filled in when the workflow, which must be valid without that, has been read."""
    text = (
        "jobs:\n  test:\n    with: { python: ${{ matrix.python }} }\n    run: pip install torch\n"
    )
    finding = unread(".github/workflows/ci.yaml", text)
    assert (finding.severity, finding.line) == ("error", 3)


@pytest.mark.parametrize(
    "line",
    [
        'print "loading"',
        "print total",
        "raise ValueError, name",
        'exec "x = 1"',
        "mode = 0755",
        "if total <> 1:\n    load()",
    ],
)
def test_python_2_is_a_warning_that_says_so(line: str) -> None:
    finding = unread("train.py", f"import torch\n{line}\n")
    assert finding.severity == "warning"
    assert "Python 2" in finding.help


@pytest.mark.parametrize("line", ["Vocabulary: 50,000+ tokens", "batch of 1_000 (0.01"])
def test_a_number_in_prose_is_not_python_2(line: str) -> None:
    assert "Python 2" not in unread("train.py", f"import torch\n{line}\n").help


def test_a_long_reason_is_cut() -> None:
    finding = unread("train.ipynb", "{" + '"a": ' * 5000)
    assert len(finding.message) <= 100
    assert finding.message.isprintable()


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["torch"\n', "This file is not valid TOML: "),
        ("environment.yml", "dependencies: [torch, {\n", "This file is not valid YAML"),
    ],
)
def test_a_message_on_a_document_has_a_subject(path: str, text: str, told: str) -> None:
    assert unread(path, text).message.startswith(told)
