"""From paths to files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.discovery import discover as discover_module
from rocmlint.lint.discovery import git_ignored
from rocmlint.lint.discovery.discover import discover


@pytest.fixture(autouse=True)
def _forget_earlier_folders() -> None:
    for function in (git_ignored.git_patterns, git_ignored.repository, git_ignored._patterns):
        function.cache_clear()


def tree(root: Path, *files: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import torch\n")


def found(root: Path, *paths: str, force_exclude: bool = False, **settings: Any) -> list[str]:
    made = Settings(root=str(root), **settings)
    given = [str(root / path) for path in paths] or [str(root)]
    discovery = discover(given, lambda _: made, force_exclude=force_exclude)
    return [os.path.relpath(each.path, root) for each in discovery.files]


def test_python_files_and_stubs_are_found_in_sorted_order(tmp_path: Path) -> None:
    tree(tmp_path, "b/run.py", "a.pyi", "data.json", "b/a.py")
    assert found(tmp_path) == ["a.pyi", "b/a.py", "b/run.py"]


@pytest.mark.parametrize(
    "shebang", ["#!/usr/bin/python3.12 -u", "#!/usr/bin/env python", "#!/usr/bin/env -S uv run -s"]
)
def test_a_script_of_python_is_linted_where_it_is_named_itself(
    shebang: str, tmp_path: Path
) -> None:
    (tmp_path / "train").write_text(f"{shebang}\nimport torch\n")
    assert found(tmp_path, "train") == ["train"]
    assert found(tmp_path) == []


def test_a_file_of_no_known_format_is_told_of_and_not_linted(tmp_path: Path) -> None:
    tree(tmp_path, "README.adoc", "values.yaml")
    (tmp_path / "serve").write_text("#!/usr/bin/env node\nimport x\n")
    paths = [str(tmp_path / name) for name in ("README.adoc", "values.yaml", "serve")]
    discovery = discover(paths, lambda _: Settings(root=str(tmp_path)))
    assert (discovery.files, discovery.problems) == ([], [])
    assert [Path(line.partition(": ")[0]).name for line in discovery.remarks] == [
        "README.adoc",
        "values.yaml",
        "serve",
    ]


def test_a_script_of_a_shell_is_found_by_its_first_line(tmp_path: Path) -> None:
    tree(tmp_path, "LICENSE", "data", "src/notes")
    for name in ("bin/serve", "rocm_setup", "deadbeefdeadbeef", "job.sbatch"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/bash -l\npip install torch\n")
    assert found(tmp_path) == ["bin/serve", "job.sbatch", "rocm_setup"]


def test_a_script_that_git_ignores_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, ".git/config", "blobs/weights", "train")
    (tmp_path / ".gitignore").write_text("blobs/\ntrain\n")
    monkeypatch.setattr(discover_module, "_begins_as_format", lambda entry: pytest.fail(entry.path))
    assert found(tmp_path) == []


def test_documents_are_found_unless_the_settings_forbid_it(tmp_path: Path) -> None:
    tree(tmp_path, "README.md", "docs/install.md", "a.py")
    assert found(tmp_path) == ["README.md", "a.py", "docs/install.md"]
    assert found(tmp_path, documents=False) == ["a.py"]
    settings = Settings(root=str(tmp_path), documents=False)
    discovery = discover([str(tmp_path / "README.md")], lambda _: settings)
    assert discovery.files == []
    assert "`documents = false`" in discovery.remarks[0]


def test_a_tool_that_names_files_of_no_known_format_hears_nothing_of_it(tmp_path: Path) -> None:
    tree(tmp_path, "README.adoc")
    settings = Settings(root=str(tmp_path))
    discovery = discover([str(tmp_path / "README.adoc")], lambda _: settings, force_exclude=True)
    assert discovery == ([], [], [], [], [])


def test_notebooks_and_formats_beside_python_are_found(tmp_path: Path) -> None:
    names = [".github/workflows/ci.yml", "Dockerfile", "environment.yml", "install.sh"]
    names += ["pyproject.toml", "requirements-dev.txt", "setup.cfg", "train.ipynb"]
    tree(tmp_path, *names, "notes.txt", "data.yml")
    assert found(tmp_path) == names


def test_a_file_that_is_named_twice_is_linted_once(tmp_path: Path) -> None:
    tree(tmp_path, "src/a.py")
    assert found(tmp_path, "src", "src/a.py", ".") == ["src/a.py"]


def test_hidden_folders_caches_and_virtual_environments_are_not_entered(tmp_path: Path) -> None:
    tree(tmp_path, ".git/a.py", "__pycache__/b.py", "node_modules/c.py", "env/lib/d.py", "e.py")
    (tmp_path / "env" / "pyvenv.cfg").touch()
    assert found(tmp_path) == ["e.py"]


def test_a_folder_called_build_is_linted_like_any_other(tmp_path: Path) -> None:
    tree(tmp_path, "build/a.py")
    assert found(tmp_path) == ["build/a.py"]


def test_excluded_folders_and_files_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "vendor/a.py", "src/gen_b.py", "src/c.py")
    assert found(tmp_path, exclude=("vendor/", "gen_*.py")) == ["src/c.py"]


def test_excludes_hold_for_named_files_only_when_forced(tmp_path: Path) -> None:
    tree(tmp_path, "vendor/a.py")
    assert found(tmp_path, "vendor/a.py", exclude=("vendor/",)) == ["vendor/a.py"]
    assert found(tmp_path, "vendor/a.py", exclude=("vendor/",), force_exclude=True) == []


def test_gitignore_files_count_inside_a_repository_the_nearest_first(tmp_path: Path) -> None:
    tree(tmp_path, ".git/config", "out/a.py", "src/b.py", "src/keep/b.py", "secret.py")
    (tmp_path / ".gitignore").write_text("# comment\nout/\nb.py\n")
    (tmp_path / "src" / "keep" / ".gitignore").write_text("!b.py\n")
    (tmp_path / ".git" / "info").mkdir()
    (tmp_path / ".git" / "info" / "exclude").write_text("secret.py\n")
    assert found(tmp_path) == ["src/keep/b.py"]
    assert len(found(tmp_path, respect_gitignore=False)) == 4


def test_a_gitignore_outside_a_repository_means_nothing(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    (tmp_path / ".gitignore").write_text("*.py\n")
    assert found(tmp_path) == ["a.py"]


def test_links_that_lead_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    tree(tmp_path, "src/a.py")
    (tmp_path / "src" / "again").symlink_to(tmp_path / "src")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    assert found(tmp_path) == ["src/a.py"]


def test_a_link_to_a_file_beside_it_is_that_file(tmp_path: Path) -> None:
    tree(tmp_path, "base.dockerfile", "scripts/a.py")
    (tmp_path / "Dockerfile").symlink_to("base.dockerfile")
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "Containerfile").symlink_to("notes.txt")
    (tmp_path / "b.py").symlink_to("scripts/a.py")
    assert found(tmp_path) == ["Containerfile", "b.py", "base.dockerfile", "scripts/a.py"]


def test_a_link_to_a_file_that_is_excluded_is_linted(tmp_path: Path) -> None:
    tree(tmp_path, "base.py")
    (tmp_path / "job.py").symlink_to("base.py")
    assert found(tmp_path) == ["base.py"]
    assert found(tmp_path, exclude=("base.py",)) == ["job.py"]


def test_what_is_neither_file_nor_folder_is_a_problem_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    paths = [str(tmp_path / "pipe.py"), str(tmp_path / "loop.py"), ""]
    discovery = discover(paths, lambda _: Settings(root=str(tmp_path)))
    assert discovery.files == []
    assert [line.removeprefix(str(tmp_path)) for line in discovery.problems] == [
        "/pipe.py: neither a file nor a directory; use - to lint standard input",
        "/loop.py: cannot be read: Too many levels of symbolic links",
        "'': no such file or directory",
    ]


def test_what_does_not_exist_or_cannot_be_read_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, "closed/a.py", "open/b.py")
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    settings = Settings(root=str(tmp_path))
    discovery = discover([str(tmp_path), str(tmp_path / "gone.py")], lambda _: settings)
    assert [Path(each.path).name for each in discovery.files] == ["b.py"]
    assert [line.split(": ", 1)[1] for line in discovery.problems] == [
        "cannot be read: Permission denied",
        "no such file or directory",
    ]
