"""Environments that somebody broke, or made to break what reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.guards import guards
from rocmlint.stack.rollback import source_of
from rocmlint.stack.torch_build import read_torch
from tests.support.stacks import FakeEnvironment

if TYPE_CHECKING:
    from pathlib import Path

DEEP_PYTHON = f"x = {'-' * 90_000}1\n"
DEEP_JSON = f'{{"url": {"[" * 50_000}{"]" * 50_000}}}'


@pytest.fixture
def packages(tmp_path: Path) -> FakeEnvironment:
    return FakeEnvironment(tmp_path / "env")


def test_a_version_py_that_nests_too_deeply_is_told(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.write("torch/version.py", DEEP_PYTHON)
    torch = read_torch(packages.read())
    assert torch is not None
    assert torch.problem.endswith("torch/version.py is not valid Python: it nests too deeply")


def test_guards_that_nest_too_deeply_are_none(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("transformers", "5.23.0")
    packages.write("transformers/__init__.py", "")
    packages.write("transformers/utils/import_utils.py", DEEP_PYTHON)
    assert list(guards(packages.read())) == []


def test_an_origin_that_nests_too_deeply_is_none(packages: FakeEnvironment) -> None:
    packages.install("peft", "0.17.0")
    packages.write("peft-0.17.0.dist-info/direct_url.json", DEEP_JSON)
    (peft,) = packages.read().distributions
    assert source_of(peft) == "peft==0.17.0"
