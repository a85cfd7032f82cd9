"""Modules that are only imported behind an `if` on the version of the package are guarded."""

from __future__ import annotations

import pytest

from tests.support.repositories import GONE, paths_with, write

UNPACKED = (
    "import transformers\n"
    "a, b, c = transformers.__version__.split('.')[:3]\n"
    "if a == '4' and int(b) <= 31:\n"
)
PARSED = "from transformers import __version__ as v\nOLD = parse(v) < parse('4.40')\nif OLD:\n"


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers==5.0.0\n")
    write("nets/mpt/blocks.py", GONE)
    write("nets/mpt/net.py", "from .blocks import Block\n")
    write("nets/mpt_model.py", "from .mpt.net import Net\n")
    write("main.py", "from nets import Net\n\nNet()\n")


@pytest.mark.parametrize("test", [UNPACKED, PARSED])
def test_a_module_at_the_end_of_a_chain_behind_a_version_is_left_alone(test: str) -> None:
    write("nets/__init__.py", f"{test}    from .mpt_model import Net\n")
    assert paths_with("ROC204") == []


@pytest.mark.parametrize(
    "init",
    [
        "from .mpt_model import Net\n",
        f"{UNPACKED}    pass\nfrom .mpt_model import Net\n",
        "import sys\nif sys.version_info >= (3, 10):\n    from .mpt_model import Net\n",
        "import torch\nif torch.__version__ >= '2.1':\n    from .mpt_model import Net\n",
        "if is_transformers_available():\n    from .mpt_model import Net\n",
    ],
)
def test_a_module_that_any_version_of_the_package_imports_is_judged(init: str) -> None:
    write("nets/__init__.py", init)
    assert paths_with("ROC204") == ["nets/mpt/blocks.py"]


def test_one_import_that_no_version_decides_on_is_enough() -> None:
    write("nets/__init__.py", f"{UNPACKED}    from .mpt_model import Net\n")
    write("train.py", "from nets.mpt.blocks import Block\n\nBlock()\n")
    assert paths_with("ROC204") == ["nets/mpt/blocks.py"]
