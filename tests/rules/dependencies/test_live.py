"""What nothing runs is left alone: copies, trials, modules of projects beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.repositories import GONE, lint, paths_with, write

PROGRAM = f"{GONE}\n\nif __name__ == '__main__':\n    print(LossKwargs)\n"
TEST = f"{GONE}\n\ndef test_loss():\n    assert LossKwargs\n"
AT_HOME = f"{TEST}\nMODEL = '/home/me/models/llama'\n"
LATE = f"class Model:\n    def set_vocab(self):\n        {GONE}\n        return LossKwargs\n"


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers==5.0.0\n")
    write("main.py", "if __name__ == '__main__':\n    print()\n")


def test_a_module_whose_only_imports_are_commented_out_is_left_alone() -> None:
    write("nets/blocks.py", GONE)
    write("train.py", "# from nets.blocks import LossKwargs\nprint()\n")
    assert paths_with("ROC204") == []


def test_so_is_one_of_a_folder_that_is_no_repository() -> None:
    Path(".git").rmdir()
    write("nets/blocks.py", GONE)
    assert paths_with("ROC204") == []


def test_a_file_that_is_linted_alone_in_no_project_is_judged() -> None:
    Path(".git").rmdir()
    Path("requirements.txt").unlink()
    needs = '# /// script\n# dependencies = ["transformers==5.0.0"]\n# ///\n'
    assert [each.code for each in lint(needs + GONE, "nets/blocks.py")] == ["ROC204"]


def test_a_package_in_the_root_is_a_plugin_which_its_host_imports() -> None:
    write("__init__.py", GONE)
    assert paths_with("ROC204") == ["__init__.py"]


def write_heap(**texts: str) -> None:
    """Write projects beside each other, one of which has a module that nothing imports."""
    Path("requirements.txt").unlink()
    write("quant/requirements.txt", "transformers==5.0.0\n")
    write("quant/utils/modeling.py", GONE)
    for name, text in texts.items():
        write(f"other/{name}", text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("load.py", "from importlib.util import spec_from_file_location\n"),
        ("README.md", "Copy `other/modeling.py`, then run `run.py`.\n"),
        ("run.py", "# from modeling import Model\nprint()\n"),
    ],
    ids=["loads what is there", "names its own", "commented out"],
)
def test_what_another_project_beside_does_keeps_no_module_alive(name: str, text: str) -> None:
    write_heap(**{name: text})
    assert paths_with("ROC204") == []


def test_a_module_that_another_project_beside_names_by_its_folder_is_judged() -> None:
    write_heap(**{"README.md": "Run `python quant/utils/modeling.py`.\n"})
    assert paths_with("ROC204") == ["quant/utils/modeling.py"]


@pytest.mark.parametrize("name", ["tests/test_loss.py", "examples/finetune.py"])
def test_a_test_or_an_example_for_one_machine_is_left_alone(name: str) -> None:
    write(name, AT_HOME)
    assert paths_with("ROC204") == []


@pytest.mark.parametrize(
    ("name", "text", "other", "said"),
    [
        ("tests/test_loss.py", TEST, "README.md", "Train well.\n"),
        ("tests/test_loss.py", AT_HOME, "README.md", "Run `pytest tests/test_loss.py`.\n"),
        ("tests/test_loss.py", AT_HOME, "run.sh", "python tests/test_loss.py\n"),
        ("tools/train.py", f"{AT_HOME}\nprint()\n", "README.md", "Train well.\n"),
        ("tests/test_loss.py", f"{TEST}\nURL = '/api/v1/models'\n", "README.md", "Train well.\n"),
    ],
    ids=["for every machine", "documented", "in a script", "no test", "no path"],
)
def test_others_are_judged(name: str, text: str, other: str, said: str) -> None:
    write(name, text)
    write(other, said)
    assert paths_with("ROC204") == [name]


def test_a_program_that_is_called_a_test_is_judged_if_something_names_it() -> None:
    write("train_test.py", PROGRAM)
    assert paths_with("ROC204") == []
    write("README.md", "Run `train_test.py` first.\n")
    assert paths_with("ROC204") == ["train_test.py"]


def test_a_function_of_a_script_that_belongs_to_another_project_is_left_alone() -> None:
    called = f"{LATE}\n\nif __name__ == '__main__':\n    Model().set_vocab()\n"
    write("misc/convert_hf_to_gguf.py", called)
    write("patches/loader.py", called)
    write("install.sh", "git clone https://github.com/a/b\ncp patches/loader.py b/\n")
    assert paths_with("ROC204") == []
    write("misc/convert_hf_to_gguf.py", PROGRAM)
    write("install.sh", "python patches/loader.py\n")
    assert paths_with("ROC204") == ["misc/convert_hf_to_gguf.py", "patches/loader.py"]


def test_tests_of_a_project_in_a_folder_are_judged_if_this_one_runs_tests() -> None:
    write("gptq/setup.py", "from setuptools import setup\n\nsetup(name='gptq')\n")
    write("gptq/tests/test_loss.py", TEST)
    write("gptq/README.md", "Run `pytest tests`.\n")
    assert paths_with("ROC204") == []
    write(".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: pytest gptq\n")
    assert paths_with("ROC204") == ["gptq/tests/test_loss.py"]


MIT = "MIT License\n\nCopyright (c) 2026 Ann Lee\n"


@pytest.mark.parametrize(
    ("of_copy", "runs", "expected"),
    [
        ("Apache License\n", "", []),
        ("MIT License\n\nCopyright (c) 2023 Bo Ray\n", "", []),
        (MIT, "", ["trainer/gen_img.py"]),
        ("Apache License\n", "python trainer/gen_img.py\n", ["trainer/gen_img.py"]),
    ],
)
def test_of_a_copied_project_what_something_outside_of_it_names_is_judged(
    of_copy: str, runs: str, expected: list[str]
) -> None:
    write("LICENSE", MIT)
    write("start.sh", runs)
    write("trainer/LICENSE.md", of_copy)
    write("trainer/README.md", "Run `python gen_img.py`.\n")
    write("trainer/gen_img.py", PROGRAM)
    assert paths_with("ROC204") == expected


def test_parts_that_each_have_the_same_license_are_no_copies() -> None:
    for name in ("bert", "llama"):
        write(f"blogs/{name}/LICENSE", MIT)
        write(f"blogs/{name}/README.md", "# Blog\n")
        write(f"blogs/{name}/train.py", PROGRAM)
    assert paths_with("ROC204") == ["blogs/bert/train.py", "blogs/llama/train.py"]
