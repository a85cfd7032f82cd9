"""The metadata of wheels on package indexes that answer wrongly, or with what is made to hurt."""

from __future__ import annotations

import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.indexes.fetch import FetchError, IndexReader
from rocmlint.stack.indexes.simple_index import IndexFile, project_files
from rocmlint.stack.indexes.wheel_metadata import facts_of
from tests.support.package_index import Page, wheel_with

if TYPE_CHECKING:
    from tests.support.package_index import PackageIndex

TERABYTE = 1 << 40


def put(index: PackageIndex, page: Page) -> None:
    """Put a file on the index that is called a wheel of peft 1.0."""
    entry = index.wheel("peft", "1.0", beside=False)
    index.project("peft", entry)
    index.pages[f"/files/{entry['filename']}"] = page


def only_file(index: PackageIndex, name: str) -> IndexFile:
    (file,) = project_files(IndexReader(5), index.simple, name)
    return file


@pytest.mark.parametrize("beside", [True, False])
def test_the_metadata_of_a_wheel_are_read(index: PackageIndex, beside: bool) -> None:
    index.project("peft", index.wheel("peft", "1.0", "torch>=2.4", "numpy", beside=beside))
    facts = facts_of(IndexReader(5), "peft", only_file(index, "peft"))
    assert facts["requires_dist"] == ["torch>=2.4", "numpy"]
    assert facts["requires_python"] == ">=3.10"
    asked = [path for path, _ in index.asked if path.startswith("/files/")]
    assert all(each.endswith(".metadata") == beside for each in asked)


def test_of_a_large_wheel_only_parts_are_read(index: PackageIndex) -> None:
    index.project("peft", index.wheel("peft", "1.0", beside=False))
    reader = IndexReader(5, most=10_000_000)
    facts_of(reader, "peft", only_file(index, "peft"))
    parts = [headers.get("Range") for path, headers in index.asked if path.startswith("/files/")]
    assert len(parts) == 2
    assert all(parts)


def test_metadata_with_another_hash_are_refused(index: PackageIndex) -> None:
    entry = index.wheel("peft", "1.0")
    index.project("peft", entry)
    path = f"/files/{entry['filename']}.metadata"
    index.pages[path] = Page(index.pages[path].content + b"\n")
    with pytest.raises(FetchError, match="another hash"):
        facts_of(IndexReader(5), "peft", only_file(index, "peft"))


@pytest.mark.parametrize(("name", "version"), [("evil", "1.0"), ("peft", "2.0")])
def test_metadata_of_another_package_or_release_are_refused(
    index: PackageIndex, name: str, version: str
) -> None:
    metadata = f"Name: {name}\nVersion: {version}\n".encode()
    put(index, Page(wheel_with("peft", "1.0", metadata)))
    with pytest.raises(FetchError, match=f"its metadata is that of {name} {version}"):
        facts_of(IndexReader(5), "peft", only_file(index, "peft"))


@pytest.mark.parametrize(
    "content",
    [b"", b"not a zip" * 1000, wheel_with("peft", "1.0", b"x" * (2 << 20))],
    ids=["empty", "no zip", "endless"],
)
def test_what_is_not_a_wheel_is_a_line(index: PackageIndex, content: bytes) -> None:
    put(index, Page(content))
    with pytest.raises(FetchError):
        facts_of(IndexReader(5), "peft", only_file(index, "peft"))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wheel_whose_metadata_are_damaged_is_a_line(index: PackageIndex, method: int) -> None:
    content = bytearray(wheel_with("peft", "1.0", b"Name: peft\nVersion: 1.0\n" * 99, method))
    at = content.index(b"dist-info/METADATA") + 18
    content[at : at + 20] = b"\xff" * 20
    put(index, Page(bytes(content)))
    with pytest.raises(FetchError, match=r"^peft-1\.0-py3-none-any\.whl: not a wheel that can be"):
        facts_of(IndexReader(5), "peft", only_file(index, "peft"))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_wheel_that_is_packed_as_none_is_refused(index: PackageIndex, method: int) -> None:
    put(index, Page(wheel_with("peft", "1.0", b"Name: peft\nVersion: 1.0\n", method)))
    with pytest.raises(FetchError, match=r"can be read \(NotImplementedError\)"):
        facts_of(IndexReader(5), "peft", only_file(index, "peft"))


def zip_end(entries: int, size: int, at: int) -> bytes:
    """Return the end of a zip (ZIP64) that has a list of this size at a place."""
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, size, at)
    place = struct.pack("<4sLQL", b"PK\6\7", 0, at + size, 1)
    few = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return record + place + few


@pytest.mark.parametrize("claimed", [TERABYTE, 1 << 63])
def test_a_list_of_files_of_a_terabyte_is_not_read(index: PackageIndex, claimed: int) -> None:
    end = zip_end(1, TERABYTE - 98, claimed - TERABYTE)
    whole = (("Content-Range", f"bytes {claimed - len(end)}-{claimed - 1}/{claimed}"),)
    put(index, Page(end, status=206, headers=whole))
    with pytest.raises(FetchError, match="more than 8 MiB of it would have to be read"):
        facts_of(IndexReader(5), "peft", only_file(index, "peft"))


def test_a_list_of_very_many_files_is_not_read(index: PackageIndex) -> None:
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, *[0] * 8, 1, *[0] * 6) + b"x"
    files = entry * 250_000
    put(index, Page(files + zip_end(250_000, len(files), 0)))
    with pytest.raises(FetchError, match="more than 8 MiB of it would have to be read"):
        facts_of(IndexReader(5), "peft", only_file(index, "peft"))


def test_a_requirement_that_is_too_long_is_a_line(index: PackageIndex) -> None:
    index.project("peft", index.wheel("peft", "1.0", f"torch>={'1.' * 9_999}0"))
    with pytest.raises(FetchError, match="a requirement of more than 4000 characters"):
        facts_of(IndexReader(5), "peft", only_file(index, "peft"))
