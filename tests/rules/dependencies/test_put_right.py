"""Installs that replace the ROCm build of torch, and a later one that puts it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repositories import Repository

IMAGE = "FROM rocm/pytorch:rocm6.1_ubuntu22.04_py3.10_pytorch_2.1.2\n"
INDEX = "--index-url https://download.pytorch.org/whl/rocm6.0"
BROUGHT = "RUN pip install pyannote.audio==3.3.1\n"


def dockerfile(*after: str, package: str = BROUGHT) -> str:
    return IMAGE + package + "".join(f"{each}\n" for each in after)


def test_a_package_brings_another_torch(repository: Repository) -> None:
    assert repository.codes("Dockerfile", dockerfile()) == ["ROC201"]


@pytest.mark.parametrize(
    "command",
    [
        f"pip install torch==2.3.0 {INDEX}",
        f"pip install torchvision==0.18.0 torchaudio==2.3.0 {INDEX}",
        f"pip install torchaudio==2.3.0 {INDEX}",
    ],
)
def test_a_later_pin_for_rocm_puts_torch_back(repository: Repository, command: str) -> None:
    assert repository.codes("Dockerfile", dockerfile(f"RUN {command}")) == []


@pytest.mark.parametrize(
    "after",
    [
        pytest.param([f"RUN pip install torch {INDEX}"], id="any torch is there already"),
        pytest.param([f"RUN pip install torchvision {INDEX}"], id="any torchvision"),
        pytest.param([f"RUN pip install einops==0.8.0 {INDEX}"], id="another package"),
        pytest.param(["RUN pip install torch==2.3.0"], id="PyPI has the build for CUDA"),
        pytest.param(
            ["RUN pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4"],
            id="what was brought may have this version",
        ),
        pytest.param(
            [f"RUN if [ -n $OLD ]; then pip install torch==2.3.0 {INDEX}; fi"], id="sometimes"
        ),
        pytest.param(
            ["FROM rocm/dev-ubuntu-22.04", f"RUN pip install torch==2.3.0 {INDEX}"], id="elsewhere"
        ),
    ],
)
def test_what_does_not_put_torch_back(repository: Repository, after: list[str]) -> None:
    assert set(repository.codes("Dockerfile", dockerfile(*after))) == {"ROC201"}


def test_wheels_for_cuda_stay_what_they_are(repository: Repository) -> None:
    vllm = "RUN pip install vllm\n"
    text = dockerfile(f"RUN pip install torch==2.3.0 {INDEX}", package=vllm)
    assert repository.codes("Dockerfile", text) == ["ROC201"]
