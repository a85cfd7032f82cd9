"""Modules that nothing names are left alone; how a module may be named."""

from __future__ import annotations

import pytest

from tests.support.repositories import GONE, paths_with, write


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers==5.0.0\n")
    write("nets/parts/blocks.py", GONE)
    write("main.py", "if __name__ == '__main__':\n    print()\n")


def test_a_module_that_nothing_imports_is_left_alone() -> None:
    write("train.py", "from nets.blocks import Block\n\nBlock()\n")
    write("nets/blocks.py", "class Block:\n    pass\n")
    assert paths_with("ROC204") == []


@pytest.mark.parametrize("end", ["", "\nAutoConfig.register('net', Block)\n"])
def test_a_module_that_only_leftovers_import_is_left_alone(end: str) -> None:
    write("nets/parts/net.py", f"from .blocks import Block\n{end}")
    assert paths_with("ROC204") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", "from nets.parts.blocks import Block\n\nBlock()\n"),
        ("train.py", "from nets.parts import (\n    blocks,\n)\n\nblocks.Block()\n"),
        ("nets/parts/train.py", "import blocks\n\nblocks.Block()\n"),
        ("train.py", "load('nets.parts.blocks')\n"),
        ("config.yaml", "target: nets.parts.blocks.Block\n"),
        ("configs/v2.1_train/large.yaml", "block:\n  _target_: nets.parts.blocks.Block\n"),
        ("README.md", "Run `python nets/parts/blocks.py`.\n"),
        ("plugins.py", "import pkgutil\n\npkgutil.iter_modules()\n"),
    ],
)
def test_a_module_that_the_project_uses_is_judged(name: str, text: str) -> None:
    write(name, text)
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


def test_a_module_of_a_module_that_the_project_uses_is_judged() -> None:
    write("nets/parts/net.py", "from .blocks import Block\n")
    write("train.py", "from nets.parts.net import Net\n\nNet()\n")
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


def test_a_project_without_programs_is_a_library_whose_users_import_what_they_like() -> None:
    write("main.py", "")
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


TRIAL = "\nif __name__ == '__main__':\n    Block()(torch.randn(2, 3))\n"


def test_a_module_that_only_tries_out_what_it_defines_is_no_program() -> None:
    write("nets/parts/blocks.py", GONE + TRIAL)
    assert paths_with("ROC204") == []
    write("train.py", "from nets.parts.blocks import Block\n\nBlock()\n")
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


@pytest.mark.parametrize("text", ["main()\n", "args = parser.parse_args()\n", "trainer.train()\n"])
def test_a_project_whose_programs_have_no_guard_is_no_library(text: str) -> None:
    write("main.py", text)
    assert paths_with("ROC204") == []


def test_nor_is_one_of_notebooks() -> None:
    write("main.py", "")
    write("show.ipynb", '{"cells": [{"cell_type": "code", "source": ["print()"]}]}')
    assert paths_with("ROC204") == []


def test_a_module_of_a_plugin_is_judged() -> None:
    write("__init__.py", "from .nets.parts.blocks import Block\n")
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


@pytest.mark.parametrize("end", ["\nprint(1)\n", "\nif __name__ == '__main__':\n    main()\n"])
def test_a_program_is_judged(end: str) -> None:
    write("nets/parts/blocks.py", GONE + end)
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


@pytest.mark.parametrize("name", ["nets", "our-nets"])
def test_a_module_of_a_package_that_the_project_distributes_is_judged(name: str) -> None:
    write("nets/__init__.py", "")
    write("setup.py", f"from setuptools import setup\n\nsetup(name='{name}')\n")
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


def test_a_module_beside_the_package_that_the_project_distributes_is_left_alone() -> None:
    write("nets/__init__.py", "")
    write("server/__init__.py", "")
    write("setup.py", "from setuptools import setup\n\nsetup(name='server')\n")
    assert paths_with("ROC204") == []


def test_a_module_that_another_one_of_the_same_name_stands_for_is_left_alone() -> None:
    """The program imports `parts.blocks`, which is not `nets.parts.blocks`."""
    write("parts/blocks.py", "class Block:\n    pass\n")
    write("train.py", "from parts.blocks import Block\n\nBlock()\n")
    assert paths_with("ROC204") == []


def test_a_module_whose_name_stands_for_something_else_beside_it_is_left_alone() -> None:
    write("nets/parts/train.py", "# blocks\nblocks = 3\nprint(blocks)\n")
    assert paths_with("ROC204") == []


