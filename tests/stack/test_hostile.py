"""Environments that somebody broke, or made to break what reads them."""

from __future__ import annotations

import json
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.advice.rollback import source_of
from rocmlint.stack.checks.guards import guards
from rocmlint.stack.installed.rocm import find_rocm
from rocmlint.stack.installed.torch_build import read_torch
from tests.support.stacks import FakeEnvironment, FakeMachine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEEP_PYTHON = f"x = {'-' * 90_000}1\n"
DEEP_JSON = f'{{"url": {"[" * 50_000}{"]" * 50_000}}}'


@contextmanager
def denied(path: Path) -> Iterator[None]:
    """Take all rights to a file or a folder for a while."""
    path.chmod(0)
    try:
        if os.access(path, os.R_OK):
            pytest.skip("this user may read all files")
        yield
    finally:
        path.chmod(stat.S_IRWXU)


def test_a_version_py_that_nests_too_deeply_is_told(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.write("torch/version.py", DEEP_PYTHON)
    torch = read_torch(packages.read())
    assert torch is not None
    assert torch.problem.endswith("torch/version.py is not valid Python: it nests too deeply")


def test_guards_that_nest_too_deeply_are_none(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("transformers", "5.23.0")
    packages.write("transformers/__init__.py", "")
    packages.write("transformers/utils/import_utils.py", DEEP_PYTHON)
    assert list(guards(packages.read())) == []


def test_an_origin_that_nests_too_deeply_is_none(packages: FakeEnvironment) -> None:
    packages.install("peft", "0.17.0")
    packages.write("peft-0.17.0.dist-info/direct_url.json", DEEP_JSON)
    (peft,) = packages.read().distributions
    assert source_of(peft) == "peft==0.17.0"


@pytest.mark.parametrize(
    "origin",
    [
        {"url": 7},
        {"url": "https://acme.example/peft.whl\n--index-url https://evil.example"},
        {"url": "https://acme.example/peft.whl --config-settings=x"},
        {"url": "file:///src%0A-r%20/etc/passwd", "dir_info": {"editable": True}},
        {"url": "https://acme.example/peft", "vcs_info": "git"},
        {"url": "https://acme.example/peft", "vcs_info": {"vcs": "git", "commit_id": "a\nb"}},
        {"url": "https://acme.example/peft", "subdirectory": "a\n-e /b"},
        ["https://acme.example/peft.whl"],
    ],
)
def test_an_origin_that_no_installer_writes_adds_no_line_to_a_file_for_pip(
    packages: FakeEnvironment, origin: object
) -> None:
    packages.install("peft", "0.17.0")
    packages.write("peft-0.17.0.dist-info/direct_url.json", json.dumps(origin))
    (peft,) = packages.read().distributions
    assert source_of(peft) == "peft==0.17.0"


@pytest.mark.parametrize(
    ("name", "size", "limit"), [("METADATA", 300_000_000, "5 MB"), ("RECORD", 60_000_000, "20 MB")]
)
def test_a_dist_info_that_is_too_large_is_one_line_and_hides_no_other(
    packages: FakeEnvironment, name: str, size: int, limit: str
) -> None:
    packages.install("peft", "0.17.0", record="")
    packages.install("accelerate", "1.10.0")
    path = packages.site / "peft-0.17.0.dist-info" / name
    os.truncate(path, size)
    environment = packages.read()
    assert [each.name for each in environment.distributions] == ["accelerate"]
    (line,) = environment.unreadable
    assert line.endswith(f"OSError: [Errno 27] larger than {limit}: {str(path)!r}")


@pytest.mark.parametrize("path", ["", "METADATA"])
def test_what_may_not_be_read_is_not_called_an_incomplete_uninstall(
    packages: FakeEnvironment, path: str
) -> None:
    with denied(packages.install("peft", "0.17.0") / path):
        (line,) = packages.read().unreadable
    assert "PermissionError: [Errno 13] Permission denied" in line
    assert "uninstall" not in line


@pytest.mark.parametrize("path", ["torch", "torch/version.py"])
def test_a_torch_that_may_not_be_read_is_not_called_damaged(
    packages: FakeEnvironment, tmp_path: Path, path: str
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    with denied(packages.site / path):
        verdicts = packages.show(FakeMachine(tmp_path / "machine")).verdicts
    (told,) = (each for each in verdicts if each.requirement == "one complete installation")
    assert told.judgement == "unknown"
    assert told.reason == f"{packages.site / path} cannot be read: Permission denied"
    assert told.action == "run this as a user who can read it"


@pytest.mark.parametrize("path", ["/opt/rocm/.info", "/opt/rocm/.info/version"])
def test_a_version_that_may_not_be_read_is_not_called_removed(tmp_path: Path, path: str) -> None:
    here = FakeMachine(tmp_path / "machine")
    here.file("/opt/rocm/.info/version", "7.1.0")
    with denied(here.root / path[1:]):
        (problem,) = find_rocm(here.machine).problems
    assert problem.source == "/opt/rocm/.info/version"
    assert problem.problem == "cannot be read: Permission denied"


def test_a_folder_that_a_variable_names_and_nobody_may_see_is_one_line(tmp_path: Path) -> None:
    here = FakeMachine(tmp_path / "machine")
    inner = here.file("/srv/rocm/.info/version", "7.1.0").parents[1]
    here.environment["ROCM_PATH"] = "/srv/rocm"
    with denied(inner.parent):
        (problem,) = find_rocm(here.machine).problems
    assert problem.problem == "cannot be read: Permission denied"


def test_an_egg_info_that_is_a_pipe_is_not_waited_for(packages: FakeEnvironment) -> None:
    os.mkfifo(packages.site / "peft-0.17.0.egg-info")
    (line,) = packages.read().unreadable
    assert "not a regular file" in line


def test_a_package_that_requires_everything_is_one_line(packages: FakeEnvironment) -> None:
    packages.install("peft", "0.17.0", ["numpy"] * 10_001)
    (line,) = packages.read().unreadable
    assert line.endswith("ValueError: it has more than 10,000 requirements")


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        ("tor\0ch", "2.10.0", "the name 'tor\\x00ch', which is not valid"),
        ("torch\x1b[2J", "2.10.0", "the name 'torch\\x1b[2J', which is not valid"),
        ("t" * 300 + "!", "2.10.0", f"the name '{'t' * 100}', which is not valid"),
        ("torch", "2.10\x1b[2J", "the version '2.10\\x1b[2J', which is not valid"),
        ("torch", "2" * 9000, f"the version '{'2' * 100}', which is not valid"),
    ],
)
def test_a_package_whose_name_or_version_is_none_is_told(
    packages: FakeEnvironment, name: str, version: str, said: str
) -> None:
    packages.write(
        "torch-2.10.0.dist-info/METADATA",
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
    )
    environment = packages.read()
    assert environment.distributions == ()
    (line,) = environment.unreadable
    assert line.endswith(f"torch-2.10.0.dist-info: ValueError: its METADATA has {said}")


def test_a_version_of_hip_without_end_is_shortened(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1." + "2" * 90_000)
    torch = read_torch(packages.read())
    assert torch is not None
    assert len(torch.hip) <= 100
    assert torch.rocm_release == "7.1"
