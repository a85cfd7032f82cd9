"""What modules lack that are only imported behind an `if` on a version is a note."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from tests.support.repositories import GONE, write

UNPACKED = (
    "import transformers\n"
    "a, b, c = transformers.__version__.split('.')[:3]\n"
    "if a == '4' and int(b) <= 31:\n"
)


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    """As the branch for MPT in copies of LLaVA, such as prafful-kumar/MoE-LLaVA_mine."""
    del in_repository
    write("requirements.txt", "transformers==5.0.0\n")
    write("nets/mpt/blocks.py", GONE)
    write("nets/mpt/net.py", "from .blocks import Block\n")
    write("nets/mpt_model.py", "from .mpt.net import Net\n")
    write("main.py", "from nets import Net\n\nNet()\n")


def tiers() -> list[str]:
    return [each.severity for each in lint_paths(["."], options={"select": ["ROC204"]})]


def test_a_module_at_the_end_of_a_chain_behind_a_version_gets_a_note() -> None:
    write("nets/__init__.py", f"{UNPACKED}    from .mpt_model import Net\n")
    assert tiers() == ["note"]


@pytest.mark.parametrize(
    ("init", "train"),
    [
        ("from .mpt_model import Net\n", ""),
        (f"{UNPACKED}    pass\nfrom .mpt_model import Net\n", ""),
        ("if is_transformers_available():\n    from .mpt_model import Net\n", ""),
        (f"{UNPACKED}    from .mpt_model import Net\n", "from nets.mpt.blocks import Block\n"),
    ],
)
def test_a_module_that_any_version_of_the_package_imports_is_judged(init: str, train: str) -> None:
    write("nets/__init__.py", init)
    write("train.py", train)
    assert tiers() == ["error"]
