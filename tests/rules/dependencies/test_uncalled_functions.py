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
        (
            "nets/blocks.py",
            f"class Net:\n    {LATE.partition('def other')[0]!s}".replace(
                "\n    from", "\n        from"
            ).replace("\n    return", "\n        return"),
        ),
    ],
)
def test_a_function_that_something_calls_or_names_is_judged(name: str, text: str) -> None:
    write(name, text)
    assert "nets/blocks.py" in paths_with("ROC204")


def test_a_function_of_a_package_that_users_install_is_judged() -> None:
    write("setup.py", "from setuptools import setup\n\nsetup(name='nets')\n")
    write("nets/__init__.py", "")
    assert paths_with("ROC204") == ["nets/blocks.py"]


def test_a_function_of_a_project_without_programs_is_judged() -> None:
    write("train.py", "from nets.blocks import other\n\nother()\n")
    assert paths_with("ROC204") == ["nets/blocks.py"]
