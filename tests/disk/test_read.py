"""Small files are read at once and within bounds, whatever their paths lead to."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from rocmlint.disk.read import MAXIMUM_BYTES, read_small
from rocmlint.disk.state import data_of


def error_of(path: str, limit: int = MAXIMUM_BYTES) -> OSError:
    with pytest.raises(OSError, match=r".+") as caught:
        read_small(path, limit)
    assert caught.value.filename == path
    return caught.value


def why_not(path: str, limit: int = MAXIMUM_BYTES) -> str | None:
    return error_of(path, limit).strerror


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"torch==2.9.1\r\n\0")
    assert read_small(str(tmp_path / "a")) == b"torch==2.9.1\r\n\0"


@pytest.mark.parametrize("content", [b"", b"1234"])
def test_a_file_as_large_as_the_limit_is_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    assert read_small(str(tmp_path / "a"), len(content)) == content


def test_a_larger_file_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(1 << 40)
    assert why_not(str(tmp_path / "a")) == "larger than 10 MB"
    assert why_not(str(tmp_path / "a"), 2_500_000) == "larger than 2.5 MB"


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_a_file_that_does_not_tell_its_size_is_read_up_to_the_limit() -> None:
    assert os.stat("/proc/self/status").st_size == 0
    assert read_small("/proc/self/status").startswith(b"Name:")
    assert read_small("/proc/self/status").endswith(b"\n")
    assert why_not("/proc/self/status", 100) == "larger than 0.0001 MB"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a")
    assert why_not(str(tmp_path / "a")) == "not a regular file"


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"before")
    before = os.stat(tmp_path / "a")
    os.unlink(tmp_path / "a")
    os.mkfifo(tmp_path / "a")
    monkeypatch.setattr(os, "stat", lambda _: before)
    assert why_not(str(tmp_path / "a")) == "not a regular file"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/tty"])
def test_a_link_to_a_device_is_not_followed(tmp_path: Path, device: str) -> None:
    (tmp_path / "a").symlink_to(device)
    assert why_not(str(tmp_path / "a")) == "not a regular file"


@pytest.mark.parametrize(
    ("path", "number"),
    [("nothing", errno.ENOENT), (".", errno.EINVAL), ("a\0b", errno.EINVAL), ("l", errno.ELOOP)],
    ids=["missing", "folder", "NUL", "loop"],
)
def test_what_is_no_file_is_an_error_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, number: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("l").symlink_to("l")
    assert error_of(path).errno == number
    assert error_of(path).strerror
    assert data_of(path) is None