@pytest.mark.parametrize(
    "text",
    [
        "import sys\n\nsys.path.append('nets/parts')\nimport blocks\n\nblocks.Block()\n",
        "def main():\n    from nets.parts import blocks\n\n    blocks.Block()\n\n\nmain()\n",
        "import os\n\nopen(os.path.join('nets', 'parts', 'blocks.py'))\n",
        "try: from nets.parts import blocks\nexcept ImportError: raise\nblocks.Block()\n",
    ],
)
def test_a_module_that_a_program_reaches_otherwise_is_judged(text: str) -> None:
    write("train.py", text)
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


def test_a_package_is_used_by_what_is_imported_from_inside_it() -> None:
    write("nets/parts/blocks.py", "class Block:\n    pass\n")
    write("nets/parts/__init__.py", GONE)
    write("train.py", "from nets.parts.blocks import Block\n\nBlock()\n")
    assert paths_with("ROC204") == ["nets/parts/__init__.py"]


def distribute() -> None:
    """Make `nets` a package that users install."""
    write("setup.py", "from setuptools import setup\n\nsetup(name='nets')\n")
    write("nets/__init__.py", "")
    write("nets/parts/__init__.py", "")


@pytest.mark.parametrize(
    "text", ["from nets.parts.norms import Norm\n", "from .parts import norms\n"]
)
def test_a_module_beside_those_that_a_distributed_package_imports_itself_is_left_alone(
    text: str,
) -> None:
    distribute()
    write("nets/parts/norms.py", "class Norm:\n    pass\n")
    write("nets/model.py", text)
    assert paths_with("ROC204") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nets/parts/__init__.py", "from .blocks import Block\n"),
        ("nets/model.py", "from nets.parts.blocks import Block\n\nBlock()\n"),
        ("tests/test_blocks.py", "from nets.parts.blocks import Block\n"),
        ("README.md", "`from nets.parts.blocks import Block`\n"),
    ],
)
def test_a_module_that_a_distributed_package_offers_or_tests_is_judged(
    name: str, text: str
) -> None:
    distribute()
    write("nets/parts/norms.py", "class Norm:\n    pass\n")
    write("nets/other.py", "from nets.parts.norms import Norm\n")
    write(name, text)
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


def test_a_test_is_found_by_its_name_alone() -> None:
    write("nets/parts/blocks.py", "")
    write("tests/test_blocks.py", GONE)
    assert paths_with("ROC204") == ["tests/test_blocks.py"]


def test_a_module_that_a_notebook_imports_is_judged() -> None:
    source = '"source": ["from nets.parts.blocks import Block"]'
    write("show.ipynb", f'{{"cells": [{{"cell_type": "code", {source}}}]}}')
    assert paths_with("ROC204") == ["nets/parts/blocks.py"]


DEMO = "from nets.parts.blocks import Block\n\nif __name__ == '__main__':\n    Block()\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "Run `python tools/train.py`.\n"),
        ("run.sh", "python -m tools.train\n"),
        ("tools/launch.sh", "torchrun $ROOT/tools/train.py\n"),
        ("other/README.md", "Run `python demo.py`, or `python tools/train.py`.\n"),
    ],
)
def test_a_module_of_a_program_that_nobody_is_told_to_run_is_left_alone(
    name: str, text: str
) -> None:
    write("tools/train.py", "if __name__ == '__main__':\n    print()\n")
    write("tools/demo.py", DEMO)
    write(name, text)
    assert paths_with("ROC204") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "Train well.\n"),
        ("README.md", "Run `python tools/train.py`, then `python ./tools/demo.py`.\n"),
        ("README.md", "Run `tools/train.py`. There is a `demo.py`, too.\n"),
        ("run.sh", "python tools/train.py\npython -m tools.demo --fast\n"),
        ("tools/train.py", "import demo\n\nif __name__ == '__main__':\n    demo.Block()\n"),
        (
            "main.py",
            "run('tools/demo.py')\nif __name__ == '__main__':\n    run('tools/train.py')\n",
        ),
        ("demo.py", DEMO),
        ("tests/test_demo.py", DEMO),
    ],
    ids=[
        "none is told of",
        "told",
        "by its name",
        "as a module",
        "imported",
        "by code",
        "in the root",
        "a test",
    ],
)
def test_a_module_of_a_program_that_the_project_runs_is_judged(name: str, text: str) -> None:
    write("tools/train.py", "if __name__ == '__main__':\n    print()\n")
    write("tools/demo.py", DEMO)
    write("README.md", "Run `python tools/train.py`.\n")
    write(name, text)
    assert "nets/parts/blocks.py" in paths_with("ROC204")
