"""Paths in reports for forges: relative to the repository, from wherever rocmlint runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from rocmlint.findings import Finding
from rocmlint.report import Report
from rocmlint.report.place import path_in, repository_root
from tests.support.reports import rendered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Laid = Callable[..., Path]


@pytest.fixture
def laid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Laid:
    """Return what makes folders (``.git`` in some) and files, and works in one of them."""

    def lay(*names: str, work_in: str = "repository", **variables: str) -> Path:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(exist_ok=True) if path.name == ".git" else path.touch()
        (tmp_path / work_in).mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(tmp_path / work_in)
        for name, folder in variables.items():
            monkeypatch.setenv(name, str(tmp_path / folder))
        return tmp_path.resolve()

    return lay


def written(path: str) -> str:
    return path_in(repository_root(), path)


# The root


def test_a_job_in_a_folder_of_the_repository_names_paths_from_its_root(laid: Laid) -> None:
    laid("repository/.git", work_in="repository/sub/deeper")
    assert written("train.py") == "sub/deeper/train.py"
    assert written("../train.py") == "sub/train.py"


def test_outside_of_a_repository_paths_are_relative_to_the_working_folder(laid: Laid) -> None:
    laid(work_in="unpacked")
    assert written("src/train.py") == "src/train.py"
    assert written("src/./x/../train.py") == "src/train.py"


def test_a_worktree_or_submodule_has_a_file_called_git(laid: Laid) -> None:
    root = laid("worktree/.git", work_in="worktree/src")
    (root / "worktree" / ".git").rmdir()
    (root / "worktree" / ".git").write_text("gitdir: /elsewhere\n")
    assert written("train.py") == "src/train.py"


@pytest.mark.parametrize(
    "variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY"]
)
def test_a_checkout_without_git_is_named_by_the_job(laid: Laid, variable: str) -> None:
    laid(work_in="checkout/sub", **{variable: "checkout"})
    assert written("train.py") == "sub/train.py"


def test_a_submodule_is_part_of_the_checkout_of_the_job(laid: Laid) -> None:
    names = ("checkout/.git", "checkout/third/.git")
    laid(*names, work_in="checkout/third", GITHUB_WORKSPACE="checkout")
    assert written("train.py") == "third/train.py"


def test_without_a_job_a_submodule_is_a_repository_of_its_own(laid: Laid) -> None:
    laid("checkout/.git", "checkout/third/.git", work_in="checkout/third")
    assert written("train.py") == "train.py"


def test_a_repository_that_is_checked_out_below_the_workspace_is_the_root(laid: Laid) -> None:
    laid("workspace/code/.git", work_in="workspace/code/src", GITHUB_WORKSPACE="workspace")
    assert written("train.py") == "src/train.py"


def test_the_checkout_is_the_root_for_a_job_that_works_outside_of_it(laid: Laid) -> None:
    root = laid("checkout/src/train.py", work_in="elsewhere", CI_PROJECT_DIR="checkout")
    assert written(str(root / "checkout" / "src" / "train.py")) == "src/train.py"


def test_the_checkout_of_an_outer_job_says_nothing_about_another_repository(laid: Laid) -> None:
    laid("other/.git", work_in="other/src", GITHUB_WORKSPACE="checkout")
    assert written("train.py") == "src/train.py"


def test_a_folder_with_the_same_beginning_is_another_folder(laid: Laid) -> None:
    root = laid("repository/.git", "repository-2/train.py")
    path = str(root / "repository-2" / "train.py")
    assert written("../repository-2/train.py") == path


# Files and links


def test_absolute_paths_are_relative_inside_and_absolute_outside(laid: Laid) -> None:
    root = laid("repository/.git")
    assert written(str(root / "repository" / "src" / "train.py")) == "src/train.py"
    assert written(str(root / "data" / "train.py")) == str(root / "data" / "train.py")


def test_a_repository_reached_through_a_link_is_the_same_one(laid: Laid) -> None:
    root = laid("repository/.git", "repository/src/train.py", work_in="elsewhere")
    (root / "link").symlink_to(root / "repository", target_is_directory=True)
    assert path_in(str(root / "repository"), "../link/src/train.py") == "src/train.py"


def test_a_file_behind_a_link_is_named_as_git_knows_it(laid: Laid) -> None:
    root = laid("repository/.git", "repository/lib/a.py", "data/b.py")
    here = root / "repository"
    (here / "folder").symlink_to(here / "lib", target_is_directory=True)
    (here / "a.py").symlink_to(here / "lib" / "a.py")
    (here / "b.py").symlink_to(root / "data" / "b.py")
    (here / "outside").symlink_to(root / "data", target_is_directory=True)
    assert written("folder/a.py") == "lib/a.py"
    assert written("a.py") == "lib/a.py"
    assert written("b.py") == "b.py"
    assert written("outside/b.py") == str(here / "outside" / "b.py")


# The formats


@pytest.mark.parametrize("name", ["azure", "github", "gitlab", "sarif"])
def test_formats_for_forges_name_paths_in_the_repository(laid: Laid, name: str) -> None:
    root = laid("repository/.git", work_in="repository/sub")
    found = [Finding("train.py", 1, 1, 1, 2, "ROC501", "name", "message")]
    output = rendered(name, Report(found, 1))
    assert "sub/train.py" in output
    assert name == "sarif" or str(root) not in output


@pytest.mark.parametrize("path", ["train.py", "/outside/train.py"])
def test_sarif_says_where_its_base_is_so_that_each_uri_leads_to_the_file(
    laid: Laid, path: str
) -> None:
    root = laid("we ird/.git", work_in="we ird/sub")
    found = [Finding(path, 1, 1, 1, 2, "ROC501", "name", "message")]
    (run,) = json.loads(rendered("sarif", Report(found, 1)))["runs"]
    (place,) = run["results"][0]["locations"]
    artifact = place["physicalLocation"]["artifactLocation"]
    base = run["originalUriBaseIds"].get(artifact.get("uriBaseId"), {"uri": ""})
    leads_to = unquote(urlsplit(base["uri"] + artifact["uri"]).path)
    assert leads_to == str(root / "we ird" / "sub" / path)


def test_fingerprints_are_the_same_from_any_folder_of_the_repository(
    laid: Laid, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = laid("repository/.git", "repository/sub/train.py")

    def fingerprint(path: str) -> str:
        report = Report([Finding(path, 1, 1, 1, 2, "ROC501", "name", "message")], 1)
        return str(json.loads(rendered("gitlab", report))[0]["fingerprint"])

    from_root = fingerprint("sub/train.py")
    absolute = str(root / "repository" / "sub" / "train.py")
    monkeypatch.chdir(root / "repository" / "sub")
    assert fingerprint("train.py") == fingerprint(absolute) == from_root
