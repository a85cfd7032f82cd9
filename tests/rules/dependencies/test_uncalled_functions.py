"""Functions that nothing in the project calls or names are left alone."""

from __future__ import annotations

import pytest

from tests.support.repositories import GONE, paths_with, write

LATE = f"def build():\n    {GONE}\n    return LossKwargs\n\n\ndef other():\n    return 1\n"


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers==5.0.0\n")
    write("nets/blocks.py", LATE)
    write("train.py", "from nets.blocks import other\n\nif __name__ == '__main__':\n    other()\n")


@pytest.mark.parametrize(
    "text", ["", "# from nets.blocks import build\n# build()\n", "def rebuild():\n    pass\n"]
)
def test_a_function_whose_only_calls_are_commented_out_is_left_alone(text: str) -> None:
    write("more.py", text)
    assert paths_with("ROC204") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("more.py", "from nets.blocks import build\n\nbuild()\n"),
        ("more.py", "getattr(blocks, 'build')()\n"),
        ("nets/blocks.py", f"{LATE}\n\nTABLE = {{'build': build}}\n"),
        ("nets/blocks.py", f"@registered\n{LATE}"),
        ("run.sh", "python -c 'from nets.blocks import build; build()'\n"),
        ("show.ipynb", '{"cells": [{"cell_type": "code", "source": ["build()"]}]}'),
        ("nets/blocks.py", LATE.replace("build", "test_build")),
    ],
)
def test_a_function_that_something_calls_or_names_is_judged(name: str, text: str) -> None:
    write(name, text)
    assert "nets/blocks.py" in paths_with("ROC204")


def test_a_function_of_a_package_that_users_install_is_judged() -> None:
    write("setup.py", "from setuptools import setup\n\nsetup(name='nets')\n")
    write("nets/__init__.py", "")
    assert paths_with("ROC204") == ["nets/blocks.py"]


BUILT = "from setuptools import setup\n\nsetup(name='nets')\n"


@pytest.mark.parametrize(
    ("offers", "codes"),
    [
        ("from .blocks import other\n\n__all__ = ['other']\n", []),
        ("from nets.blocks import (\n    other,\n)\n", []),
        ("from .blocks import build, other\n", ["nets/blocks.py"]),
        ("from .blocks import *\n", ["nets/blocks.py"]),
        ("from . import blocks\n", ["nets/blocks.py"]),
        ("from .more import other\n", ["nets/blocks.py"]),
    ],
)
def test_a_function_counts_of_which_a_package_does_not_offer_what_is_beside_it(
    offers: str, codes: list[str]
) -> None:
    write("setup.py", BUILT)
    write("nets/__init__.py", offers)
    write("nets/more.py", "def other():\n    pass\n")
    assert paths_with("ROC204") == codes


def test_a_method_of_a_class_that_a_package_offers_is_judged() -> None:
    write("setup.py", BUILT)
    write("nets/__init__.py", "from .blocks import Net\n")
    write("nets/blocks.py", METHOD.format(base=""))
    assert paths_with("ROC204") == ["nets/blocks.py"]


def test_a_function_of_a_project_without_programs_is_judged() -> None:
    write("train.py", "from nets.blocks import other\n\nother()\n")
    assert paths_with("ROC204") == ["nets/blocks.py"]


METHOD = f"""
class Net{{base}}:
    def build(self):
        {GONE}
        return LossKwargs
"""


@pytest.mark.parametrize("base", ["", "()", "(object)"])
def test_a_method_that_nothing_calls_is_left_alone(base: str) -> None:
    write("nets/blocks.py", METHOD.format(base=base))
    assert paths_with("ROC204") == []


@pytest.mark.parametrize(
    ("text", "use"),
    [
        (METHOD.format(base=""), "Net().build()\n"),
        (METHOD.format(base="(Base)"), "Net().fit()\n"),
        (METHOD.format(base="").replace("build", "forward"), "Net()()\n"),
        (METHOD.format(base="").replace("    def", "    @property\n    def"), "Net()\n"),
    ],
    ids=["called", "perhaps by its base", "by convention", "decorated"],
)
def test_a_method_that_something_may_call_is_judged(text: str, use: str) -> None:
    write("nets/blocks.py", text)
    write("more.py", use)
    assert paths_with("ROC204") == ["nets/blocks.py"]


OF_TESTS = f"""
import unittest

class TestNet(unittest.TestCase):
    def {{name}}(self):
        {GONE}
        self.assertTrue(LossKwargs)
"""


@pytest.mark.parametrize(
    ("name", "is_judged"),
    [
        ("compare_with_others", False),
        ("test_others", True),
        ("setUp", True),
        ("asyncSetUp", True),
        ("setup_method", True),
    ],
)
def test_of_a_class_of_tests_only_what_its_runner_calls_is_judged(
    name: str, *, is_judged: bool
) -> None:
    write("tests/test_net.py", OF_TESTS.format(name=name))
    assert paths_with("ROC204") == ["tests/test_net.py"] * is_judged


def test_a_method_that_a_test_calls_is_judged() -> None:
    called = "\n    def test_it(self):\n        self.compare_with_others()\n"
    write("tests/test_net.py", OF_TESTS.format(name="compare_with_others") + called)
    assert paths_with("ROC204") == ["tests/test_net.py"]


@pytest.mark.parametrize("setting", ["python_functions = compare_*", 'python_classes = ["Check"]'])
def test_of_projects_that_name_their_tests_themselves_all_is_judged(setting: str) -> None:
    write("pytest.ini", f"[pytest]\n{setting}\n")
    write("tests/test_net.py", OF_TESTS.format(name="compare_with_others"))
    assert paths_with("ROC204") == ["tests/test_net.py"]


def write_package(other: str) -> None:
    """Make a package that users install, with a function in a module that it imports itself."""
    write("setup.py", "from setuptools import setup\n\nsetup(name='nets')\n")
    write("nets/__init__.py", "")
    write("nets/cli.py", "from nets.patches.masks import apply\n")
    write("nets/patches/__init__.py", "")
    write("nets/patches/masks.py", "def apply():\n    pass\n")
    write("nets/patches/blocks.py", f"{LATE}\n\nVALUE = other()\n")
    write("nets/blocks.py", "")
    write("nets/more.py", other)


def test_a_function_of_a_module_that_only_its_package_imports_is_left_alone_if_uncalled() -> None:
    write_package("from nets.patches.blocks import VALUE\n")
    assert paths_with("ROC204") == []


def test_a_function_of_such_a_module_that_is_called_is_judged() -> None:
    write_package("from nets.patches.blocks import build\n\nbuild()\n")
    assert paths_with("ROC204") == ["nets/patches/blocks.py"]


def test_a_patch_in_a_function_that_nothing_calls_is_left_alone() -> None:
    imported = "from transformers.models.llama import modeling_llama"
    patch = f"def hijack():\n    {imported}\n    modeling_llama._expand_mask = other\n"
    text = f"def other(mask):\n    return mask\n\n\n{patch}"
    write_package("from nets.patches.blocks import other\n")
    write("nets/patches/blocks.py", text)
    assert paths_with("ROC207") == []
    write("nets/more.py", "from nets.patches.blocks import hijack\n\nhijack()\n")
    assert paths_with("ROC207") == ["nets/patches/blocks.py"]
