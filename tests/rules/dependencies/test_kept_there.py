"""A torch that is there before a command: pip keeps it where it may meet what is asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repositories import Repository

RANGE = "pip install lerobot==0.4.4"  # torch>=2.2.1,<2.11.0
PIN = "pip install sglang==0.5.5"  # torch==2.8.0
IMAGE = "rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1"
START = f"```bash\ndocker run -it {IMAGE} bash\n```\n"
GUARDED = "try:\n    import torch\nexcept ImportError:\n    pass\n"
SCRIPT = "rocm-smi\n"


def notebook(*cells: str) -> str:
    made = [
        {"cell_type": "code", "metadata": {}, "source": each, "outputs": [], "execution_count": 1}
        for each in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        (("!rocm-smi", f"!{RANGE}"), ["ROC201"]),
        (("import torch\n!rocm-smi", f"!{RANGE}"), ["ROC201"]),
        (("import torch\n!rocm-smi", "!pip install accelerate torch"), []),
        (("!rocm-smi", f"!{RANGE}", "import torch"), ["ROC201"]),
        ((f"{GUARDED}!rocm-smi", f"!{RANGE}"), ["ROC201"]),
        (("from torch import nn\n!rocm-smi", "!pip install 'torch>=2.4'"), []),
        (("import torch\n!rocm-smi", "!pip install torch==2.4.1"), ["ROC201"]),
        (("import torch\n!rocm-smi", f"!{PIN}"), ["ROC201"]),
        (("import torch\n!rocm-smi", "!pip install -U torch"), ["ROC201"]),
        (("import torch_geometric\n!rocm-smi", f"!{RANGE}"), ["ROC201"]),
    ],
)
def test_a_notebook_that_has_imported_torch_has_one(
    repository: Repository, cells: tuple[str, ...], codes: list[str]
) -> None:
    assert repository.codes("a.ipynb", notebook(*cells)) == codes


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.md", START),
        ("Dockerfile", f"FROM {IMAGE}\nRUN apt-get update\n"),
        ("docker-compose.yml", f"services:\n  train:\n    image: {IMAGE}\n"),
    ],
)
@pytest.mark.parametrize(
    ("script", "codes"),
    [
        (f"{SCRIPT}{RANGE}\n", []),
        (f"{SCRIPT}pip install torch\n", []),
        (f"{SCRIPT}pip install 'torch>=2.10'\n", ["ROC201"]),
        (f"{SCRIPT}pip install -U torch\n", ["ROC201"]),
        (f"{SCRIPT}{PIN}\n", ["ROC201"]),
        (f"{SCRIPT}python -m venv env && . env/bin/activate\n{RANGE}\n", ["ROC201"]),
    ],
)
def test_the_project_names_an_image_whose_torch_is_kept(
    repository: Repository, path: str, text: str, script: str, codes: list[str]
) -> None:
    repository.write(path, text)
    assert repository.codes("setup.sh", script) == codes
