"""``rocmlint stack update``: newer tables from package indexes, which only ``stack`` uses."""

from __future__ import annotations

import json
import sys
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate  # type: ignore[import-untyped]
from packaging.version import Version

from rocmlint.cli.stack.ages import about_tables
from rocmlint.published import amd_wheels, requirement_lines, requirements, rocm_wheels, tables
from rocmlint.published.requirement_lines import packed, releases_of, unpacked
from rocmlint.published.tables import Use
from rocmlint.stack import index_config, newer_requirements, newer_wheels
from rocmlint.stack import update as update_module
from rocmlint.stack.fetch import FetchError, Reader
from rocmlint.stack.index_config import PYPI, Index, find_certificates, find_index
from tests.support.package_index import PackageIndex, Page, serving

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from tests.support.project import Project

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "stack.json").read_text())
ONLY = ("--only", "requirements", "rocm_wheels")
"""AMD's indexes are in its table, and are not asked by tests."""
TODAY = datetime.now(timezone.utc).date().isoformat()
LINES = requirements.lines()
NOWHERE = update_module.Sources("", "")
WHEELS = """<html><body>
<a href="/whl/torch-2.14.1%2Brocm7.2-cp313-cp313-manylinux_2_28_x86_64.whl#sha256=0">a</a>
<a href="/whl/torch-2.14.1%2Brocm7.14-cp313-cp313-manylinux_2_28_x86_64.whl">b</a>
<a href="/whl/torch-2.15.0%2Brocm7.14-cp314-cp314t-manylinux_2_28_x86_64.whl">c</a>
<a href="/whl/torch-2.15.0%2Brocm10.0-cp311-cp311-manylinux_2_28_x86_64.whl">d</a>
<a href="/whl/torch-2.15.0%2Brocm10.0-cp311-cp311-win_amd64.whl">only Windows</a>
<a href="/whl/torch-2.15.0%2Bcu130-cp311-cp311-manylinux_2_28_x86_64.whl">CUDA</a>
<a href="/whl/torch-2.15.0%2Brocm10.0.git12-cp311-cp311-linux_x86_64.whl">another label</a>
</body></html>"""
NIGHTLY = """<a href="torch-2.16.0.dev20261120%2Brocm10.2-cp312-cp312-linux_x86_64.whl">n</a>
<a href="torch-2.14.0.dev20260701%2Brocm7.1-cp312-cp312-linux_x86_64.whl">old</a>"""


@pytest.fixture(scope="module")
def everything() -> Iterator[PackageIndex]:
    """Serve an index with all packages, and a new release of one."""
    with serving() as index:
        for name, line in LINES.items():
            newest = [*releases_of(line)][-1]
            index.project(name, {"filename": f"{name}-{newest}.tar.gz", "url": "x"})
        index.project("peft", index.wheel("peft", "9.0.0", "torch>=2.16", day=TODAY))
        index.pages["/whl/torch/"] = Page(WHEELS.encode(), "text/html")
        index.pages["/whl/nightly/torch/"] = Page(NIGHTLY.encode(), "text/html")
        yield index


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    with serving() as found:
        yield found


def update(project: Project, index: PackageIndex, *more: str) -> subprocess.CompletedProcess[str]:
    """Run the verb, with its data folder in the project."""
    flags = ("--index-url", index.simple, "--pytorch-url", f"{index.url}/whl", *ONLY, *more)
    return project.run("stack", "update", *flags, **data_of(project))


def data_of(project: Project) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(project.root / "data")}


def fetched(project: Project, name: str) -> Path:
    return project.root / "data" / "rocmlint" / "tables" / name


# The whole verb


