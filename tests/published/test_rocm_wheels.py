"""Which torch has wheels for which ROCm, as the shipped table has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from rocmlint.published import rocm_wheels
from rocmlint.stack.compatible import compatible
from tests.support.wheels import metadata_of
from tools.wheel_gpus import gpus

if TYPE_CHECKING:
    from pathlib import Path

ROWS = rocm_wheels.rows()
RESOLVED = [each for each in ROWS if each.newest]
IN_2_14 = (("2.14", "7.2"), ("2.14", "7.14"))


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


@pytest.mark.parametrize(
    ("torch", "rocm", "has", "has_not"),
    [
        ("2.0.1", "5.4.2", "gfx1030", "gfx1100"),
        ("2.3", "5.7", "gfx1100", "gfx942"),
        ("2.3.1+rocm6.0", "6.0", "gfx942", "gfx1101"),
        ("2.6.0", "6.1", "gfx1101", "gfx1201"),
        ("2.9.1", "6.4", "gfx1201", "gfx950"),
        ("2.10.0+rocm7.1", "7.1", "gfx1151", "gfx1103"),
        ("2.13", "7.2", "gfx1103", "gfx1036"),
        ("2.14", "7.2", "gfx900", "gfx1250"),
        ("2.14.1", "7.14", "gfx1103", "gfx906"),
    ],
)
def test_the_gpus_are_those_of_a_torch_and_a_rocm(
    torch: str, rocm: str, has: str, has_not: str
) -> None:
    known = rocm_wheels.architectures(torch, rocm)
    assert (has in known, has_not in known) == (True, False)


@pytest.mark.parametrize(
    ("torch", "rocm"),
    [
        ("2.10", "6.4"),
        ("1.9", "4.2"),
        ("2.16", "10.0"),
        ("2.14.0.dev20260801", "7.2"),
        ("x", "7.2"),
    ],
)
def test_the_gpus_of_other_pairs_are_not_known(torch: str, rocm: str) -> None:
    assert rocm_wheels.architectures(torch, rocm) == ()


def test_the_wheels_with_code_for_a_gpu() -> None:
    assert rocm_wheels.built_for("gfx1103") == (("2.13", "7.1"), ("2.13", "7.2"), *IN_2_14)
    assert rocm_wheels.built_for("gfx906")[-1] == ("2.14", "7.2")
    assert rocm_wheels.built_for("gfx1036") == ()


def test_every_list_of_gpus_names_its_source() -> None:
    for row in ROWS:
        assert set(row.gfx) == set(row.gfx_source) <= set(row.rocm)
        assert all(each.startswith("github:") for each in row.gfx_source.values())


def test_the_gpus_are_what_the_tool_writes() -> None:
    for row in ROWS:
        made = gpus(row.torch, [*row.rocm])
        assert (made["gfx"], made["gfx_source"]) == (row.gfx, row.gfx_source)


@pytest.mark.parametrize(
    ("torch", "oldest", "newest"),
    [
        ("2.0.1", "cp38", "cp311"),
        ("2.4.1+rocm6.1", "cp38", "cp312"),
        ("2.5", "cp39", "cp313"),
        ("2.12.1", "cp310", "cp314t"),
        ("2.15.0", "cp311", "cp315t"),
    ],
)
def test_the_python_tags_are_those_of_the_wheels(torch: str, oldest: str, newest: str) -> None:
    tags = rocm_wheels.python_tags(torch)
    assert (tags[0], tags[-1]) == (oldest, newest)


def test_a_patch_release_may_have_other_python_tags() -> None:
    assert "cp313t" in rocm_wheels.python_tags("2.12.0")
    assert "cp313t" not in rocm_wheels.python_tags("2.12.1")


@pytest.mark.parametrize("unknown", ["2.12.9", "1.0", "not a version"])
def test_python_tags_of_other_releases_are_not_known(unknown: str) -> None:
    assert rocm_wheels.python_tags(unknown) == ()


def test_every_release_has_python_tags_within_requires_python() -> None:
    for row in ROWS:
        assert row.python_tags
        for tag in rocm_wheels.python_tags(row.torch):
            minor = tag.removeprefix("cp3").removesuffix("t")
            assert SpecifierSet(row.python).contains(f"3.{minor}.99")


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
