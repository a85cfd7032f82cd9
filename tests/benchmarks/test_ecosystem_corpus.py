"""The pinned corpus: what is unpacked is what was pinned, and is asked for once."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tarfile
from typing import TYPE_CHECKING

import pytest

from benchmarks.ecosystem.corpus import (
    LISTED,
    CorpusError,
    Package,
    UnreachableError,
    listed,
    unpacked,
)

if TYPE_CHECKING:
    from pathlib import Path

HASH = re.compile(r"[0-9a-f]{64}")
PLATFORM_WHEEL = re.compile(r".*(?<!-none-any)\.whl")


def archive() -> bytes:
    """Make a source distribution of one module."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as made:
        member = tarfile.TarInfo("loader-1.0/load.py")
        member.size = len(b"import torch\n")
        made.addfile(member, io.BytesIO(b"import torch\n"))
    return content.getvalue()


def pinned(content: bytes) -> Package:
    return Package("loader", "1.0", "loader-1.0.tar.gz", hashlib.sha256(content).hexdigest())


def test_the_list_pins_each_file_once_by_name_and_hash() -> None:
    packages = listed(LISTED)
    titles = [each.title for each in packages]
    assert len(packages) >= 60
    assert [each for each in titles if titles.count(each) > 1] == []
    assert [each.file for each in packages if not HASH.fullmatch(each.sha256)] == []


def test_the_list_has_only_files_that_every_python_is_offered() -> None:
    assert [each.file for each in listed(LISTED) if PLATFORM_WHEEL.fullmatch(each.file)] == []


def test_a_package_lies_as_a_checkout_does(tmp_path: Path) -> None:
    content = archive()
    trees = unpacked([pinned(content)], tmp_path, lambda *_: content)
    tree = trees["loader==1.0"]
    assert (tree / "load.py").read_text() == "import torch\n"
    assert (tree / ".git").is_dir()


def test_what_is_there_is_not_asked_for_again(tmp_path: Path) -> None:
    content = archive()
    asked = []

    def fetch(package: str, file: str) -> bytes:
        asked.append((package, file))
        return content

    for _ in range(2):
        unpacked([pinned(content)], tmp_path, fetch)
    assert asked == [("loader", "loader-1.0.tar.gz")]


def test_a_kept_download_serves_other_folders_too(tmp_path: Path) -> None:
    content, downloads = archive(), tmp_path / "downloads"
    unpacked([pinned(content)], tmp_path / "first", lambda *_: content, downloads)

    def fetch(package: str, file: str) -> bytes:
        raise UnreachableError(package + file)

    trees = unpacked([pinned(content)], tmp_path / "second", fetch, downloads)
    assert (trees["loader==1.0"] / "load.py").exists()


def test_a_kept_download_that_was_changed_is_got_again(tmp_path: Path) -> None:
    content, downloads = archive(), tmp_path / "downloads"
    downloads.mkdir()
    kept = downloads / "loader-1.0.tar.gz"
    kept.write_bytes(content[:10])
    unpacked([pinned(content)], tmp_path, lambda *_: content, downloads)
    assert kept.read_bytes() == content


def test_a_file_that_is_refused_is_not_kept(tmp_path: Path) -> None:
    downloads = tmp_path / "downloads"
    with pytest.raises(CorpusError):
        unpacked([pinned(archive())], tmp_path, lambda *_: b"another file", downloads)
    assert not downloads.exists()


def test_another_file_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    package = pinned(archive())
    with pytest.raises(CorpusError, match=package.sha256):
        unpacked([package], tmp_path, lambda *_: b"another file")
    assert [*tmp_path.rglob("*.py")] == []


def test_a_package_that_could_not_be_unpacked_does_not_count_as_there(tmp_path: Path) -> None:
    package = pinned(b"no archive")
    for _ in range(2):
        with pytest.raises(shutil.ReadError):
            unpacked([package], tmp_path, lambda *_: b"no archive")


def test_an_index_that_does_not_answer_is_told_apart(tmp_path: Path) -> None:
    def fetch(package: str, file: str) -> bytes:
        raise UnreachableError(package + file)

    with pytest.raises(UnreachableError):
        unpacked([pinned(archive())], tmp_path, fetch)
