"""Functions and methods that nothing in the project calls or names are left alone."""

from __future__ import annotations

import pytest

from tests.support.repositories import paths_with, write

CHECK = "torch.version.cuda is not None and torch.cuda.is_bf16_supported()"
LATE = f"""\
import torch


def build():
    return {CHECK}


def other():
    return 1
"""


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("nets/blocks.py", LATE)
    write("train.py", "from nets.blocks import other\n\nif __name__ == '__main__':\n    other()\n")


@pytest.mark.parametrize(
    "text", ["", "# from nets.blocks import build\n# build()\n", "def rebuild():\n    pass\n"]
)
def test_a_function_whose_only_calls_are_commented_out_is_left_alone(text: str) -> None:
    write("more.py", text)
    assert paths_with("ROC302") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("more.py", "from nets.blocks import build\n\nbuild()\n"),
        ("more.py", "getattr(blocks, 'build')()\n"),
        ("nets/blocks.py", f"{LATE}\n\nTABLE = {{'build': build}}\n"),
        ("nets/blocks.py", LATE.replace("def build", "@registered\ndef build")),
        ("run.sh", "python -c 'from nets.blocks import build; build()'\n"),
        ("show.ipynb", '{"cells": [{"cell_type": "code", "source": ["build()"]}]}'),
        ("nets/blocks.py", LATE.replace("build", "test_build")),
    ],
)
def test_a_function_that_something_calls_or_names_is_judged(name: str, text: str) -> None:
    write(name, text)
    assert "nets/blocks.py" in paths_with("ROC302")


def test_a_function_of_a_project_without_programs_is_judged() -> None:
    write("train.py", "from nets.blocks import other\n\nother()\n")
    assert paths_with("ROC302") == ["nets/blocks.py"]


METHOD = f"""
import torch

class Net{{base}}:
    def build(self):
        return {CHECK}
"""


@pytest.mark.parametrize("base", ["", "()", "(object)"])
def test_a_method_that_nothing_calls_is_left_alone(base: str) -> None:
    write("nets/blocks.py", METHOD.format(base=base))
    assert paths_with("ROC302") == []


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
    assert paths_with("ROC302") == ["nets/blocks.py"]
