"""Which Python files that cannot be parsed are reported: those that somebody means to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = "import os\n\nif os.name == 'posix'\n    print(os.getcwd(\n\n\ndef main():\n    pass\n"
TORCH = PLAIN.replace("os\n", "os\nimport torch\n", 1)
FRAGMENT = "import torch\n\n\ndef load(path):\n    # Load the weights\n    return torch.load(\n"
OTHER = "print('other')\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository with another program."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "other.py").write_text(OTHER)
    return tmp_path


def write(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def is_told(root: Path, path: str, text: str, *, check_syntax: bool = False) -> bool:
    file = write(root, path, text)
    linter = Linter(Configuration({"check-syntax": check_syntax}).settings_for(str(root)))
    return "ROC900" in [each.code for each in linter.lint_text(str(file), text).findings]


def test_a_file_that_nothing_names_or_imports_is_told_with_check_syntax_alone(root: Path) -> None:
    assert not is_told(root, "tools/cut.py", PLAIN)
    assert is_told(root, "tools/cut.py", PLAIN, check_syntax=True)


def test_the_only_program_is_told(root: Path) -> None:
    (root / "other.py").unlink()
    write(root, "setup.py", OTHER)
    write(root, "tests/test_cut.py", OTHER)
    assert is_told(root, "cut.py", PLAIN)


@pytest.mark.parametrize(
    ("where", "text", "told"),
    [
        ("README.md", "Run `python tools/cut.py`.\n", True),
        ("README.md", "├── tools\n│   └── cut.py\n", True),
        ("tools/README.md", "python cut.py\n", True),
        ("run.sh", "cd tools && python -u cut.py --all\n", True),
        ("run.sh", "python $ROOT/tools/cut.py\n", True),
        ("run.bat", "python tools\\cut.py\n", True),
        ("run.sh", "python -m tools.cut\n", True),
        ("pyproject.toml", "[project.scripts]\ncut = 'tools.cut:main'\n", True),
        ("README.md", "python tools/uncut.py\n", False),
        ("README.md", "python other/cut.py\n", False),
        ("README.md", "A cut is made.\n", False),
        ("docs/README.md", "python cut.py\n", False),
    ],
)
def test_a_file_is_told_that_a_text_of_the_project_names(
    root: Path, where: str, text: str, told: bool
) -> None:
    write(root, where, text)
    assert is_told(root, "tools/cut.py", PLAIN) is told


def test_of_a_name_alone_the_nearest_file_is_meant(root: Path) -> None:
    write(root, "README.md", "python cut.py\n")
    write(root, "cut.py", OTHER)
    assert not is_told(root, "tools/cut.py", PLAIN)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("from tools.cut import main", True),
        ("from .tools import first, cut", True),
        ("import tools.cut as cut", True),
        ("    from cut import main", True),
        ("from tools.uncut import main", False),
        ("open('tools/cut.py').read()", False),
    ],
)
def test_a_module_that_another_imports_is_told(root: Path, line: str, told: bool) -> None:
    write(root, "other.py", f"if True:\n{line}\n")
    assert is_told(root, "tools/cut.py", PLAIN) is told


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("tools/cut.py", TORCH, True),
        ("tools/cut.py", FRAGMENT, False),
        ("tools/cut.py", FRAGMENT.replace("def", "x = 1\n" * 40 + "def"), True),
        ("data/cut.py", TORCH, False),
        ("sec_eval/eval_data/cut.py", TORCH, False),
        ("database/cut.py", TORCH, True),
        ("tools/cut.py", f'"""This script is deprecated."""\n{TORCH}', False),
        ("tools/cut.py", TORCH.replace("import torch", "import torchless"), False),
    ],
)
def test_a_file_with_a_package_that_rules_know_is_told_if_it_does_not_look_like_data(
    root: Path, path: str, text: str, told: bool
) -> None:
    assert is_told(root, path, text) is told


def test_files_of_one_name_in_numbered_folders_are_samples(root: Path) -> None:
    write(root, "README.md", "Each sample has a complete.py.\n")
    for number in range(3):
        write(root, f"cases/{number}-py/complete.py", TORCH)
    assert not is_told(root, "cases/1-py/complete.py", TORCH)
    assert is_told(root, "cases/1-js/complete.py", TORCH)
