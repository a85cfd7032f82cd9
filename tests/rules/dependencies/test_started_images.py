"""Images that a README names beside a script: installs there replace what the image has."""

from __future__ import annotations

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
            [],
            id="another image as well",
        ),
        pytest.param(block(START) + block("bash install.sh"), ["ROC209"], id="in two blocks"),
        pytest.param(block(START), [], id="it does not name the script"),
        pytest.param(block(NVIDIA, "bash install.sh"), [], id="another image"),
    ],
)  # fmt: skip
def test_a_readme_that_names_an_image_and_the_script(
    repository: Repository, readme: str, codes: list[str]
) -> None:
    repository.write("train/README.md", f"# Training\n\n{readme}")
    assert repository.codes("train/install.sh", SCRIPT, preview=True) == codes


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
