"""Images that a README or a notebook starts: installs there go over the torch of the image."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repositories import Repository

SCRIPT = "pip install accelerate\npip install triton==3.2.0\n"
START = "docker run -it --device=/dev/kfd rocm/pytorch:latest bash"
NVIDIA = "docker run --gpus all -it nvcr.io/nvidia/pytorch:24.10-py3"


def block(*lines: str) -> str:
    return "\n".join(("```bash", *lines, "```", ""))


@pytest.mark.parametrize(
    ("readme", "codes"),
    [
        pytest.param(block(START, "bash install.sh"), ["ROC209"], id="starts it, then the script"),
        pytest.param(
            block(START, "bash install.sh") + block(NVIDIA, "bash install.sh"),
            ["ROC209"],
            id="the script runs in this image as well",
        ),
        pytest.param(block(START) + block("bash install.sh"), [], id="the script may run outside"),
        pytest.param(block(NVIDIA, "bash install.sh"), [], id="another image"),
        pytest.param("Use rocm/pytorch:latest and install.sh.\n", [], id="no block of code"),
        pytest.param(
            block(START, "bash install.sh") + block(f"{START[:-12]}:v1 bash", "./install.sh"),
            [],
            id="one of two images",
        ),
    ],
)  # fmt: skip
def test_a_readme_that_starts_an_image_for_the_script(
    repository: Repository, readme: str, codes: list[str]
) -> None:
    repository.write("train/README.md", f"# Training\n\n{readme}")
    assert repository.codes("train/install.sh", SCRIPT, preview=True) == codes


def notebook(text: str, code: str) -> str:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)},
        {"cell_type": "code", "metadata": {}, "source": code, "outputs": [], "execution_count": 1},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.parametrize(
    ("text", "code", "codes"),
    [
        (block(START) + block("jupyter-lab"), "!pip install triton==3.2.0", ["ROC209"]),
        (block(START) + block("jupyter-lab"), "!pip install -U torch", ["ROC201"]),
        (block(START) + block("jupyter-lab"), "!pip install torch", []),
        (block(START), "!pip install triton==3.2.0", []),
        (block(START) + block(NVIDIA) + block("jupyter-lab"), "!pip install triton==3.2.0", []),
    ],
)  # fmt: skip
def test_a_notebook_that_starts_an_image_for_itself(
    repository: Repository, text: str, code: str, codes: list[str]
) -> None:
    assert repository.codes("a.ipynb", notebook(text, code), preview=True) == codes


IMAGE = "FROM rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n"
ROCM = "pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4\n"


@pytest.mark.parametrize(
    ("path", "text", "codes"),
    [
        ("Dockerfile", f"{IMAGE}RUN pip install triton\n", []),
        ("Dockerfile", f"{IMAGE}RUN pip install -U triton\n", ["ROC209"]),
        ("Dockerfile", f"{IMAGE}RUN pip install -U triton==3.2.0\n", ["ROC209"]),
        ("Dockerfile", f"{IMAGE}RUN pip install 'triton>=3.5'\n", []),
        ("Dockerfile", f"{IMAGE}RUN pip install git+https://example.com/triton.git\n", []),
        ("Dockerfile", f"{IMAGE}RUN pip install --target /opt/x triton==3.2.0\n", []),
        ("install.sh", f"{ROCM}pip install triton\n", ["ROC209"]),
        ("install.sh", f"{ROCM}pip install triton==3.5.1\n", []),
        ("install.sh", f"pip install triton==3.2.0\n{ROCM}", []),
        ("install.sh", "pip install triton==3.2.0\n", []),
        ("install.sh", f"{ROCM}pip install --no-deps triton==3.2.0\n", ["ROC209"]),
        ("install.sh", f"{ROCM}git clone https://example.com/triton.git\npip install triton\n", []),
    ],
)
def test_triton_over_that_of_torch(
    repository: Repository, path: str, text: str, codes: list[str]
) -> None:
    assert repository.codes(path, text, preview=True) == codes