@pytest.mark.skipif(sys.platform != "linux", reason="the folder is another one elsewhere")
def test_what_was_fetched_is_used_by_stack_and_told(
    project: Project, everything: PackageIndex
) -> None:
    done = update(project, everything)
    assert (done.returncode, done.stderr) == (0, "")
    assert "new: peft 9.0.0" in done.stdout
    assert "new: torch 2.15 for ROCm 7.14, torch 2.15 for ROCm 10.0" in done.stdout
    assert f"PyTorch's ROCm wheels: now of {TODAY}, was of {rocm_wheels.as_of()}" in done.stdout

    asked = ("--offline", "--torch", "2.15", "--python-version", "3.11", "peft")
    answer = project.run("stack", "compatible", *asked, **data_of(project))
    assert "9.0.0" in answer.stdout
    assert "torch 2.15 has wheels for ROCm 7.14 and 10.0.\n" in answer.stdout
    told = f"note: PyTorch's ROCm wheels: as fetched by rocmlint stack update (newest row {TODAY})"
    assert told in answer.stderr
    assert "what releases require: as fetched by" in answer.stderr
    assert "9.0.0" not in project.run("stack", "compatible", *asked).stdout

    command = project.run("stack", "install-command", "--rocm", "10.0", **data_of(project))
    assert "torch==2.15.0+rocm10.0 --index-url" in command.stdout
    assert "fetched for stack" in project.run("--version", **data_of(project)).stdout

    reset = project.run("stack", "update", "--reset", **data_of(project))
    assert reset.stdout.count("Deleted ") == 2
    assert not fetched(project, rocm_wheels.NAME).exists()
    assert (
        "no fetched tables" in project.run("stack", "update", "--reset", **data_of(project)).stdout
    )


def test_the_json_follows_its_schema(project: Project, everything: PackageIndex) -> None:
    done = update(project, everything, "--output-format", "json")
    document = json.loads(done.stdout)
    validate(document, SCHEMA)
    assert [each["table"] for each in document["tables"]] == ["requirements", "rocm_wheels"]
    assert set(document["not_fetched"]) >= {"names", "variables"}


def test_findings_do_not_change_with_what_was_fetched(
    project: Project, everything: PackageIndex
) -> None:
    assert update(project, everything).returncode == 0
    project.write(
        "requirements.txt", "torch==2.15.0\n--index-url https://download.pytorch.org/whl/rocm6.5\n"
    )
    here, there = project.run("-n"), project.run("-n", **data_of(project))
    assert here.returncode == 1
    assert (here.stdout, here.stderr) == (there.stdout, there.stderr)


def test_an_index_that_has_nothing_is_a_line_each_and_writes_nothing(
    project: Project, index: PackageIndex
) -> None:
    done = update(project, index)
    assert done.returncode == 2
    assert done.stdout.count("HTTP 404") == 2
    assert not fetched(project, requirement_lines.NAME).exists()


def test_packages_that_are_missing_stay_as_they_were(project: Project, index: PackageIndex) -> None:
    index.project("peft", index.wheel("peft", "9.0.0", day=TODAY))
    done = update(project, index)
    assert done.returncode == 3
    assert "known as before" in done.stdout
    as_of, lines = unpacked(fetched(project, requirement_lines.NAME).read_bytes())
    assert as_of == requirements.AS_OF
    assert [*releases_of(lines["peft"])][-1] == "9.0.0"
    assert {**lines, "peft": ""} == {**LINES, "peft": ""}


def test_a_second_update_at_the_same_time_is_refused(project: Project, index: PackageIndex) -> None:
    fcntl = pytest.importorskip("fcntl")
    lock = fetched(project, "update.lock")
    lock.parent.mkdir(parents=True)
    with lock.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = update(project, index)
    assert (done.returncode, done.stderr) == (
        2,
        "error: another rocmlint stack update is running\n",
    )
    assert index.asked == []


def test_a_folder_that_cannot_be_made_is_a_line(project: Project, index: PackageIndex) -> None:
    project.write("data", "a file\n")
    done = update(project, index)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {fetched(project, 'update.lock')} cannot be opened")
    assert done.stderr.count("\n") == 1


# Tables that were fetched


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x1f\x8b\x08\x00 half", id="cut"),
        pytest.param(packed("2030-01-01", {"peft": "{}"}), id="no rows"),
        pytest.param(packed("2030-01-01", {"peft": "[" * 9999}), id="nested"),
        pytest.param(
            packed("2030-01-01", {"peft": LINES["peft"].replace("[0,", '["x",')}), id="types"
        ),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="the folder is another one elsewhere")
