"""Whole runs: whatever the number of jobs, the order and the cache, the result is the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest

from rocmlint.config.settings import Settings
from rocmlint.disk.disk import Disk
from rocmlint.disk.files import ON_DISK
from rocmlint.disk.read import MAXIMUM_BYTES, read_small
from rocmlint.lint import workers
from rocmlint.lint.cache import results as cache_module
from rocmlint.lint.cache.folder import NAME
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.linter import Linter
from rocmlint.lint.run import Options, Outcome, run
from rocmlint.source.decoding import text_of

BAD = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""
DROPPED = ("ROC602", 5)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for number in range(12):
        (root / f"load_{number:02}.py").write_text(BAD if number % 2 else "import torch\n")
    return root


def lint(root: Path, *paths: Path, **options: Any) -> Outcome:
    settings = Settings(root=str(root), select=("ROC602", "ROC9"))
    return run([str(path) for path in paths or (root,)], lambda _: settings, Options(**options))


def places(outcome: Outcome) -> list[tuple[str, str, int]]:
    return [(Path(each.path).name, each.code, each.line) for each in outcome.findings]


def test_every_file_is_linted_and_the_findings_are_sorted(project: Path) -> None:
    outcome = lint(project)
    assert places(outcome) == [(f"load_{n:02}.py", *DROPPED) for n in range(1, 12, 2)]
    assert (outcome.files, outcome.problems) == (12, [])


def test_a_pool_and_the_order_of_paths_change_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = lint(project, jobs=1)
    monkeypatch.setattr(workers, "POOL_FROM", 0)
    monkeypatch.setattr(workers, "CHUNK", 1)
    assert lint(project, *sorted(project.iterdir(), reverse=True), jobs=3) == alone


def test_a_linter_finds_the_same_in_a_process_that_knows_nothing(project: Path) -> None:
    settings = Settings(root=str(project), select=("ROC602",))
    here = Linter(settings, Disk(text_of, noted=False), claims=True)
    there = ForkingPickler.loads(ForkingPickler.dumps(here))
    path = str(project / "load_01.py")
    found = there.lint(path, BAD.encode())
    assert [each.code for each in found.findings] == ["ROC602"]
    assert found == here.lint(path, BAD.encode())


def test_a_warm_run_finds_the_same_without_linting_anything(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "cache")
    cold = lint(project, cache_dir=folder)
    monkeypatch.setattr(workers, "lint_files", lambda *_: pytest.fail("linted again"))
    assert lint(project, cache_dir=folder) == cold


def test_a_changed_file_is_linted_again_even_if_size_and_time_stay(
    project: Path, tmp_path: Path
) -> None:
    folder = str(tmp_path / "cache")
    path = project / "load_01.py"
    before = path.stat()
    lint(project, cache_dir=folder)
    path.write_text(
        BAD.replace("    ImageOps.exif_transpose(image)", "    ImageOps.autocontrast(image)  ")
    )
    assert path.stat().st_size == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "load_01.py" not in {name for name, _, _ in places(lint(project, cache_dir=folder))}


def test_a_touched_file_with_the_same_content_is_known(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "cache")
    cold = lint(project, cache_dir=folder)
    for path in project.iterdir():
        os.utime(path, (1, 1))
    monkeypatch.setattr(workers, "lint_files", lambda *_: pytest.fail("linted again"))
    assert lint(project, cache_dir=folder) == cold


def test_other_settings_have_a_cache_of_their_own(project: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "cache")
    lint(project, cache_dir=folder)
    settings = Settings(root=str(project), select=("ROC501",))
    assert run([str(project)], lambda _: settings, Options(cache_dir=folder)).findings == []


@pytest.mark.parametrize(
    "garbage",
    [b"", b"\xff\x00garbage", b"[]", b'{"read": 1, "files": {"load_01.py": 7}}', b"[" * 100_000],
    ids=["empty", "bytes", "other JSON", "wrong entry", "deep JSON"],
)
def test_a_cache_of_garbage_is_forgotten(project: Path, tmp_path: Path, garbage: bytes) -> None:
    folder = tmp_path / "cache"
    cold = lint(project, cache_dir=str(folder))
    for path in folder.rglob("*.json"):
        path.write_bytes(garbage)
    assert lint(project, cache_dir=str(folder)) == cold
    assert lint(project, cache_dir=str(folder)) == cold


@pytest.mark.parametrize(
    "garbage",
    [
        ["no", "finding"],
        [1, 1, 1, 1, "ROC602", "name", "message", "error", [3, True, []]],
        [1, 1, 1, 1, "ROC602", "name", "message", "error", ["title", True, [["a", 1, 1, 1, ""]]]],
    ],
)
def test_findings_of_garbage_in_a_cache_are_not_believed(
    project: Path, tmp_path: Path, garbage: list[object]
) -> None:
    folder = tmp_path / "cache"
    cold = lint(project, cache_dir=str(folder))
    for path in folder.rglob("*.json"):
        stored = json.loads(path.read_text())
        for entry in stored["files"].values():
            entry[5] = [garbage]
        path.write_text(json.dumps(stored))
    assert lint(project, cache_dir=str(folder)) == cold


def test_a_full_disk_costs_the_cache_and_nothing_else(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_module, "write", refuse)
    outcome = lint(project, cache_dir=str(tmp_path / "cache"))
    assert len(outcome.findings) == 6
    assert outcome.problems == []
    assert "cannot write the cache: No space left on device" in outcome.remarks[0]


def test_a_folder_of_ones_own_is_no_place_for_a_gitignore(project: Path) -> None:
    lint(project, cache_dir=str(project))
    assert not (project / ".gitignore").exists()


def test_a_cache_that_could_not_be_made_whole_is_hidden_from_git_later(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full_disk:
        full_disk.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        lint(project, cache_dir=str(tmp_path / "cache"))
    lint(project, cache_dir=str(tmp_path / "cache"))
    assert (tmp_path / "cache" / NAME / ".gitignore").read_text() == "*\n"


def test_two_runs_at_once_on_one_cache_find_the_same(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rocmlint", "--isolated", "--select", "ROC602"]
    command += ["--output-format", "concise", "--cache-dir", str(tmp_path / "cache"), str(project)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outputs = {each.communicate()[0] for each in runs}
    assert len(outputs) == 1
    assert outputs.pop().count("ROC602") == 6


def test_a_worker_that_is_killed_once_costs_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = lint(project, jobs=1)
    marker = project / "killed"
    _kill_worker_at(monkeypatch, "load_03.py", unless=marker)
    assert lint(project, jobs=2) == alone
    assert marker.exists()


def test_a_file_that_kills_its_worker_is_reported_and_the_rest_is_linted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _kill_worker_at(monkeypatch, "load_03.py")
    outcome = lint(project, jobs=2)
    expected = [(f"load_{n:02}.py", *DROPPED) for n in range(1, 12, 2)]
    expected[1] = ("load_03.py", "ROC900", 1)
    assert places(outcome) == expected


def _kill_worker_at(monkeypatch: pytest.MonkeyPatch, name: str, unless: Path | None = None) -> None:
    analyse = Linter.analyse

    def dying(self: Linter, opened: Opened, **more: Any) -> Any:
        if opened.path.endswith(name) and not (unless and unless.exists()):
            if unless:
                unless.touch()
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGKILL)
        return analyse(self, opened, **more)

    monkeypatch.setattr(Linter, "analyse", dying)
    monkeypatch.setattr(workers, "POOL_FROM", 0)
    monkeypatch.setattr(workers, "CHUNK", 200)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"def broken(:\n", "cannot be parsed"),
        (b"<<<<<<< ours\nx = 1\n" * 2, "cannot be parsed"),
        (b"# coding: klingon\n# ROC602 exif_transpose\n", "cannot be decoded"),
        (b"exif_transpose = '\xff'\n", "cannot be decoded"),
        (b"exif_transpose(" + b"(" * 5000 + b")" * 5001, "nested"),
        (b"x = 1\nexif_transpose(\x00)\n", "cannot be parsed"),
        (b"#" * 11_000_000 + b"\nexif_transpose()\n", "has 11 MB, too much"),
    ],
    ids=["syntax", "merge conflict", "codec", "bytes", "brackets", "NUL", "huge"],
)
def test_a_file_that_cannot_be_linted_is_a_finding_and_hides_no_other(
    project: Path, content: bytes, reason: str
) -> None:
    (project / "broken.py").write_bytes(content)
    (project / "README.md").write_text("Run `python broken.py`.\n")
    outcome = lint(project)
    first, *others = outcome.findings
    assert (Path(first.path).name, first.code) == ("broken.py", "ROC900")
    assert reason in first.message
    assert len(others) == 6


def test_a_file_that_cannot_be_read_is_a_finding_and_a_problem(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, limit: int = MAXIMUM_BYTES) -> bytes:
        if path.endswith("load_03.py"):
            raise PermissionError(13, "Permission denied")
        return read_small(path, limit)

    monkeypatch.setattr(ON_DISK, "read", refuse)
    outcome = lint(project)
    assert ("load_03.py", "ROC900", 1) in places(outcome)
    assert len(outcome.findings) == 6
    assert outcome.problems == [f"{project / 'load_03.py'}: cannot be read: Permission denied"]


def test_a_mistake_in_one_rule_hides_nothing_that_others_find(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(root=str(project), select=("ROC601", "ROC602"))
    rules = {type(rule).code: type(rule) for rule in Linter(settings).rules}

    def broken(*_: object) -> Any:
        raise KeyError("surprise")

    monkeypatch.setattr(rules["ROC601"], "check", broken)
    outcome = run([str(project / "load_01.py")], lambda _: settings)
    assert [each.code for each in outcome.findings] == ["ROC602"]
    assert "internal error in ROC601" in outcome.problems[0]
