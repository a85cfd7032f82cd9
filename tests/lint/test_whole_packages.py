"""Whole real packages: no shortcut may change what is found, and nothing may crash."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.config.settings import Settings
from rocmlint.findings import Finding
from rocmlint.lint.check import check
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.linter import Linter
from rocmlint.lint.scan import Scanner
from rocmlint.lint.selection import enabled_rules
from rocmlint.lint.shared_disk import shared_disk
from rocmlint.rule.rule import Rule
from rocmlint.source.file import project_of
from rocmlint.source.python import Source
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.text.text import decode
from tests.support.tools import path_of, skip_where_offline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.disk.disk import Disk

WHEELS = ("transformers==5.23.0", "diffusers==0.42.1", "accelerate==1.15.0")
PREVIEW = Settings(preview=True, profile="export")
ROOT = Path(__file__).parents[2]
STANDARD_LIBRARY = Path(os.__file__).parent
EVERY = 4
"""Each commit looks at another quarter of the files; all would take most of the time of a run."""
PARTS = 6
"""Tests for each package, which several processes share."""

pytestmark = pytest.mark.slow
in_parts = pytest.mark.parametrize("part", range(PARTS))


@pytest.fixture(scope="session", params=WHEELS)
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked wheel of a package."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), request.param]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    skip_where_offline(done.returncode, done.stderr)
    assert done.returncode == 0, done.stderr
    for wheel in folder.glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(folder)
    return folder


@in_parts
def test_findings_with_and_without_shortcuts_are_equal(package: Path, part: int) -> None:
    paths = sorted(package.rglob("*.py"))[quarter() * PARTS + part :: PARTS * EVERY]
    assert paths
    assert differences(paths) == []


@in_parts
def test_no_file_of_the_standard_library_makes_a_rule_crash(part: int) -> None:
    own = (each for each in STANDARD_LIBRARY.rglob("*.py") if "site-packages" not in each.parts)
    paths = sorted(own)[part :: PARTS * 5]
    assert paths
    assert differences(paths) == []


@cache
def quarter() -> int:
    """Return which quarter of the files this commit looks at; the first without a repository."""
    git = path_of("git")
    if git is None:
        return 0
    command = [git, "rev-parse", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return int(done.stdout.strip() or "0", 16) % EVERY


@cache
def scanner() -> Scanner[Rule[Any]]:
    return Scanner(enabled_rules(PREVIEW))


def differences(paths: Iterable[Path]) -> list[str]:
    """Return how the findings in files differ without shortcuts; they ask the disk as one run."""
    disk = shared_disk(noted=False)
    linter = Linter(PREVIEW, disk)
    return [each for path in paths if (each := difference(path, linter, disk))]


def difference(path: Path, linter: Linter, disk: Disk) -> str:
    """Return how the findings in a file differ without shortcuts; empty where they do not."""
    data = path.read_bytes()
    project = project_of(str(path), PREVIEW, disk)
    try:
        text = decode(data)
        source = Source(str(path), text, project=project)
        cut = check(source, scanner().scan_python(data).rules)
        source = Source(str(path), text, whole=True, project=project)
        whole = check(source, linter.rules, shortcuts=False)
        is_done = not isinstance(linter.first_sight(str(path), data), Opened)
    except (UnparsableError, SyntaxError, ValueError):
        return ""  # bad syntax on purpose, as in some tests
    if is_done and whole:
        return f"at first sight nothing, but {shown(whole)}"
    return f"{shown(cut)} != {shown(whole)}" if cut != whole else ""


def shown(findings: list[Finding]) -> list[str]:
    return [f"{each.path}:{each.line}:{each.column} {each.code}" for each in findings]