def test_a_damaged_table_is_passed_over_with_a_line(project: Project, content: bytes) -> None:
    path = fetched(project, requirement_lines.NAME)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    asked = (
        "stack",
        "compatible",
        "--offline",
        "--torch",
        "2.10",
        "--python-version",
        "3.12",
        "peft",
    )
    done = project.run(*asked, **data_of(project))
    assert (done.returncode, done.stdout) == (0, project.run(*asked).stdout)
    (line,) = [each for each in done.stderr.splitlines() if "days old" not in each]
    assert line.startswith(f"note: {path} cannot be read (")
    assert line.endswith("the table that ships with rocmlint is used")


def test_a_table_that_is_older_than_the_shipped_one_is_not_used(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(project.root / "data"))
    monkeypatch.setattr(tables, "_folder", [str(fetched(project, ""))])
    monkeypatch.setattr(tables, "_used", {})
    path = fetched(project, requirement_lines.NAME)
    path.parent.mkdir(parents=True)
    path.write_bytes(packed("2026-01-01", {"peft": LINES["peft"]}))
    as_of, lines = requirements._data.__wrapped__()
    assert (as_of, len(lines)) == (requirements.AS_OF, len(LINES))
    assert tables.used() == (Use(requirement_lines.NAME, requirements.AS_OF),)


def test_rows_of_wheels_are_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tables, "_folder", [str(tmp_path)])
    monkeypatch.setattr(tables, "_used", {})
    rows = json.loads(newer_wheels.written(rocm_wheels.rows()))["rows"]
    rows[-1] = {**rows[-1], "date": "2030-01-01", "gfx": {"7.2": ["gfx90a"]}}
    (tmp_path / rocm_wheels.NAME).write_text(json.dumps({"rows": rows}))
    assert rocm_wheels.rows.__wrapped__() == rocm_wheels.rows()
    assert "TypeError" in tables.used()[0].problem


def test_old_tables_are_told_after_ninety_days() -> None:
    use = Use("rocm_wheels.json", "2026-09-02")
    assert [*about_tables([use], date(2026, 12, 1))] == []
    (note,) = about_tables([use], date(2026, 12, 2))
    assert note.startswith("PyTorch's ROCm wheels: the newest row is 91 days old (2026-09-02); ")
    assert "rocmlint stack update" in note


# Requirements


def newer(index: PackageIndex, package: str = "peft") -> newer_requirements.Found:
    return newer_requirements._newer(Reader(20), index.simple, package, LINES)


def test_a_new_release_is_read_with_what_it_requires(index: PackageIndex) -> None:
    wheel = index.wheel("peft", "9.0.0", "torch>=2.4", "unheard-of", day=TODAY)
    index.project("peft", wheel, index.wheel("peft", "9.1.0rc1"))
    found = newer(index)
    assert (found.new, found.uploaded, found.problem) == (("9.0.0",), TODAY, "")
    facts = releases_of(found.line)["9.0.0"]
    assert facts["requires_dist"] == ["torch>=2.4"]
    assert (facts["requires_python"], facts["uploaded"]) == (">=3.10", TODAY)


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
    assert newer_requirements.newest_day([found], requirements.AS_OF) == TODAY


def test_a_release_without_a_wheel_is_listed_without_requirements(index: PackageIndex) -> None:
    entry: dict[str, object] = {
        "filename": "peft-9.0.0.tar.gz",
        "url": "x",
        "upload-time": f"{TODAY}T01:00:00Z",
    }
    index.project("peft", entry)
    assert releases_of(newer(index).line)["9.0.0"] == {"uploaded": TODAY}


def test_a_release_that_was_yanked_since_is_marked(index: PackageIndex) -> None:
    last = [*releases_of(LINES["peft"])][-1]
    index.project("peft", {"filename": f"peft-{last}.tar.gz", "url": "x", "yanked": "broken"})
    assert releases_of(newer(index).line)[last]["is_yanked"]


