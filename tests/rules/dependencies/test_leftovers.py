"""What modules lack that nothing names is a note; how a module may be named."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from tests.support.repositories import GONE, write

MODULE = "nets/parts/blocks.py"


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers==5.0.0\n")
    write(MODULE, GONE)
    write("main.py", "if __name__ == '__main__':\n    print()\n")


def tiers() -> dict[str, str]:
    found = lint_paths(["."], options={"select": ["ROC204"]})
    return {each.path: each.severity for each in found}


@pytest.mark.parametrize("program", ["", "main()\n", "args = parser.parse_args()\n"])
def test_what_a_module_lacks_that_nothing_imports_is_a_note(program: str) -> None:
    write("train.py", f"from nets.norms import Norm\n\n{program}")
    assert tiers() == {MODULE: "note"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", "from nets.parts.blocks import Block\n\nBlock()\n"),
        ("train.py", "from nets.parts import (\n    blocks,\n)\n\nblocks.Block()\n"),
        ("train.py", "load('nets.parts.blocks')\n"),
        ("config.yaml", "target: nets.parts.blocks.Block\n"),
        ("README.md", "Run `python nets/parts/blocks.py`.\n"),
        ("plugins.py", "import pkgutil\n\npkgutil.iter_modules()\n"),
        ("nets/parts/net.py", "from .blocks import Block\n"),
        ("show.ipynb", '{"cells": [{"cell_type": "code", "source": ["import blocks"]}]}'),
        (MODULE, f"{GONE}\nprint(1)\n"),
        (MODULE, f"{GONE}\nif __name__ == '__main__':\n    main()\n"),
    ],
)
def test_a_module_that_something_names_or_runs_is_judged(name: str, text: str) -> None:
    write(name, text)
    assert tiers() == {MODULE: "error"}


def test_a_project_without_programs_is_a_library_whose_users_import_what_they_like() -> None:
    write("main.py", "")
    assert tiers() == {MODULE: "error"}


@pytest.mark.parametrize(("program", "tier"), [("main()\n", "note"), ("", "error")])
def test_a_module_of_a_package_is_a_note_with_programs_and_judged_in_a_library(
    program: str, tier: str
) -> None:
    write("nets/__init__.py", "")
    write("setup.py", "from setuptools import setup\n\nsetup(name='nets')\n")
    write("main.py", program and f"if __name__ == '__main__':\n    {program}")
    assert tiers() == {MODULE: tier}


def test_a_package_in_the_root_is_a_plugin_which_its_host_imports() -> None:
    write(MODULE, "")
    write("__init__.py", GONE)
    assert tiers() == {"__init__.py": "error"}


def test_a_test_is_found_by_its_name_alone() -> None:
    write(MODULE, "")
    write("tests/test_blocks.py", GONE)
    assert tiers() == {"tests/test_blocks.py": "error"}
