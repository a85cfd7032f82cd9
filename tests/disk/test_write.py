"""Files are written whole or not at all, as readable as they were, and leave nothing behind."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from rocmlint.disk.write import _tidy, replace, write_atomically

if TYPE_CHECKING:
    from pathlib import Path

LONG_AGO = 1_600_000_000
NO_PROCESS = 2**22 + 1
"""Larger than Linux numbers any."""
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="numbers processes as Linux does")


def left_over(folder: Path, name: str, *, age: int = LONG_AGO) -> Path:
    path = folder / name
    path.write_text("half")
    os.utime(path, (age, age))
    return path


@pytest.fixture(autouse=True)
def _as_in_a_new_process() -> None:
    _tidy.cache_clear()


def test_the_temporary_file_is_never_more_readable_than_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_text("secret")
    path.chmod(0o600)
    seen = []
    sync = os.fsync

    def look(descriptor: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    before = os.umask(0)
    try:
        write_atomically(str(path), b"new", like=path.stat())
    finally:
        os.umask(before)
    assert seen == [0o600]
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o600)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o444])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.py"
    path.write_text("")
    path.chmod(mode)
    write_atomically(str(path), b"new", like=path.stat())
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_is_as_readable_as_the_user_wants_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(str(tmp_path / "report"), b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "report").stat().st_mode) == 0o640


def test_a_hard_link_is_cut_and_a_symbolic_link_stays(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old")
    (tmp_path / "hard.py").hardlink_to(tmp_path / "a.py")
    (tmp_path / "soft.py").symlink_to("a.py")
    write_atomically(str(tmp_path / "soft.py"), b"new")
    assert (tmp_path / "a.py").read_text() == "new"
    assert (tmp_path / "hard.py").read_text() == "old"
    assert (tmp_path / "soft.py").is_symlink()


def test_a_replaced_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "link").symlink_to("a")
    replace(str(tmp_path / "link"), b"new")
    assert (tmp_path / "a").read_text() == "old"
    assert not (tmp_path / "link").is_symlink()


@on_linux
def test_what_a_run_that_was_killed_has_left_is_deleted_by_the_next(tmp_path: Path) -> None:
    left = left_over(tmp_path, f".rocmlint-{NO_PROCESS}-{'a' * 12}.tmp")
    write_atomically(str(tmp_path / "a.py"), b"new")
    assert not left.exists()


@on_linux
@pytest.mark.parametrize(
    ("name", "age"),
    [
        (f".rocmlint-{os.getpid()}-{'a' * 12}.tmp", LONG_AGO),
        (f".rocmlint-{NO_PROCESS}-{'a' * 12}.tmp", 4_000_000_000),
        (f".rocmlint-{NO_PROCESS}-{'a' * 11}.tmp", LONG_AGO),
        (f".rocmlint-notes-{'a' * 12}.tmp", LONG_AGO),
        (".rocmlint-mine.tmp", LONG_AGO),
        ("state.tmp", LONG_AGO),
    ],
    ids=["of a live process", "just written", "too short", "no number", "mine", "another's"],
)
def test_what_may_be_wanted_is_not_deleted(tmp_path: Path, name: str, age: int) -> None:
    kept = left_over(tmp_path, name, age=age)
    write_atomically(str(tmp_path / "a.py"), b"new")
    assert kept.exists()


@on_linux
def test_a_link_or_a_folder_of_such_a_name_is_not_deleted(tmp_path: Path) -> None:
    target = left_over(tmp_path, "precious")
    link = tmp_path / f".rocmlint-{NO_PROCESS}-{'b' * 12}.tmp"
    link.symlink_to(target)
    os.utime(link, (LONG_AGO, LONG_AGO), follow_symlinks=False)
    folder = tmp_path / f".rocmlint-{NO_PROCESS}-{'c' * 12}.tmp"
    folder.mkdir()
    os.utime(folder, (LONG_AGO, LONG_AGO))
    write_atomically(str(tmp_path / "a.py"), b"new")
    assert (target.exists(), link.is_symlink(), folder.is_dir()) == (True, True, True)


@on_linux
def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe without a reader"):
        write_atomically(str(tmp_path / "pipe"), b"new")


@on_linux
def test_a_pipe_that_is_read_slowly_gets_all(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    data = bytes(1 << 20)  # more than a pipe holds
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    with open(reading, "rb") as file:
        writing = threading.Thread(target=write_atomically, args=(str(tmp_path / "pipe"), data))
        writing.start()
        time.sleep(0.1)
        assert file.read(len(data)) == data
        writing.join()