def test_only_the_newest_of_very_many_releases_are_read(index: PackageIndex) -> None:
    many = [index.wheel("peft", f"9.{minor}.0", day=TODAY) for minor in range(40)]
    index.project("peft", *many)
    found = newer(index)
    assert (len(found.new), found.new[-1]) == (30, "9.39.0")


def test_wrong_metadata_leave_the_release_out_and_are_told(index: PackageIndex) -> None:
    wheel = index.wheel("peft", "9.0.0", day=TODAY)
    index.project("peft", wheel)
    index.pages[f"/files/{wheel['filename']}.metadata"] = Page(b"Name: evil\n")
    found = newer(index)
    assert (found.new, found.line) == ((), LINES["peft"])
    assert "another hash" in found.problem


def test_a_day_in_the_future_does_not_make_the_table_newer() -> None:
    far = (datetime.now(timezone.utc).date() + timedelta(days=9)).isoformat()
    found = newer_requirements.Found("peft", LINES["peft"], uploaded=far)
    assert newer_requirements.newest_day([found], "2026-11-15") == "2026-11-15"


# Wheels


def test_the_index_says_which_rocm_a_torch_has_wheels_for(index: PackageIndex) -> None:
    index.pages["/whl/torch/"] = Page(WHEELS.encode(), "text/html")
    index.pages["/whl/nightly/torch/"] = Page(NIGHTLY.encode(), "text/html")
    rows = {each.torch: each for each in newer_wheels.find_wheels(Reader(20), f"{index.url}/whl")}
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
        newer_wheels.find_wheels(Reader(20), f"{index.url}/whl")


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
    done = update_module._amd_wheels(Reader(20), NOWHERE, str(tmp_path), lambda _: None)
    assert done.new == ("torch 2.16.0 for ROCm 10.2.0 (linux)",) * 2
    assert (done.date, done.problems) == (TODAY, ())
    monkeypatch.undo()
    monkeypatch.setattr(tables, "_folder", [str(tmp_path)])
    monkeypatch.setattr(tables, "_used", {})
    fetched = amd_wheels._data.__wrapped__()
    assert fetched["as_of"] == TODAY
    assert {"10.2.0"} < {each["rocm"] for each in fetched["builds"]}


def test_amds_table_stays_where_its_indexes_cannot_be_read(
    index: PackageIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = amd_wheels.data()
    moved = [{**each, "url": f"{index.url}/amd/"} for each in known["indexes"]]
    monkeypatch.setattr(amd_wheels, "data", lambda: {**known, "indexes": moved})
    done = update_module._amd_wheels(Reader(20), NOWHERE, str(tmp_path), lambda _: None)
    assert (done.reached, done.problems) == (False, (f"{index.url}/amd/: HTTP 404",) * 2)
    assert [*tmp_path.iterdir()] == []


# Which index


@pytest.fixture
def no_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "pip.conf").write_text("")
    index_config._written.cache_clear()
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PIP_INDEX_URL", "https://a.org/simple"),
        ("UV_INDEX_URL", "https://a.org/simple"),
        ("UV_DEFAULT_INDEX", "https://a.org/simple"),
        ("UV_DEFAULT_INDEX", "mirror=https://a.org/simple"),
    ],
)
@pytest.mark.usefixtures("no_index")
def test_the_index_of_a_variable_is_asked(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert find_index() == Index("https://a.org/simple", name)


@pytest.mark.usefixtures("no_index")
def test_the_index_of_pips_configuration_is_asked(tmp_path: Path) -> None:
    pytest.importorskip("pip")
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://a.org/simple\n")
    assert find_index() == Index("https://a.org/simple", "pip config, global.index-url")


@pytest.mark.usefixtures("no_index")
def test_without_configuration_it_is_pypi() -> None:
    assert find_index().url == PYPI


@pytest.mark.usefixtures("no_index")
def test_the_certificates_that_pip_trusts_are_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("pip")
    for name in ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "pip.conf").write_text("[global]\ncert = /our/authorities.pem\n")
    assert find_certificates() == "/our/authorities.pem"
    with pytest.raises(FetchError, match=r"^/our/authorities\.pem: not certificates"):
        Reader(5, certificates=find_certificates())
