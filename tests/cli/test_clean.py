"""``rocmlint clean``: what rocmlint has cached goes, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.scripts import CLEAN

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.support.project import Project


def test_the_caches_below_a_directory_are_removed(project: Project) -> None:
    project.write("one/rocmlint.toml", "")
    project.write("one/a.py", CLEAN)
    project.write("two/rocmlint.toml", "cache-dir = 'build/kept'\n")
    project.write("two/a.py", CLEAN)
    project.run("one")
    project.run("two")
    ended = project.run("clean")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [line.split(" (")[0] for line in ended.stdout.splitlines()] == [
        "Removed one/.rocmlint_cache/rocmlint-3",
        "Removed two/build/kept/rocmlint-3",
    ]
    assert not (project.root / "one" / ".rocmlint_cache").exists()
    assert (project.root / "two" / "build" / "kept").is_dir()
    assert project.run("clean").stdout == "No caches found.\n"


def cache_in(project: Project, folder: str) -> Path:
    project.write("a.py", CLEAN)
    project.run("--cache-dir", folder, "a.py")
    return project.root / folder / "rocmlint-3"


def test_other_directories_are_left_alone_whatever_they_are_called(project: Project) -> None:
    project.write(".rocmlint_cache/rocmlint-3/data.json", "mine")
    project.write("rocmlint-3/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
    assert project.run("clean").stdout == "No caches found.\n"
    assert project.read(".rocmlint_cache/rocmlint-3/data.json") == "mine"


def test_what_rocmlint_has_not_written_stays_in_a_cache(project: Project) -> None:
    cache = cache_in(project, "kept")
    (cache / "notes.json").write_text("mine")
    ended = project.run("clean", "kept")
    assert ended.stdout.startswith("Removed what rocmlint wrote in kept/rocmlint-3 (")
    assert [path.name for path in cache.iterdir()] == ["notes.json"]


def test_no_link_is_followed(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = cache_in(project, "kept")
    other = tmp_path_factory.mktemp("other")
    (other / "to_parent").symlink_to(project.root / "kept")
    (other / "rocmlint-3").symlink_to(cache)
    assert project.run("clean", str(other)).stdout == "No caches found.\n"
    victim = project.write("victim.json", "mine")
    (cache / f"{'0' * 32}.json").symlink_to(victim)
    project.run("clean", "kept")
    assert victim.read_text() == "mine"


def test_a_directory_that_does_not_exist_is_2(project: Project) -> None:
    ended = project.run("clean", "nosuch")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "nosuch: not a directory\n"
