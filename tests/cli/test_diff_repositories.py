"""``rocmlint diff`` in repositories of all kinds: odd, hostile, and without anything to compare."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.git import GitProject, branched, git
from tests.support.project import Project
from tests.support.scripts import CLEAN, UNSAFE
from tests.support.tools import needs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs("git")

OTHER = UNSAFE.replace("path", "name").replace("image", "picture")


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    """Return a project with one finding on ``main``, and a branch ``topic`` checked out."""
    return branched(tmp_path / "project")


# What git has in odd ways


@pytest.mark.skipif(os.name == "nt", reason="Windows does not allow these names")
def test_files_with_odd_names_are_compared(project: GitProject) -> None:
    names = ["a\nb.py", 'q"uote.py', "-dash.py", "tab\t.py", "spa ce.py", "b\udcffd.py", "ü.py"]
    for name in names:
        project.write(name, UNSAFE)
    project.commit()
    project.git("branch", "--force", "main")
    assert project.new() == []
    for name in names:
        (project.root / name).rename(project.root / f"moved {name}")
    assert project.new() == []


def test_export_ignore_hides_no_file_of_the_base(project: GitProject) -> None:
    project.git("checkout", "--quiet", "main")
    project.commit(__gitattributes="old.py export-ignore\n*.py export-subst\n")
    project.branch("attributes")
    assert project.new() == []


def test_findings_in_a_submodule_belong_to_another_repository(
    project: GitProject, tmp_path: Path
) -> None:
    other = GitProject(tmp_path / "other")
    other.commit(lib__py=OTHER)
    project.git("submodule", "--quiet", "add", str(other.root), "sub")
    project.commit()
    ended = project.run("diff", "main")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "1 finding in other repositories, such as submodules: not compared" in ended.stderr


def test_a_file_in_git_lfs_is_compared_with_its_stored_content(project: GitProject) -> None:
    oid = "a" * 64
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 9\n"
    project.git("checkout", "--quiet", "main")
    project.commit(big__py=pointer)
    project.branch("lfs")
    project.write("big.py", OTHER)
    ended = project.run("diff", "main")
    assert ended.returncode == 1
    assert "big.py: all findings count as new: run `git lfs fetch`" in ended.stderr
    project.write(f".git/lfs/objects/aa/aa/{oid}", OTHER)
    assert project.new() == []


# What cannot be compared


def said(project: Project, *arguments: str, **environment: str) -> str:
    ended = project.run("diff", *arguments, **environment)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    return ended.stderr


def test_a_base_that_is_not_there_names_what_may_be_meant(
    project: GitProject, tmp_path: Path
) -> None:
    project.git("branch", "release")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(project.root), str(clone))
    assert "there is no commit 'release'" in said(Project(clone), "release")
    assert "did you mean 'origin/release'?" in said(Project(clone), "release")
    assert "did you mean 'main'?" in said(project, "mian")
    assert "there is no commit '-x'" in said(project, "main", "--head=-x")


def test_a_shallow_clone_is_told_to_fetch_more(project: GitProject, tmp_path: Path) -> None:
    project.commit(new__py=OTHER)
    project.git("checkout", "--quiet", "main")
    project.commit(more__py=CLEAN)
    clone = tmp_path / "clone"
    url = project.root.as_uri()
    git(tmp_path, "clone", "--quiet", "--depth=1", "--branch=topic", url, str(clone))
    git(clone, "fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main")
    line = said(Project(clone), "origin/main")
    assert "no common ancestor: this clone is shallow" in line
    assert "git fetch --unshallow" in line


def test_a_partial_clone_is_told_to_fetch_more_and_fetches_nothing(
    project: GitProject, tmp_path: Path
) -> None:
    project.commit(new__py=OTHER, old__py=CLEAN)
    project.git("config", "uploadpack.allowFilter", "true")
    url, clone = project.root.as_uri(), tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", "--branch=topic", url, str(clone))
    assert "this clone is a partial one" in said(Project(clone), "origin/main")


def test_unrelated_histories_have_nothing_to_compare(project: GitProject) -> None:
    project.git("checkout", "--quiet", "--orphan", "other")
    project.commit(old__py=OTHER)
    assert "'main' and 'HEAD' have no common ancestor\n" in said(project, "main")


def test_without_a_repository_or_without_git_there_is_one_line(
    project: GitProject, tmp_path: Path
) -> None:
    outside = Project(tmp_path / "outside")
    outside.write("a.py", CLEAN)
    assert "is not in a git repository" in said(outside, "main")
    assert "git is not installed, or not on PATH" in said(project, "main", PATH="")
    assert "not in the repository" in said(project, "main", ".", "../outside")


def test_flags_that_change_files_are_refused(project: GitProject) -> None:
    assert "unknown argument --fix" in said(project, "main", "--fix")
    assert "standard input cannot be compared" in said(project, "main", "-")


# What a hostile checkout configures


@pytest.mark.skipif(os.name == "nt", reason="the commands are shell scripts")
def test_nothing_that_the_checkout_configures_is_run(project: GitProject, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    command = project.write("run.sh", f"#!/bin/sh\ntouch {marker}\ncat\n")
    command.chmod(0o755)
    project.write(".gitattributes", "*.py filter=evil diff=evil merge=evil\n")
    project.commit()
    project.git("branch", "--force", "main")
    project.git("mv", "old.py", "moved.py")
    project.write("new.py", OTHER)
    hooks = project.root / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "pre-auto-gc", "reference-transaction"):
        shutil.copy(command, hooks / name)
    for key in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass"),
        *("diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.process"),
        *("filter.evil.clean", "filter.evil.smudge", "merge.evil.driver", "alias.ls-tree"),
        *("uploadpack.packObjectsHook", "remote.origin.uploadpack", "credential.helper"),
    ):
        project.git("config", key, str(command))
    for key, value in {
        "core.hooksPath": str(hooks),
        "protocol.ext.allow": "always",
        "remote.origin.url": f"ext::{command}",
        "remote.origin.promisor": "true",
    }.items():
        project.git("config", key, value)
    project.git("status")
    assert marker.exists()  # what is configured does run
    marker.unlink()
    assert project.new() == [("new.py", "ROC602")]
    assert project.new("main", "--head", "topic") == []
    project.run("diff", "nosuch")
    assert not marker.exists()


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_links_of_the_base_are_links_and_nothing_is_written_through_them(
    project: GitProject, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project.root / "out").symlink_to(outside)
    (project.root / "loop").symlink_to("loop")
    (project.root / "device.py").symlink_to("/dev/zero")
    project.commit()
    project.git("branch", "--force", "main")
    project.write("new.py", OTHER)
    assert project.new() == [("new.py", "ROC602")]
    assert list(outside.iterdir()) == []
