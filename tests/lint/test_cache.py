"""The cache lies in a folder of its own, and neither deletes nor believes what is not its own."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from rocmlint.lint.cache.folder import NAME
from tests.support.project import Project

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

DROPPED = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""
LONG_AGO = 1_600_000_000


def age(path: Path) -> Path:
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


@pytest.fixture
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of somebody else, with old files."""
    folder = tmp_path_factory.mktemp("theirs")
    for name in ("precious.json", "state.tmp", "0123456789abcdef0123456789abcdef.json"):
        (folder / name).write_text("{}")
        age(folder / name)
    return folder


def content(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in folder.iterdir() if each.is_file()}


def lint(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    project.write("a.py", DROPPED)
    ended = project.run("--output-format", "concise", *arguments)
    assert (ended.returncode, ended.stdout[:17]) == (1, "a.py:5:5: ROC602 "), ended.stderr
    return ended


# What it deletes


def test_a_cache_in_the_folder_of_others_leaves_their_files_alone(
    project: Project, theirs: Path
) -> None:
    before = content(theirs)
    lint(project, "--cache-dir", str(theirs))
    assert content(theirs) == before
    assert (theirs / NAME / "CACHEDIR.TAG").is_file()


def test_a_cache_in_the_root_of_a_project_leaves_its_files_alone(project: Project) -> None:
    project.write("pyproject.toml", "[tool.rocmlint]\ncache-dir = '.'\n")
    age(project.write("package.json", "{}"))
    lint(project)
    assert project.read("package.json") == "{}"
    assert (project.root / NAME / "CACHEDIR.TAG").is_file()


def test_old_results_are_deleted_and_all_else_in_their_folder_is_not(project: Project) -> None:
    lint(project)
    folder = project.root / ".rocmlint_cache" / NAME
    (mine,) = folder.glob("*.json")
    old = age(project.write(f".rocmlint_cache/{NAME}/{'0' * 32}.json", "{}"))
    names = (f"{'0' * 31}.json", f"{'0' * 33}.json", f"{'X' * 32}.json", "notes.json", "a.tmp")
    kept = [age(project.write(f".rocmlint_cache/{NAME}/{name}", "{}")) for name in names]
    kept.append(folder / f"{'1' * 32}.json")
    kept[-1].mkdir()
    age(kept[-1])
    project.write("b.py", DROPPED)
    project.run("a.py", "b.py")
    assert not old.exists()
    assert mine.exists()
    assert all(each.exists() for each in kept)


def test_a_folder_of_the_same_name_that_somebody_else_made_is_not_used(project: Project) -> None:
    old = age(project.write(f".rocmlint_cache/{NAME}/{'0' * 32}.json", "{}"))
    ended = lint(project)
    assert old.exists()
    assert f"{NAME}: not a rocmlint cache; running without a cache" in ended.stderr


# Where it may lie


def test_a_linked_cache_folder_is_refused_and_the_run_goes_on(
    project: Project, theirs: Path
) -> None:
    before = content(theirs)
    (project.root / ".rocmlint_cache").symlink_to(theirs)
    ended = lint(project)
    reason = (
        "is a symbolic link or outside the project; running without a cache "
        "(--cache-dir can be anywhere)"
    )
    assert ended.stderr.splitlines()[0] == f"{project.root}/.rocmlint_cache: {reason}"
    assert content(theirs) == before
    assert not (theirs / NAME).exists()


@pytest.mark.parametrize("flags", [(), ("--cache-dir", ".rocmlint_cache")])
def test_a_link_inside_the_cache_folder_is_refused(
    project: Project, theirs: Path, flags: tuple[str, ...]
) -> None:
    (theirs / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    before = content(theirs)
    (project.root / ".rocmlint_cache").mkdir()
    (project.root / ".rocmlint_cache" / NAME).symlink_to(theirs)
    assert "running without a cache" in lint(project, *flags).stderr
    assert content(theirs) == before


def test_a_cache_outside_the_project_is_refused_where_only_its_configuration_names_it(
    project: Project, theirs: Path
) -> None:
    project.write("rocmlint.toml", f"cache-dir = '{theirs}'\n")
    assert f"{theirs}: is a symbolic link or outside the project" in lint(project).stderr
    assert not (theirs / NAME).exists()


@pytest.mark.parametrize("how", ["--cache-dir={}", "--config=cache-dir='{}'"])
def test_a_cache_that_the_command_names_may_lie_anywhere(
    project: Project, theirs: Path, how: str
) -> None:
    project.write("rocmlint.toml", "cache-dir = '/not/this'\n")
    lint(project, how.format(theirs))
    assert (theirs / NAME / "CACHEDIR.TAG").is_file()


def test_the_projects_of_one_repository_may_share_a_cache(project: Project) -> None:
    (project.root / ".git").mkdir()
    project.write("base.toml", "cache-dir = 'kept'\n")
    project.write("inner/rocmlint.toml", "extend = '../base.toml'\n")
    project.write("inner/a.py", DROPPED)
    assert "no cache" not in project.run("inner").stderr
    assert (project.root / "kept" / NAME / "CACHEDIR.TAG").is_file()


# What it reads and writes


def replace_results(project: Project, make: object) -> None:
    lint(project)
    for path in (project.root / ".rocmlint_cache" / NAME).glob("*.json"):
        path.unlink()
        make(path)  # type: ignore[operator]


def test_a_pipe_in_place_of_the_results_is_not_waited_for(project: Project) -> None:
    replace_results(project, os.mkfifo)
    lint(project)
    lint(project)


def test_a_device_in_place_of_the_results_is_not_read(project: Project) -> None:
    replace_results(project, lambda path: path.symlink_to("/dev/zero"))
    lint(project)


def test_results_of_a_terabyte_are_not_read(project: Project) -> None:
    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(1 << 40)

    replace_results(project, make)
    lint(project)


def test_a_link_in_place_of_the_results_is_replaced_and_not_written_through(
    project: Project, theirs: Path
) -> None:
    replace_results(project, lambda path: path.symlink_to(theirs / "precious.json"))
    before = content(theirs)
    lint(project)
    assert content(theirs) == before


@pytest.mark.parametrize("depth", [500, 900, 5_000])
@pytest.mark.parametrize("place", ["findings", "fields"])
def test_results_that_are_nested_deeply_are_forgotten(
    project: Project, depth: int, place: str
) -> None:
    lint(project)
    (path,) = (project.root / ".rocmlint_cache" / NAME).glob("*.json")
    stored = json.loads(path.read_text())
    entry = stored["files"]["a.py"]
    entry[5] = "DEEP" if place == "findings" else ["DEEP", *entry[5][0][1:]]
    deep = "[" * depth + "]" * depth
    path.write_text(json.dumps(stored).replace('"DEEP"', deep))
    assert "cannot" not in lint(project).stderr
    lint(project)
    assert deep not in path.read_text()


def test_paths_in_the_results_that_no_system_has_are_a_change(project: Project) -> None:
    lint(project)
    (path,) = (project.root / ".rocmlint_cache" / NAME).glob("*.json")
    stored = json.loads(path.read_text())
    stored["consulted"] = [["a\0", ""], ["b\0", []], ["c\0/**/*.py", ""], ["d/**/*.py/e", [1]]]
    stored["files"]["a.py"][6] = [0, 1, 2, 3]
    path.write_text(json.dumps(stored))
    lint(project)


@pytest.mark.slow  # the parser of TOML takes seconds
def test_a_configuration_of_twenty_thousand_dotted_keys_is_one_line(project: Project) -> None:
    project.write("rocmlint.toml", f"{'.'.join('a' * 20_000)} = 1\n")
    project.write("a.py", DROPPED)
    ended = project.run()
    assert ended.returncode == 2
    assert ended.stderr == "error: rocmlint.toml: nested too deeply\n"


def test_the_temporary_file_of_a_run_that_was_killed_is_deleted_later(project: Project) -> None:
    lint(project)
    left = age(project.write(f".rocmlint_cache/{NAME}/.rocmlint-{2**22 + 1}-{'0' * 12}.tmp", ""))
    project.write("b.py", DROPPED)
    project.run("b.py")
    assert not left.exists()


# Where it is asked from


def test_commands_name_the_file_from_the_folder_that_the_run_is_in(project: Project) -> None:
    stub = "import sys\nfrom unittest.mock import MagicMock\n\n"
    project.write("job/pyproject.toml", "[tool.rocmlint]\n")
    project.write(
        "job/policy.py", f'{stub}sys.modules["transformers.models.siglip.check"] = MagicMock()\n'
    )
    inside = Project(project.root / "job")
    commands = [
        [line.strip() for line in shown.splitlines() if "confirm: " in line]
        for shown in (project.run("job").stdout, inside.run(".").stdout, project.run("job").stdout)
    ]
    above, below = "rocmlint verify job/policy.py", "rocmlint verify policy.py"
    assert commands == [[f"= confirm: {each}"] for each in (above, below, above)]
