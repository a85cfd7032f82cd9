"""What package indexes have that the shipped tables do not, read into rows."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from rocmlint.published import amd_wheels, requirements, rocm_wheels, tables
from rocmlint.published.requirement_lines import releases_of
from rocmlint.stack import update as update_module
from rocmlint.stack.indexes import newer_requirements, newer_wheels
from rocmlint.stack.indexes.fetch import FetchError, IndexReader
from tests.support.package_index import NIGHTLY, WHEELS, PackageIndex, Page, today

if TYPE_CHECKING:
    from pathlib import Path

LINES = requirements.lines()
NOWHERE = update_module.TableSources("", "")

# Requirements


def newer(index: PackageIndex, package: str = "peft") -> newer_requirements.FoundRequirements:
    return newer_requirements._newer(IndexReader(20), index.simple, package, LINES)


def test_a_new_release_is_read_with_what_it_requires(index: PackageIndex) -> None:
    wheel = index.wheel("peft", "9.0.0", "torch>=2.4", "unheard-of", day=today())
    index.project("peft", wheel, index.wheel("peft", "9.1.0rc1"))
    found = newer(index)
    assert (found.new, found.uploaded, found.problem) == (("9.0.0",), today(), "")
    facts = releases_of(found.line)["9.0.0"]
    assert facts["requires_dist"] == ["torch>=2.4"]
    assert (facts["requires_python"], facts["uploaded"]) == (">=3.10", today())


def test_a_release_from_before_the_table_is_not_read_again(index: PackageIndex) -> None:
    index.project("peft", index.wheel("peft", "0.0.1", day="2020-01-01"))
    assert (newer(index).new, newer(index).line) == ((), LINES["peft"])


def test_of_an_index_without_days_the_later_versions_are_new(index: PackageIndex) -> None:
    index.wheel("peft", "9.0.0", beside=False)
    links = "".join(
        f'<a href="../../files/peft-{each}-py3-none-any.whl">x</a>' for each in ("0.0.1", "9.0.0")
    )
    index.pages["/simple/peft/"] = Page(links.encode(), "text/html")
    found = newer(index)
    assert (found.new, found.uploaded) == (("9.0.0",), "")
    assert newer_requirements.newest_day([found], requirements.AS_OF) == today()


def test_a_release_without_a_wheel_is_listed_without_requirements(index: PackageIndex) -> None:
    entry: dict[str, object] = {
        "filename": "peft-9.0.0.tar.gz",
        "url": "x",
        "upload-time": f"{today()}T01:00:00Z",
    }
    index.project("peft", entry)
    assert releases_of(newer(index).line)["9.0.0"] == {"uploaded": today()}


def test_a_release_that_was_yanked_since_is_marked(index: PackageIndex) -> None:
    last = [*releases_of(LINES["peft"])][-1]
    index.project("peft", {"filename": f"peft-{last}.tar.gz", "url": "x", "yanked": "broken"})
    assert releases_of(newer(index).line)[last]["is_yanked"]


def test_only_the_newest_of_very_many_releases_are_read(index: PackageIndex) -> None:
    many = [index.wheel("peft", f"9.{minor}.0", day=today()) for minor in range(40)]
    index.project("peft", *many)
    found = newer(index)
    assert (len(found.new), found.new[-1]) == (30, "9.39.0")


def test_pages_that_take_long_to_read_are_left_when_the_time_is_over(index: PackageIndex) -> None:
    tags = ".".join(f"p{number}" for number in range(30))
    names = (f"x-{number}-{tags}-none-any.whl" for number in range(10_000))
    page = json.dumps({"files": [{"filename": each, "url": ""} for each in names]}).encode()
    for package in LINES:
        index.pages[f"/simple/{package}/"] = Page(page, "application/json")
    started = time.process_time()
    found = newer_requirements.find_newer(IndexReader(0.5), index.simple, lambda _: None)
    assert time.process_time() - started < 20  # all of them take minutes
    assert sum("out of time" in each.problem for each in found) > len(LINES) / 2


def test_wrong_metadata_leave_the_release_out_and_are_told(index: PackageIndex) -> None:
    wheel = index.wheel("peft", "9.0.0", day=today())
    index.project("peft", wheel)
    index.pages[f"/files/{wheel['filename']}.metadata"] = Page(b"Name: evil\n")
    found = newer(index)
    assert (found.new, found.line) == ((), LINES["peft"])
    assert "another hash" in found.problem


@pytest.mark.parametrize("day", ["2026-99-99", "0000-00-00", "9999-12-31", "soon", "tomorrow"])
def test_an_impossible_or_future_day_is_unknown(index: PackageIndex, day: str) -> None:
    day = today(1) if day == "tomorrow" else day
    last = index.wheel("peft", [*releases_of(LINES["peft"])][-1], day=requirements.AS_OF)
    index.project("peft", last, index.wheel("peft", "9.0.0", day=day))
    found = newer(index)
    assert (found.new, found.uploaded, found.problem) == (("9.0.0",), requirements.AS_OF, "")
    assert releases_of(found.line)["9.0.0"].get("uploaded", "") <= today()
    assert newer_requirements.newest_day([found], "2026-11-01") == requirements.AS_OF


# Wheels


def test_the_index_says_which_rocm_a_torch_has_wheels_for(index: PackageIndex) -> None:
    index.pages["/whl/torch/"] = Page(WHEELS.encode(), "text/html")
    index.pages["/whl/nightly/torch/"] = Page(NIGHTLY.encode(), "text/html")
    rows = {
        each.torch: each for each in newer_wheels.find_wheels(IndexReader(20), f"{index.url}/whl")
    }
    assert [*map(Version, rows)] == sorted(map(Version, rows))
    assert (rows["2.15"].rocm, rows["2.15"].status) == (("7.14", "10.0"), "release")
    assert rows["2.15"].python_tags == {"2.15.0": "cp311 cp314t"}
    assert rows["2.15"].source == f"{index.url}/whl/torch/"
    assert (rows["2.16"].rocm, rows["2.16"].status) == (("10.2",), "nightly")
    assert rows["2.14"].gfx == rocm_wheels.rows()[-2].gfx
    assert rows["2.13"] == rocm_wheels.row("2.13")


@pytest.mark.parametrize("page", ["<html>Sign in</html>", WHEELS.replace("rocm", "cu")])
def test_a_page_without_rocm_wheels_is_not_the_index(index: PackageIndex, page: str) -> None:
    index.pages["/whl/torch/"] = Page(page.encode(), "text/html")
    with pytest.raises(FetchError, match="lists no ROCm wheels"):
        newer_wheels.find_wheels(IndexReader(20), f"{index.url}/whl")


# AMD's wheels


def test_amds_indexes_are_read_into_its_table(
    index: PackageIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = amd_wheels.data()
    moved = [{**each, "url": f"{index.url}/amd/"} for each in known["indexes"]]
    monkeypatch.setattr(amd_wheels, "data", lambda: {**known, "indexes": moved})
    index.pages["/amd/"] = Page(b'<a href="/whl/amd-torch-device-gfx942/">x</a>', "text/html")
    for name, version in (("torch", "2.16.0"), ("torchvision", "0.31.0"), ("torchaudio", "2.11.0")):
        link = f'<a href="../{name}-{version}%2Brocm10.2.0-cp312-cp312-linux_x86_64.whl">x</a>'
        index.pages[f"/amd/{name}/"] = Page(link.encode(), "text/html")
    done = update_module._amd_wheels(IndexReader(20), NOWHERE, str(tmp_path), lambda _: None)
    assert done.new == ("torch 2.16.0 for ROCm 10.2.0 (linux)",) * 2
    assert (done.date, done.problems) == (today(), ())
    monkeypatch.undo()
    monkeypatch.setattr(tables, "_folder", [str(tmp_path)])
    monkeypatch.setattr(tables, "_used", {})
    fetched = amd_wheels._data.__wrapped__()
    assert fetched["as_of"] == today()
    assert {"10.2.0"} < {each["rocm"] for each in fetched["builds"]}


def test_amds_table_stays_where_its_indexes_cannot_be_read(
    index: PackageIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = amd_wheels.data()
    moved = [{**each, "url": f"{index.url}/amd/"} for each in known["indexes"]]
    monkeypatch.setattr(amd_wheels, "data", lambda: {**known, "indexes": moved})
    done = update_module._amd_wheels(IndexReader(20), NOWHERE, str(tmp_path), lambda _: None)
    assert (done.reached, done.problems) == (False, (f"{index.url}/amd/: HTTP 404",) * 2)
    assert [*tmp_path.iterdir()] == []
