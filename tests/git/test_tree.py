"""The files of a commit on disk: as they are recorded, and none outside their folder."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from rocmlint.git.command import Git, GitError
from rocmlint.git.renames import renames
from rocmlint.git.tree import export
from tests.support.git import GitProject
from tests.support.tools import needs, program

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs("git")


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    return GitProject(tmp_path / "project")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "above" / "folder"
    made.mkdir(parents=True)
    return made


def written(folder: Path) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*"))


def store(project: GitProject, kind: str, data: bytes) -> str:
    """Store an object that git itself would not make."""
    command = [program("git"), "hash-object", "-t", kind, "--literally", "-w", "--stdin"]
    done = subprocess.run(command, cwd=project.root, input=data, capture_output=True, check=True)
    return done.stdout.decode().strip()


def tree(project: GitProject, *entries: tuple[str, str, str]) -> str:
    """Store a folder of these modes, names and objects."""
    rows = (f"{mode} {name}\0".encode() + bytes.fromhex(of) for mode, name, of in entries)
    return store(project, "tree", b"".join(rows))


def test_files_are_written_byte_for_byte_whatever_the_attributes(
    project: GitProject, folder: Path
) -> None:
    project.commit(__gitattributes="* text eol=crlf ident export-ignore\n", a__py="# $Id$\nx\n")
    export(Git(str(project.root)), "HEAD", str(folder), lambda _path, _size: True)
    assert (folder / "a.py").read_bytes() == b"# $Id$\nx\n"
    assert written(folder) == [".gitattributes", "a.py"]


def test_of_a_file_that_nobody_reads_only_the_size_is_written(
    project: GitProject, folder: Path
) -> None:
    project.commit(model__bin="1234567")
    export(Git(str(project.root)), "HEAD", str(folder), lambda _path, size: size < 7)
    assert (folder / "model.bin").read_bytes() == bytes(7)


def test_paths_that_lead_out_of_the_folder_are_not_written(
    project: GitProject, folder: Path
) -> None:
    blob = store(project, "blob", b"evil")
    inner = tree(project, ("100644", "evil", blob))
    outer = tree(
        project,
        ("40000", "..", inner),
        ("40000", ".GIT", inner),
        ("40000", ".git", inner),
        ("100644", "good", blob),
    )
    export(Git(str(project.root)), outer, str(folder), lambda _path, _size: True)
    assert written(folder.parent) == ["folder", "folder/good"]


def test_nothing_is_written_through_a_link_of_the_same_name(
    project: GitProject, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = store(project, "blob", str(outside).encode())
    inner = tree(project, ("100644", "evil", store(project, "blob", b"evil")))
    both = tree(project, ("120000", "a", link), ("40000", "a", inner))
    export(Git(str(project.root)), both, str(folder), lambda _path, _size: True)
    assert list(outside.iterdir()) == []
    assert written(folder) == ["a", "a/evil"]


def test_a_commit_that_is_not_there_is_an_error_in_the_words_of_git(
    project: GitProject, folder: Path
) -> None:
    with pytest.raises(GitError, match=r"^git ls-tree: Not a valid object name nosuch$"):
        export(Git(str(project.root)), "nosuch", str(folder), lambda _path, _size: True)


def test_a_tree_that_names_itself_again_and_again_is_refused(
    project: GitProject, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = tree(project, ("100644", "a", store(project, "blob", b"x")))
    for _ in range(5):
        bomb = tree(project, *(("40000", str(number), bomb) for number in range(10)))
    monkeypatch.setattr("rocmlint.git.tree._LARGEST_LISTING", 1_000_000)
    with pytest.raises(GitError, match="too many files"):
        export(Git(str(project.root)), bomb, str(folder), lambda _path, _size: True)
    assert written(folder) == []


def test_a_rename_is_found_by_content(tmp_path: Path) -> None:
    lines = [f"line {number}\n" for number in range(40)]
    for name, text in {"1": lines, "2": [*lines[:35], "more\n"], "3": ["other\n"] * 9}.items():
        (tmp_path / name).write_text("".join(text))
    places = {name: str(tmp_path / name) for name in "123"}
    gone = {"old/a.py": places["1"]}
    assert renames(gone, {"new/b.py": places["2"]}) == {"new/b.py": "old/a.py"}
    assert renames(gone, {"new/b.py": places["3"]}) == {}
    assert renames({}, {"new/b.py": places["2"]}) == {}
