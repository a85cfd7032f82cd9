"""``rocmlint stack update``: newer tables from package indexes, which only ``stack`` uses."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate  # type: ignore[import-untyped]

from rocmlint.published import requirement_lines, requirements, rocm_wheels
from rocmlint.published.requirement_lines import releases_of, unpacked
from rocmlint.stack.indexes import index_config
from rocmlint.stack.indexes.fetch import FetchError, IndexReader
from rocmlint.stack.indexes.index_config import PYPI, ConfiguredIndex, find_certificates, find_index
from tests.support.fetched_tables import ONLY, data_of, fetched
from tests.support.package_index import NIGHTLY, WHEELS, Page, serving, today

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from tests.support.package_index import PackageIndex
    from tests.support.project import Project

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "stack.json").read_text())
LINES = requirements.lines()


@pytest.fixture(scope="module")
def everything() -> Iterator[PackageIndex]:
    """Serve an index with all packages, and a new release of one."""
    with serving() as index:
        for name, line in LINES.items():
            newest = [*releases_of(line)][-1]
            index.project(name, {"filename": f"{name}-{newest}.tar.gz", "url": "x"})
        index.project("peft", index.wheel("peft", "9.0.0", "torch>=2.16", day=today()))
        index.pages["/whl/torch/"] = Page(WHEELS.encode(), "text/html")
        index.pages["/whl/nightly/torch/"] = Page(NIGHTLY.encode(), "text/html")
        yield index


def update(project: Project, index: PackageIndex, *more: str) -> subprocess.CompletedProcess[str]:
    """Run the verb, with its data folder in the project."""
    flags = ("--index-url", index.simple, "--pytorch-url", f"{index.url}/whl", *ONLY, *more)
    return project.run("stack", "update", *flags, **data_of(project))


# The whole verb


@pytest.mark.skipif(sys.platform != "linux", reason="the folder is another one elsewhere")
def test_what_was_fetched_is_used_by_stack_and_told(
    project: Project, everything: PackageIndex
) -> None:
    done = update(project, everything)
    assert (done.returncode, done.stderr) == (0, "")
    assert "new: peft 9.0.0" in done.stdout
    assert "new: torch 2.15 for ROCm 7.14, torch 2.15 for ROCm 10.0" in done.stdout
    updated = f"updated from {rocm_wheels.as_of()} to {today()}"
    assert f"PyTorch's ROCm wheels: {updated}" in done.stdout

    asked = ("--offline", "--torch", "2.15", "--python-version", "3.11", "peft")
    answer = project.run("stack", "compatible", *asked, **data_of(project))
    assert "9.0.0" in answer.stdout
    assert "PyTorch's index has torch 2.15 for ROCm 7.14 and 10.0.\n" in answer.stdout
    told = (
        f"note: PyTorch's ROCm wheels: as fetched by rocmlint stack update (newest row {today()})"
    )
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


def test_an_index_that_has_nothing_is_an_error_and_writes_nothing(
    project: Project, index: PackageIndex
) -> None:
    done = update(project, index)
    assert (done.returncode, done.stdout) == (2, "")
    first = min(LINES)
    assert done.stderr == (
        f"error: nothing could be read: {first}: {index.simple}/{first}/: HTTP 404; "
        f"{index.url}/whl/torch/: HTTP 404\n"
    )
    assert not fetched(project, requirement_lines.NAME).exists()


@pytest.mark.parametrize("more", [(), ("--timeout", "0"), ("--timeout", "soon"), ("--bogus",)])
def test_an_error_is_a_document_where_json_was_asked_for(
    project: Project, index: PackageIndex, more: tuple[str, ...]
) -> None:
    done = update(project, index, "--output-format", "json", *more)
    document = json.loads(done.stdout)
    validate(document, SCHEMA)
    assert (done.returncode, document["exit_code"], document["verb"]) == (2, 2, "update")
    assert done.stderr == f"error: {document['error']}\n"


def test_packages_that_are_missing_stay_as_they_were(project: Project, index: PackageIndex) -> None:
    index.project("peft", index.wheel("peft", "9.0.0", day=today()))
    done = update(project, index)
    assert done.returncode == 3
    assert "and is unchanged" in done.stdout
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
    assert find_index() == ConfiguredIndex("https://a.org/simple", name)


@pytest.mark.usefixtures("no_index")
def test_the_index_of_pips_configuration_is_asked(tmp_path: Path) -> None:
    pytest.importorskip("pip")
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://a.org/simple\n")
    assert find_index() == ConfiguredIndex("https://a.org/simple", "pip config, global.index-url")


@pytest.mark.usefixtures("no_index")
def test_a_password_in_pips_configuration_is_read_as_it_is_written(tmp_path: Path) -> None:
    pytest.importorskip("pip")
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://me:a'b\\c\"@a.org/simple\n")
    assert find_index().url == "https://me:a'b\\c\"@a.org/simple"


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
        IndexReader(5, certificates=find_certificates())
