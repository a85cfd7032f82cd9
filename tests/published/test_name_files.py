"""The files of the index of names: whole, small, and an error of ours where they are damaged."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.errors import RocmlintError
from rocmlint.published import name_data, names
from rocmlint.published.names import PackageNames

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("package", names.packages())
def test_every_shipped_file_can_be_read_to_its_end(package: str) -> None:
    """Each piece is there, and each state it names."""
    found = names.names_of(package)
    assert found is not None
    assert list(found.versions) == sorted(found.versions)
    for module in found.modules():
        for name in list(found.names(module))[:3]:
            found.history(f"{module}.{name}")


def test_all_files_together_are_small() -> None:
    """At most 5 MB in the wheel."""
    sizes = [os.path.getsize(each.path) for each in os.scandir(name_data.FOLDER)]
    assert 0 < sum(sizes) < 5_000_000


@pytest.mark.parametrize("keep", [0, 10, 40, 2000, -1])
def test_a_cut_file_is_an_error_that_says_so(tmp_path: Path, keep: int) -> None:
    """It names the file and what to do."""
    with open(os.path.join(name_data.FOLDER, "peft.names"), "rb") as file:
        whole = file.read()
    path = tmp_path / "peft.names"
    path.write_bytes(whole[:keep])
    with pytest.raises(RocmlintError, match="reinstall rocmlint"):
        read_all(str(path))


@given(st.integers(0, 400), st.integers(1, 255))
def test_a_changed_byte_is_an_error_of_ours_or_no_matter(place: int, change: int) -> None:
    """Never another exception."""
    changed = bytearray(small())
    changed[place % len(changed)] ^= change
    with tempfile.NamedTemporaryFile(suffix=".names") as file:
        file.write(changed)
        file.flush()
        with contextlib.suppress(RocmlintError):
            read_all(file.name)


def read_all(path: str) -> None:
    """Ask a file of names for all it has."""
    package = PackageNames(name_data.NameFile(path))
    for module in package.modules():
        for name in package.names(module):
            package.history(f"{module}.{name}")


def small(**told: object) -> bytes:
    """Make a whole file of names of one module, of two versions."""
    head = {
        "package": "p",
        "versions": ["1.0", "2.0"],
        "sets": [0, 3, 1, 2],
        "modules": {"1": "p"},
        "foreign": "os",
        "bases": {"q.Base": "inherited"},
        "pieces": {},
    }
    body = zlib.compress(
        json.dumps({"p": {"whole": 1, "names": {".": {"2": "A"}}, **told}}).encode()
    )
    head["pieces"] = {"p": [0, len(body)]}
    start = zlib.compress(json.dumps(head).encode())
    return name_data.MAGIC + str(len(start)).encode() + b"\n" + start + body


@pytest.mark.parametrize(
    ("attribute", "states"),
    [("own", [True, None]), ("inherited", [True, None]), ("missing", [False, None])],
)
def test_of_a_class_that_another_version_has_as_a_value_the_members_are_unknown_there(
    attribute: str, states: list[bool | None], tmp_path: Path
) -> None:
    """In version 1.0 it is a class that is defined in this module, in 2.0 nobody knows which."""
    path = tmp_path / "p.names"
    path.write_bytes(
        small(
            names={".": {"2": "A"}, "": {"3": "A"}},
            classes={"A": {"own": {"2": "own"}, "bases": {"1": "!q.Base"}}},
        )
    )
    package = PackageNames(name_data.NameFile(str(path)))
    history = package.member("p.A", attribute)
    assert history is not None
    assert [history.at(each) for each in package.versions] == states
