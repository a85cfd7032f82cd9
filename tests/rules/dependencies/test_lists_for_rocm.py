"""The lists that a command installs say what it is for, where its own file does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repositories import Repository

SERVER = "https://download.pytorch.org/whl"
LIST = f"--extra-index-url {SERVER}/rocm6.4\ntorch\n"
NVIDIA = f"pip install torch --index-url {SERVER}/cu128\n"


@pytest.mark.parametrize(
    ("name", "listed", "codes"),
    [
        ("requirements-rocm.txt", LIST, ["ROC201"]),
        ("requirements/amd.txt", LIST, ["ROC201"]),
        ("requirements-gpu.txt", LIST, ["ROC201"]),
        ("requirements-rocm.txt", "torch\n", ["ROC201"]),
        ("requirements-rocm.txt", f"--index-url {SERVER}/rocm6.4\ntorch\n", []),
        ("requirements-cuda.txt", LIST, []),
        ("requirements-rocm-cuda.txt", LIST, []),
        ("requirements-amd64.txt", "torch\n", []),
        ("requirements-gpu.txt", "torch\n", []),
        ("requirements-gpu.txt", f"{LIST}--extra-index-url {SERVER}/cu128\n", []),
    ],
)
def test_a_list_says_what_it_is_for(
    repository: Repository, name: str, listed: str, codes: list[str]
) -> None:
    repository.write(name, listed)
    assert repository.codes("setup.sh", f"pip install -r {name}\n") == codes


def test_the_help_names_the_list(repository: Repository) -> None:
    repository.write("requirements-rocm.txt", LIST)
    (found,) = repository.lint("setup.sh", "pip install -r requirements-rocm.txt\n")
    assert "it installs `requirements-rocm.txt`" in found.help


BOTH = (
    f"if command -v nvidia-smi; then\n  {NVIDIA}else\n  pip install -r requirements-rocm.txt\nfi\n"
)


@pytest.mark.parametrize(
    ("path", "text", "codes"),
    [
        pytest.param("setup.sh", BOTH, ["ROC201"], id="a script for several platforms"),
        pytest.param(
            "Dockerfile",
            "FROM nvidia/cuda:12.8.0-base\nRUN pip install -r requirements-rocm.txt\n",
            [],
            id="the image is for others",
        ),
        pytest.param(
            "setup.sh",
            f"{NVIDIA}pip install -r requirements.txt\n",
            [],
            id="the script is for others",
        ),
        pytest.param(
            ".github/workflows/test.yml",
            "jobs:\n  a:\n    steps:\n      - run: pip install -r requirements-rocm.txt\n",
            [],
            id="a runner without GPUs",
        ),
    ],
)
def test_what_is_nearest_decides(
    repository: Repository, path: str, text: str, codes: list[str]
) -> None:
    for name in ("requirements.txt", "requirements-rocm.txt"):
        repository.write(name, LIST)
    assert repository.codes(path, text) == codes
