"""Archives of other repositories are left out of a project that runs nothing in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.discovery.discover import Discovery, discover

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = {
    "EsmTherm-main/README.md": "# EsmTherm",
    "EsmTherm-main/setup.py": "setup(name='esmtherm')",
    "EsmTherm-main/train.py": "",
    "EsmTherm-main/src/esmtherm/model.py": "",
    "EsmTherm-main/data/proteins.csv": "",
}
"""As RLHF-PLM holds it beside its own code, for a checkpoint."""
PROJECT = {"README.md": "# RLHF for proteins", "amp_design/ppo.py": ""}


def discovered(root: Path, files: dict[str, str], path: str = ".") -> Discovery:
    for name, text in files.items():
        written = root / name
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(text)
    return discover([str(root / path)], lambda _: Settings(root=str(root)))


def test_an_archive_of_which_nothing_runs_is_left_out_and_named_in_one_line(tmp_path: Path) -> None:
    discovery = discovered(tmp_path, ARCHIVE | PROJECT)
    files = [each.path.removeprefix(f"{tmp_path}/") for each in discovery.files]
    assert files == ["README.md", "amp_design/ppo.py"]
    said = "not linted: an unpacked archive of EsmTherm; name the directory to lint it"
    assert discovery.remarks == [f"{tmp_path}/EsmTherm-main: {said}"]


def test_an_archive_that_is_named_itself_is_linted(tmp_path: Path) -> None:
    assert discovered(tmp_path, ARCHIVE | PROJECT, "EsmTherm-main").remarks == []


@pytest.mark.parametrize("name", ["ToxDL2-master", f"ToxDL2-{'4f' * 20}"])
def test_an_archive_of_a_branch_or_a_commit_needs_no_project_file(
    name: str, tmp_path: Path
) -> None:
    files = {f"{name}/README.md": "# ToxDL 2.0", f"{name}/src/utils.py": ""}
    assert "an unpacked archive of ToxDL2;" in discovered(tmp_path, PROJECT | files).remarks[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.slurm", "python train.py --data EsmTherm-main/data\n"),
        ("train.py", "checkpoint = root / 'EsmTherm-main/output_dir/checkpoint-best'\n"),
        ("train.py", '"""Based on EsmTherm-main/train.py, with a head of our own."""\n'),
        ("train.py", "# Taken from `EsmTherm-main/src/esmtherm/model.py`.\n"),
        ("docs/data.md", "**Solution:** Ensure EsmTherm-main is in the correct location.\n"),
        ("docs/tree.md", "```\n├── EsmTherm-main/\n└── amp_design/\n```\n"),
        ("requirements.txt", "# For EsmTherm, to tell how stable a protein is\ntorch>=2.5\n"),
        ("train.py", "checkpoint = 'weights/OldEsmTherm-main-2/model.pt'\n"),
    ],
    ids=[
        "data",
        "checkpoint",
        "based on",
        "taken from",
        "told",
        "a tree",
        "a list",
        "another name",
    ],
)
def test_what_reads_data_of_an_archive_or_tells_of_it_runs_nothing(
    name: str, text: str, tmp_path: Path
) -> None:
    assert len(discovered(tmp_path, ARCHIVE | PROJECT | {name: text}).remarks) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", "import sys\nsys.path.append('EsmTherm-main')\n"),
        ("train.py", "import sys\nsys.path.append(str(root / 'EsmTherm-main' / 'src'))\n"),
        ("train.py", "run([sys.executable, 'EsmTherm-main/train.py'])\n"),
        ("run.sh", "cd EsmTherm-main && python train.py\n"),
        ("docs/setup.md", "```\npip install -e ./EsmTherm-main\n```\n"),
        ("demo.ipynb", '{"cells": [{"source": ["%run EsmTherm-main/train.py"]}]}'),
        ("Dockerfile", "COPY EsmTherm-main /app\n"),
        ("README.md", "# RLHF\nOur code is in [EsmTherm](EsmTherm-main/).\n"),
        ("README.md", "# EsmTherm: stable proteins\n"),
        ("README.md", "# ESM Therm\n"),
        ("setup.py", "setup(name='esmtherm')\n"),
    ],
)
def test_an_archive_that_the_project_imports_runs_or_is_about_is_linted(
    name: str, text: str, tmp_path: Path
) -> None:
    assert discovered(tmp_path, ARCHIVE | PROJECT | {name: text}).remarks == []


@pytest.mark.parametrize(
    "files",
    [
        ARCHIVE,
        ARCHIVE | {"README.md": "# My thesis"},
        ARCHIVE | {"README.md": "# My thesis", "ToxDL2-main/README.md": "", "ToxDL2-main/a.py": ""},
        ARCHIVE | {"stray.py": ""},
        PROJECT | {"configs-main/train.py": "", "FLUX.1-dev/README.md": "", "FLUX.1-dev/a.py": ""},
        ARCHIVE | PROJECT | {"EsmTherm-main/.git/HEAD": ""},
    ],
    ids=["alone", "uploaded", "uploaded in parts", "downloads", "no archive", "a clone"],
)
def test_a_project_that_is_such_a_folder_itself_is_linted(
    files: dict[str, str], tmp_path: Path
) -> None:
    assert discovered(tmp_path, files).remarks == []
