"""Which pins of a project stand against a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from rocmlint.stack.upgrade.pins import Pin, obstacles
from tests.support.stacks import INDEX

if TYPE_CHECKING:
    from collections.abc import Sequence


def against(pins: Sequence[Pin], torch: str = "2.10.0") -> list[str]:
    targets = {"torch": Version(f"{torch}+rocm7.1"), "torchvision": Version("0.25.0+rocm7.1")}
    return [each.where for each in obstacles(pins, targets, "7.1", f"{INDEX}/rocm7.1", "3.11")]


@pytest.mark.parametrize(
    "text",
    [
        "torch==2.9.1",
        "torch<2.10",
        "torch==2.10.0+cu128",
        "torch @ https://x.org/torch.whl",
        "torchvision==0.24",
        "pytorch-triton-rocm==3.4.0",
        "diffusers[torch]==0.31.0",
        "transformers==4.52.4",
        "vllm==0.14.1",
    ],
)
def test_a_pin_that_the_plan_breaks_stands_against_it(text: str) -> None:
    assert against([Pin("requirements.txt", 3, text)]) == ["requirements.txt:3"]


@pytest.mark.parametrize(
    "text",
    [
        "torch",
        "torch>=2.4",
        "torch==2.10.0",
        "torch==2.10.0+rocm7.1",
        "torch==2.10.*",
        "torchvision~=0.25.0",
        "triton>=3",
        "transformers>=4.40",
        "accelerate==1.10.0",
        "unheard-of==1.0",
        "torch==2.2.2; sys_platform == 'darwin'",
        "torch==1.13.1; python_version < '3.9'",
        "not a requirement ===",
    ],
)
def test_a_pin_that_the_plan_meets_does_not(text: str) -> None:
    assert against([Pin("requirements.txt", 3, text)]) == []


@pytest.mark.parametrize(
    ("kind", "text", "stands"),
    [
        ("index", f"{INDEX}/rocm6.4", True),
        ("index", f"{INDEX}/nightly/rocm7.14/", True),
        ("index", f"{INDEX}/cpu", True),
        ("index", f"{INDEX}/cu128", True),
        ("index", f"{INDEX}/rocm7.1/", False),
        ("index", "https://pypi.org/simple", False),
        ("image", "rocm/pytorch:rocm6.4.1_ubuntu22.04_py3.10_pytorch_release_2.6.0", True),
        ("image", "rocm/pytorch:rocm7.1.1_ubuntu24.04_py3.12_pytorch_release_2.8.0", False),
        ("image", "rocm/pytorch:latest", False),
        ("image", "python:3.11", False),
    ],
)
def test_an_index_or_an_image_for_another_rocm_stands_against_it(
    kind: str, text: str, stands: bool
) -> None:
    pin = Pin("Dockerfile", 1, text, "index" if kind == "index" else "image")
    assert bool(against([pin])) is stands
