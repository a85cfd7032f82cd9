"""Checks for CUDA that nothing in the project calls are left alone."""

from __future__ import annotations

import pytest

from tests.support.repositories import paths_with, write

CHECK = """\
import torch


def check_bfloat16_supported():
    return torch.version.cuda is not None and torch.cuda.is_bf16_supported()


def seed():
    torch.manual_seed(0)
"""
PASSED_ON = "from .torch_utils import check_bfloat16_supported, seed\n"
LISTED = (
    "from .torch_utils import (\n    check_bfloat16_supported,\n    seed,\n)\n\n"
    '__all__ = [\n    "check_bfloat16_supported",\n    "seed",\n]\n'
)


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("nets/util/torch_utils.py", CHECK)
    write("train.py", "from nets.util import seed\n\nif __name__ == '__main__':\n    seed()\n")


@pytest.mark.parametrize("text", ["", PASSED_ON, LISTED])
def test_a_check_that_packages_only_pass_on_is_left_alone(text: str) -> None:
    write("nets/util/__init__.py", text)
    write("nets/__init__.py", text.replace(".torch_utils", ".util"))
    assert paths_with("ROC302") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("eval.py", "from nets.util import check_bfloat16_supported as check\n\ncheck()\n"),
        ("nets/util/__init__.py", f"{PASSED_ON}\nBF16 = check_bfloat16_supported()\n"),
        ("nets/util/__init__.py", f"{LISTED}\nBF16 = check_bfloat16_supported()\n"),
        ("nets/util/__init__.py", "from .torch_utils import check_bfloat16_supported as bf16\n"),
        ("nets/util/torch_utils.py", f"{CHECK}\n\nBF16 = check_bfloat16_supported()\n"),
    ],
    ids=["imported", "called by the package", "called after a list", "renamed", "beside"],
)
def test_a_check_that_something_calls_is_reported(name: str, text: str) -> None:
    write("nets/util/__init__.py", PASSED_ON)
    write(name, text)
    assert paths_with("ROC302") == ["nets/util/torch_utils.py"]


def test_a_check_of_a_package_that_users_install_is_reported() -> None:
    write("nets/__init__.py", "")
    write("nets/util/__init__.py", PASSED_ON)
    write("setup.py", "from setuptools import setup\n\nsetup(name='nets')\n")
    assert paths_with("ROC302") == ["nets/util/torch_utils.py"]
