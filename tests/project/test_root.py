"""How far up a file's project reaches, with and without a repository around it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.config.settings import Settings
from rocmlint.lint.discovery import discover as discover_module
from rocmlint.lint.discovery import git_ignored
from rocmlint.lint.run import run
from rocmlint.source.file import project_of
from tests.support.repositories import GONE, lint, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _in_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder without a repository: what a ZIP, or COPY in a Dockerfile, leaves."""
    git_ignored.repository.cache_clear()
    monkeypatch.chdir(tmp_path)


def codes(*paths: str, **options: object) -> list[str]:
    """Lint as the command does."""
    settings = Configuration({"select": ["ROC204"], **options})
    return [each.path for each in run(paths, settings.settings_for).findings]


def root_of(path: str, root: str, linted: str = "") -> str:
    folders = project_of(path, Settings(root=root, linted=linted)).folders
    return os.path.relpath(folders[-1], linted or root)


def test_the_folder_that_is_linted_is_the_root_and_what_lies_between_counts() -> None:
    write("export/install.sh", "pip install transformers==4.50.0\n")
    write("export/model/setup.py", "from setuptools import setup\nsetup(name='model')\n")
    write("export/model/src/job.py", GONE)
    assert codes("export") == []
    write("export/install.sh", "pip install transformers==4.57.6\n")
    assert codes("export") == ["export/model/src/job.py"]


def test_of_two_folders_that_are_linted_each_is_the_root_of_its_own_files() -> None:
    for name, version in (("old", "4.50.0"), ("new", "4.57.6")):
        write(f"{name}/requirements.txt", f"transformers=={version}\n")
        write(f"{name}/src/job.py", GONE)
    assert codes("old", "new") == ["new/src/job.py"]


def test_of_two_folders_of_which_one_holds_the_other_the_outer_one_is_the_root() -> None:
    write("export/requirements.txt", "transformers==4.50.0\n")
    write("export/src/job.py", GONE)
    assert codes("export/src", "export") == codes("export", "export/src") == []


def test_the_folder_of_the_configuration_is_the_root_of_what_lies_in_it() -> None:
    write("export/rocmlint.toml", "")
    write("export/requirements.txt", "transformers==4.50.0\n")
    write("export/src/job.py", GONE)
    assert codes("export/src") == []
    assert codes("export/src/job.py") == []


def test_a_working_folder_with_the_mark_of_a_project_counts_as_configured() -> None:
    write("requirements.txt", "transformers==4.50.0\n")
    write("src/job.py", GONE)
    assert codes("src") == []


def test_a_working_folder_that_only_holds_the_linted_one_is_not_the_root(tmp_path: Path) -> None:
    write("export/job.py", GONE)
    linted = str(tmp_path / "export")
    assert root_of(f"{linted}/src/job.py", root=str(tmp_path), linted=linted) == "."


def test_a_file_that_is_named_itself_has_the_working_folder_as_its_root() -> None:
    write("README.md", "pip install transformers==4.50.0\n")
    assert lint(GONE, "src/job.py") == []


def test_a_file_outside_of_the_working_folder_has_its_own_folder_as_its_root(
    tmp_path: Path,
) -> None:
    assert root_of(str(tmp_path.parent / "job.py"), root=str(tmp_path)) == ".."


def test_a_repository_ends_the_project_whatever_is_linted() -> None:
    write("export/requirements.txt", "transformers==4.50.0\n")
    write("export/clone/.git/HEAD", "")
    write("export/clone/requirements.txt", "transformers==4.57.6\n")
    write("export/clone/src/job.py", GONE)
    assert codes("export") == ["export/clone/src/job.py"]


def test_in_a_repository_all_folders_share_one_set_of_settings(tmp_path: Path) -> None:
    """Else each named folder would load the rules, and read the cache, for itself."""
    write(".git/HEAD", "")
    write("one/job.py", GONE)
    write("two/job.py", GONE)
    git_ignored.repository.cache_clear()
    settings_for = Configuration().settings_for
    found = discover_module.discover(["one", "two"], settings_for).files
    assert {id(each.settings) for each in found} == {id(settings_for(str(tmp_path)))}
