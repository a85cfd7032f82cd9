"""The torch that is to stay: which index it came from."""

from __future__ import annotations

import pytest

from rocmlint.stack.advice.keeping import index_of

SERVER = "https://download.pytorch.org/whl"


@pytest.mark.parametrize(
    ("torch", "index"),
    [
        ("2.9.1+rocm6.4", f"{SERVER}/rocm6.4"),
        ("2.9.1+cpu", f"{SERVER}/cpu"),
        ("2.9.1+cu128", f"{SERVER}/cu128"),
        ("99.0.0+rocm7.2", f"{SERVER}/rocm7.2"),  # newer than the table
        ("2.12.0+rocm7.14.0", "https://repo.amd.com/rocm/whl-multi-arch/"),
    ],
)
def test_the_label_of_a_release_tells_its_index(torch: str, index: str) -> None:
    assert index_of(torch) == index


@pytest.mark.parametrize("label", ["rocm7.2", "rocm6.4", "cpu", "cu128"])
def test_a_nightly_build_came_from_the_nightly_index_of_its_label(label: str) -> None:
    assert index_of(f"2.13.0.dev20260601+{label}") == f"{SERVER}/nightly/{label}"


@pytest.mark.parametrize(
    "torch",
    [
        "2.9.1",
        "2.9.1+git123",
        "2.9.1+rocm7.1",  # PyTorch has 2.9 for ROCm 6.3 and 6.4
        "2.9.1+rocm7.12.0",  # AMD has an index for each family of GPUs
        "2.9.1+rocm7.2.1.lw.gitff65f5bc",
        "2.13.0.dev20260601+rocm7.2.git123",
    ],
)
def test_of_another_build_the_index_is_unknown(torch: str) -> None:
    assert index_of(torch) == ""
