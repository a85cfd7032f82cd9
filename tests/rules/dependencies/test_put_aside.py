"""What a project keeps for reference alone is left alone."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from rocmlint.cli.main import main
from tests.support.repositories import GONE, paths_with, write

PROGRAM = f"{GONE}\n\nif __name__ == '__main__':\n    print(LossKwargs)\n"
FOLDERS = ["legacy", "archive/runs", "old_training_scripts", "scripts/deprecated"]


def tiers() -> list[str]:
    return [each.severity for each in lint_paths(["."], options={"select": ["ROC204"]})]


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers==5.0.0\n")
    write("README.md", "`legacy/`, `archive/` and `old_training_scripts/`: for reference only.\n")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_program_in_a_folder_that_is_put_aside_is_left_alone(folder: str) -> None:
    write(f"{folder}/train.py", PROGRAM)
    write(f"{folder}/run.sh", f"python {folder}/train.py\n")
    assert tiers() == []


@pytest.mark.parametrize("name", ["train_old.py", "old_train.py", "scripts/train_backup.py"])
def test_so_is_a_file_that_is_called_so(name: str) -> None:
    write(name, PROGRAM)
    assert tiers() == []


def test_so_is_one_that_says_at_its_top_that_it_is_deprecated() -> None:
    write("train.py", f'"""THIS SCRIPT IS DEPRECATED: use run.py."""\n\n{PROGRAM}')
    assert tiers() == []


@pytest.mark.parametrize("name", ["train.py", "cold/train.py", "legacy_train.py", "golden.py"])
def test_a_file_with_another_name_is_judged(name: str) -> None:
    write(name, PROGRAM)
    assert paths_with("ROC204") == [name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", "from legacy.train import LossKwargs\n"),
        ("train.py", "from . import legacy\n"),
        ("train.py", "subprocess.run(['python', 'legacy/train.py'])\n"),
        ("run.sh", "python legacy/train.py\n"),
        (".github/workflows/ci.yml", "run: python legacy/train.py\n"),
        ("README.md", "```\npython legacy/train.py --epochs 3\n```\n"),
    ],
)
def test_a_folder_that_something_outside_uses_is_judged(name: str, text: str) -> None:
    write("legacy/train.py", PROGRAM)
    write(name, text)
    assert "legacy/train.py" in paths_with("ROC204")


def test_what_a_package_that_users_install_calls_so_is_judged() -> None:
    write("setup.py", "from setuptools import setup\n\nsetup(name='nets')\n")
    write("nets/__init__.py", "")
    write("nets/legacy/train.py", PROGRAM)
    assert paths_with("ROC204") == ["nets/legacy/train.py"]


def test_so_is_a_project_whose_readme_says_that_nobody_maintains_it() -> None:
    write("README.md", "# Lab\n\nNOTE: This project is not currently maintained.\n")
    write("train.py", PROGRAM)
    assert tiers() == []


@pytest.mark.parametrize("named", ["archive", "archive/v", "archive/v/Dockerfile"])
def test_an_archive_that_is_named_is_linted_as_other_code(
    named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("archive/v/Dockerfile", "FROM rocm/pytorch:latest\nRUN pip install torch==2.4\n")
    write("archive/v/train.py", PROGRAM)
    main(["--isolated", "--no-cache", "--output-format", "concise", named])
    found = capsys.readouterr().out
    assert "archive/v/Dockerfile:2:17: ROC201" in found
    assert ("archive/v/train.py" in found) is (named != "archive/v/Dockerfile")
    main(["--isolated", "--no-cache", "."])
    assert capsys.readouterr().out == ""


MIT = "MIT License\n\nCopyright (c) 2026 Ann Lee\n"


@pytest.mark.parametrize(
    ("of_copy", "runs", "expected"),
    [
        ("Apache License\n", "", []),
        ("MIT License\n\nCopyright (c) 2023 Bo Ray\n", "", []),
        (MIT, "", ["error"]),
        ("Apache License\n", "python trainer/gen_img.py\n", ["error"]),
    ],
)
def test_what_nothing_names_of_a_copied_project_is_left_alone(
    of_copy: str, runs: str, expected: list[str]
) -> None:
    write("LICENSE", MIT)
    write("start.sh", runs)
    write("trainer/LICENSE.md", of_copy)
    write("trainer/README.md", "Run `python gen_img.py`.\n")
    write("trainer/gen_img.py", PROGRAM)
    assert tiers() == expected


def test_parts_that_each_have_the_same_license_are_no_copies() -> None:
    for name in ("bert", "llama"):
        write(f"blogs/{name}/LICENSE", MIT)
        write(f"blogs/{name}/README.md", "# Blog\n")
        write(f"blogs/{name}/train.py", PROGRAM)
    assert tiers() == ["error", "error"]
