"""Which torch has wheels for which ROCm, as the shipped table has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from rocmlint.published import rocm_wheels
from rocmlint.stack.compatible import compatible
from tests.support.wheels import metadata_of

if TYPE_CHECKING:
    from pathlib import Path

ROWS = rocm_wheels.rows()
RESOLVED = [each for each in ROWS if each.newest]


def test_the_versions_of_rocm_are_those_of_the_build_matrices() -> None:
    known = rocm_wheels.rocm_versions()
    since = known[known.index("5.3") :]
    assert " ".join(since) == (
        "5.3 5.4.2 5.5 5.6 5.7 6.0 6.1 6.2 6.2.4 6.3 6.4 7.0 7.1 7.2 7.14 10.0"
    )


@pytest.mark.parametrize("never", ["6.5", "6.6", "7.9", "5.4"])
def test_what_was_never_built_has_no_torch_and_no_index(never: str) -> None:
    assert rocm_wheels.torch_for(never) == ()
    with pytest.raises(LookupError, match=f"no wheels for ROCm {never}"):
        rocm_wheels.index_url(never)


@pytest.mark.parametrize(
    ("torch", "rocm"),
    [
        ("2.4", ("6.0", "6.1")),
        ("2.4.1", ("6.0", "6.1")),
        ("2.6.0+rocm6.1", ("6.1", "6.2.4")),
        ("2.10", ("7.0", "7.1")),
        ("1.0", ()),
        ("not a version", ()),
    ],
)
def test_rocm_for_a_torch(torch: str, rocm: tuple[str, ...]) -> None:
    assert rocm_wheels.rocm_for(torch) == rocm


def test_only_one_torch_has_wheels_for_5_5() -> None:
    assert rocm_wheels.torch_for("5.5") == ("2.1",)


@pytest.mark.parametrize(
    ("rocm", "nearest"),
    [
        ("6.5", "6.4"),
        ("6.2.2", "6.2"),
        ("6.2.4", "6.2.4"),
        ("7.1.1", "7.1"),
        ("7.10", "7.2"),
        ("99", "10.0"),
        ("0.1", "4.0.1"),
    ],
)
def test_the_nearest_is_the_newest_that_is_not_above(rocm: str, nearest: str) -> None:
    assert rocm_wheels.nearest(rocm) == nearest


def test_there_is_nothing_near_what_is_no_version() -> None:
    with pytest.raises(InvalidVersion):
        rocm_wheels.nearest("seven")


def test_the_index_of_releases() -> None:
    assert rocm_wheels.index_url("7.1") == "https://download.pytorch.org/whl/rocm7.1"


def test_the_index_of_nightly_builds() -> None:
    nightly = rocm_wheels.index_url("10.0", nightly=True)
    assert nightly == "https://download.pytorch.org/whl/nightly/rocm10.0"


def test_an_old_rocm_has_no_nightly_builds() -> None:
    with pytest.raises(LookupError, match=r"no nightly wheels for ROCm 6\.0"):
        rocm_wheels.index_url("6.0", nightly=True)


def test_rows_ascend_and_name_their_source() -> None:
    versions = [Version(each.torch) for each in ROWS]
    assert versions == sorted(set(versions))
    for row in ROWS:
        assert row.source.startswith("github:pytorch/")
        assert list(row.rocm) == sorted(row.rocm, key=Version)


@given(st.sampled_from(rocm_wheels.rocm_versions()))
def test_both_directions_say_the_same(rocm: str) -> None:
    assert rocm_wheels.torch_for(rocm)
    assert all(rocm in rocm_wheels.rocm_for(torch) for torch in rocm_wheels.torch_for(rocm))


@pytest.mark.parametrize("row", RESOLVED, ids=lambda row: str(row.torch))
def test_the_shipped_metadata_give_the_libraries_that_uv_resolved(row: rocm_wheels.Row) -> None:
    answer = compatible(row.torch, tuple(row.newest), python="3.11", ask_uv=False)
    found = {each.package.partition("[")[0]: each.version for each in answer.libraries}
    assert found == dict(row.newest)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pinned", "torch", "fits"),
    [
        ("diffusers==0.38.0", "2.5", True),
        ("diffusers==0.39.0", "2.5", False),
        ("transformers==5.14.1", "2.4", True),
        ("transformers==5.15.0", "2.4", False),
    ],
)
def test_the_table_is_what_the_wheels_say(
    pinned: str, torch: str, fits: bool, tmp_path: Path
) -> None:
    """The newest release of a row takes its torch, by the METADATA in the wheel; the next not."""
    name, _, version = pinned.partition("==")
    row = rocm_wheels.row(torch)
    assert row is not None
    assert (row.newest[name] == version) == fits
    lines = metadata_of(pinned, tmp_path).get_all("Requires-Dist", [])
    extra = [each for each in map(Requirement, lines) if str(each.marker) == 'extra == "torch"']
    (needed,) = (each.specifier for each in extra if each.name == "torch")
    assert needed.contains(f"{torch}.1") == fits
